import assert from "node:assert/strict"
import { resolve } from "node:path"
import { it } from "node:test"
import { replyCalls, replyText, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { place } from "./command-line.ts"

const example = (name: string) => resolve(import.meta.dirname, "../../examples", name)

it("the example tools module asks where to deploy, and goes on with the answer", async (t) => {
  await using endpoint = await scriptedEndpoint([
    replyCalls([
      { id: "c1", name: "service_status", arguments: { service: "api" } },
      { id: "c2", name: "deploy", arguments: { service: "api" } },
    ]),
    replyText("done"),
  ]).listen()
  const { run } = place(t)
  const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--tools", example("tools.mjs")]
  const halted = await run(["run", "deploy the api", ...options, "--file", "x.run.jsonl", "--output", "json"])
  assert.equal(halted.json.pending.prompt, "Where shall api be deployed?")
  assert.equal((await run(["resume", "x.run.jsonl", "--answer", "staging"])).code, 0)
  assert.equal(endpoint.requests[1]?.body.messages.at(-1).content, "api is deployed to staging")
})

it("the example relay file's calls are answered together, by their ids", async (t) => {
  await using endpoint = await scriptedEndpoint([
    replyCalls([
      { id: "c1", name: "page_on_call", arguments: { service: "api", message: "it is down" } },
      { id: "c2", name: "open_ticket", arguments: { title: "api is down" } },
    ]),
    replyText("done"),
  ]).listen()
  const { run, write } = place(t)
  const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--relay", example("relay.json")]
  const halted = await run(["run", "page them", ...options, "--file", "x.run.jsonl", "--output", "json"])
  const { id, data } = halted.json.pending
  assert.equal((await run(["resume", "x.run.jsonl", "--answer", "on it"])).code, 5)
  const results = data.calls.map((call: { id: string; name: string }) => ({ id: call.id, output: `${call.name} done` }))
  write("answers.json", [{ id, ok: true, data: { results } }])
  assert.equal((await run(["resume", "x.run.jsonl", "--answers", "answers.json"])).code, 0)
  assert.equal(endpoint.requests[1]?.body.messages.at(-1).content, "open_ticket done")
})

it("the example HTTP tools are offered, and the one that writes is asked about before anything leaves", async (t) => {
  await using endpoint = await scriptedEndpoint([
    replyCalls([{ id: "c1", name: "comment_on_issue", arguments: { owner: "o", repo: "r", number: 1, text: "done" } }]),
  ]).listen()
  const { run } = place(t)
  const options = [
    "--base-url",
    endpoint.baseUrl,
    "--model",
    "m",
    "--no-builtins",
    "--tools",
    example("http-tools.json"),
  ]
  const halted = await run(["run", "answer it", ...options, "--output", "json"])
  assert.deepEqual([halted.code, halted.json.pending.kind], [3, "approval"])
  const offered = endpoint.requests[0]?.body.tools.map((tool: { function: { name: string } }) => tool.function.name)
  assert.deepEqual(offered, ["read_issue", "comment_on_issue"])
})

it("the example skill is in the system prompt, and is loaded with the file beside it", async (t) => {
  await using endpoint = await scriptedEndpoint([
    replyCalls([{ id: "c1", name: "skill", arguments: { name: "release-notes" } }]),
    replyCalls([{ id: "c2", name: "skill", arguments: { name: "release-notes", resource: "template.md" } }]),
    replyText("done"),
  ]).listen()
  const { run } = place(t)
  const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--skills", example("skills")]
  assert.equal((await run(["run", "write them", ...options])).code, 0)
  const [first, second, third] = endpoint.requests.map(({ body }) => body.messages)
  assert.match(first[0].content, /^- release-notes: Writes the notes of a release/m)
  assert.match(second.at(-1).content, /Its files, for resource: template\.md[\s\S]*git describe/)
  assert.match(third.at(-1).content, /^1\t## VERSION/)
})
