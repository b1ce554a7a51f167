import assert from "node:assert/strict"
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { test } from "node:test"
import { replyCalls, replyText, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { place } from "./command-line.ts"

const one = (name: string, args: object = {}) => replyCalls([{ id: "c1", name, arguments: args }])
const at = (endpoint: { baseUrl: string }) => ["--base-url", endpoint.baseUrl, "--model", "m"]

/** Everything that a command wrote: its files, and what it printed. */
function written(dir: string): string {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map((entry) => readFileSync(join(entry.parentPath ?? entry.path, entry.name), "utf8")).join("\n")
}

test("HTTP tools of --tools FILE.json are called with the key of a variable, which is in no file and on no screen", async (t) => {
  const seen: (string | undefined)[] = []
  const server = createServer((request, response) => {
    seen.push(request.url, request.headers.authorization)
    response.writeHead(403, { "content-type": "text/plain" }).end(`no: ${request.headers.authorization}`)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  await using endpoint = await scriptedEndpoint([one("status", { service: "a/b" }), replyText("done")]).listen()
  const { run, write, dir } = place(t)
  write("http.json", [
    {
      name: "status",
      description: "d",
      url: `http://127.0.0.1:${port}/{service}`,
      headers: { authorization: "Bearer ${STATUS_KEY}" },
    },
  ])
  const env = { STATUS_KEY: "key-of-the-service" }
  const args = ["run", "go", ...at(endpoint), "--tools", "http.json", "--debug", "--file", "x.run.jsonl"]
  const { code, out, err } = await run(args, { env })
  assert.equal(code, 0, err)
  assert.deepEqual(seen, ["/a%2Fb", "Bearer key-of-the-service"])
  assert.match(
    endpoint.requests[1]?.body.messages.at(-1).content,
    /answered with status 403\nno: Bearer \[STATUS_KEY\]$/,
  )
  assert.doesNotMatch(`${out}${err}${written(dir)}`, /key-of-the-service/)
})

test("a broken skill is named on stderr, and the others are there", async (t) => {
  await using endpoint = await scriptedEndpoint([replyText("done")]).listen()
  const { run, path, write } = place(t)
  for (const name of ["good", "bad"]) mkdirSync(path(`skills/${name}`), { recursive: true })
  write("skills/good/SKILL.md", "---\nname: good\ndescription: d\n---\nbody\n")
  write("skills/bad/SKILL.md", "---\nname: bad\ndescription: a: b\n---\nbody\n")
  const { code, err } = await run(["run", "go", ...at(endpoint), "--skills", "skills", "--quiet"])
  assert.equal(code, 0)
  assert.match(err, /^\S+bad is left out of the skills: its front matter is no YAML \(line 3: .*needs quotes\n$/)
  assert.match(endpoint.requests[0]?.body.messages[0].content, /\n- good: d$/)
})

test("a folder of skills that is not there is a mistake: exit 2, and nothing is sent", async (t) => {
  await using endpoint = await scriptedEndpoint([]).listen()
  const { run } = place(t)
  const { code, err } = await run(["run", "go", ...at(endpoint), "--skills", "nowhere"])
  assert.equal(code, 2)
  assert.match(err, /^toolnexus: the skills folder \S+nowhere cannot be used: no such file or folder: name one/)
  assert.deepEqual(endpoint.requests, [])
})

test("one tool in two files is a mistake that names both, whatever kinds they are", async (t) => {
  await using endpoint = await scriptedEndpoint([]).listen()
  const { run, write, path } = place(t)
  const module = `export default ({ defineTool }) => [defineTool({ name: "same", description: "d", run: () => "" })]`
  write("a.mjs", module)
  write("b.mjs", module)
  write("r.json", [{ name: "same", description: "d" }])
  for (const files of [
    ["--tools", "a.mjs", "--tools", "b.mjs"],
    ["--tools", "a.mjs", "--relay", "r.json"],
  ]) {
    const { code, lastLine } = await run(["run", "go", ...at(endpoint), ...files])
    assert.equal(code, 2)
    assert.equal(lastLine, `toolnexus: the tool same is in ${path("a.mjs")} and in ${path(files[3] ?? "")}: rename one`)
  }
  assert.deepEqual(endpoint.requests, [])
})

test("a halted result as plain JSON is resumed with its tools; without them the message names --tools", async (t) => {
  await using endpoint = await scriptedEndpoint([replyText("done")]).listen()
  const { run, write } = place(t)
  const call = { id: "c1", type: "function", function: { name: "deploy", arguments: "{}" } }
  const messages = [
    { role: "user", content: "go" },
    { role: "assistant", content: null, tool_calls: [call] },
  ]
  const request = {
    id: "r1",
    kind: "input",
    prompt: "Where?",
    data: { call: { id: "c1", name: "deploy", input: {}, by: "tool" } },
  }
  write("halted.json", { status: "pending", messages, suspended: [request], pending: request })
  const args = ["resume", "halted.json", ...at(endpoint), "--answer", "staging"]
  const { code, err } = await run(args)
  assert.equal(code, 2)
  assert.match(
    err,
    /the run has a call of the tool deploy to run, and nothing here has that tool: name the file that has it with --tools FILE and resume/,
  )
  assert.equal(endpoint.requests.length, 0)
  write(
    "tools.mjs",
    `export default ({ defineTool, outputOf }) => [defineTool({ name: "deploy", description: "d", run: (_, { answer }) => "on " + outputOf(answer) })]`,
  )
  assert.equal((await run([...args, "--tools", "tools.mjs"])).code, 0)
  assert.equal(endpoint.requests[0]?.body.messages.at(-1).content, "on staging")
})
