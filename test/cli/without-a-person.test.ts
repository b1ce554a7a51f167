import assert from "node:assert/strict"
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { describe, it, type TestContext } from "node:test"
import { openRun } from "../../src/index.ts"
import { replyCalls, replyError, replyText, type Step, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { place, TOOLS } from "./command-line.ts"

const deployCall = replyCalls([{ id: "c1", name: "deploy", arguments: { service: "api" } }])

async function deployPlace(t: TestContext, steps: Step[] = [deployCall, replyText("It is deployed.")]) {
  const endpoint = await scriptedEndpoint(steps).listen()
  t.after(() => endpoint.close())
  const here = place(t)
  here.write("tools.mjs", TOOLS)
  const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--tools", "tools.mjs"]
  const halt = () => here.run(["run", "deploy it", ...options, "--file", "d.run.jsonl"])
  return { ...here, endpoint, options, halt }
}

describe("a run without a person", () => {
  it("prints the final text once and nothing else on stdout", async (t) => {
    const { run, options } = await deployPlace(t, [replyText("Hello.")])
    const ran = await run(["run", "say hello", ...options])
    assert.deepEqual([ran.code, ran.out], [0, "Hello.\n"])
  })
  it("halts with exit 3, the reason, and the command that resumes it as the last line", async (t) => {
    const { halt, path } = await deployPlace(t)
    const ran = await halt()
    assert.deepEqual([ran.code, ran.out], [3, ""])
    assert.match(
      ran.err,
      /halted: waiting for a person \(there is no terminal\)\n {2}Which environment\?\n {4}call: deploy .*\n {4}answer with: --answer TEXT\n/,
    )
    assert.equal(ran.lastLine, "toolnexus resume d.run.jsonl")
    assert.ok(existsSync(path("d.run.jsonl")))
  })
  it("says that --no-input is why nobody was asked", async (t) => {
    const { run, options } = await deployPlace(t)
    assert.match(
      (await run(["run", "x", ...options, "--no-input"])).err,
      /halted: waiting for a person \(nobody is asked with --no-input\)/,
    )
  })
  it("keeps the last line with --quiet, and says nothing of what it does", async (t) => {
    const { run, options } = await deployPlace(t)
    const ran = await run(["run", "x", ...options, "--quiet", "--file", "q.run.jsonl"])
    assert.equal(ran.lastLine, "toolnexus resume q.run.jsonl")
    assert.doesNotMatch(ran.err, /allowed by/)
  })
  it("prints each automatic decision", async (t) => {
    const { run, options } = await deployPlace(t)
    const ran = await run(["run", "x", ...options, "--deny", "deploy"])
    assert.equal(ran.code, 0)
    assert.match(ran.err, /deploy api: refused by deny deploy/)
  })
  it("reads stdin for a prompt of - and for nothing else", async (t) => {
    const { run, options, endpoint } = await deployPlace(t, [replyText("ok")])
    assert.equal((await run(["run", "-", ...options], { stdin: "from stdin\n" })).code, 0)
    assert.equal(endpoint.requests[0]?.body.messages[0].content, "from stdin\n")
    assert.equal((await run(["run", "-", ...options], { stdin: " \n" })).code, 2)
  })
  it("takes a prompt of stdin without its byte order mark, and refuses one that is no UTF-8", async (t) => {
    const { run, options, endpoint } = await deployPlace(t, [replyText("ok")])
    assert.equal((await run(["run", "-", ...options], { stdin: "\uFEFFhello" })).code, 0)
    assert.equal(endpoint.requests[0]?.body.messages[0].content, "hello")
    const refused = await run(["run", "-", ...options], { stdin: Buffer.from("caf\u00e9", "latin1") })
    assert.equal(refused.code, 2)
    assert.match(refused.err, /^toolnexus: stdin cannot be the prompt: it is no UTF-8 text; send a text$/m)
    assert.equal(endpoint.requests.length, 1)
  })
  it("ends with its result saved although the reader of stdout went away", async (t) => {
    const { run, options, read } = await deployPlace(t, [replyText("one two three")])
    const ran = await run(["run", "x", ...options, "--file", "p.run.jsonl", "--output", "jsonl"], {
      stdoutClosesAfter: 1,
    })
    assert.equal(ran.code, 0)
    assert.match(read("p.run.jsonl"), /run\.finished/)
  })
  it("stops at a limit with exit 4, and a resume with a higher one goes on", async (t) => {
    const noteCall = replyCalls([{ id: "c1", name: "note", arguments: {} }])
    const { run, options } = await deployPlace(t, [noteCall, replyText("done")])
    const ran = await run(["run", "x", ...options, "--max-turns", "1", "--file", "l.run.jsonl"])
    assert.equal(ran.code, 4)
    assert.match(ran.err, /--max-turns/)
    const resumed = await run(["resume", "l.run.jsonl", "--max-turns", "5"])
    assert.deepEqual([resumed.code, resumed.out], [0, "done\n"])
  })
  it("offers the model no built-in tools with --no-builtins", async (t) => {
    const { run, options, endpoint } = await deployPlace(t, [replyText("ok")])
    await run(["run", "x", ...options])
    await run(["run", "x", ...options, "--no-builtins"])
    const names = (at: number) =>
      endpoint.requests[at]?.body.tools.map((tool: { function: { name: string } }) => tool.function.name)
    assert.ok(names(0).includes("bash"))
    assert.deepEqual(names(1), ["deploy", "note", "token"])
  })
})

describe("a resume without a person", () => {
  it("answers the one open request and prints one JSON object", async (t) => {
    const { halt, run, endpoint } = await deployPlace(t)
    await halt()
    const ran = await run(["resume", "d.run.jsonl", "--answer", "staging", "--output", "json"])
    assert.equal(ran.code, 0)
    assert.deepEqual([ran.json.status, ran.json.text, ran.json.turns], ["done", "It is deployed.", 2])
    assert.equal(endpoint.requests.length, 2)
    assert.equal(endpoint.requests[1]?.body.messages.at(-1).content, "deployed api to staging")
  })
  it("prints the result of a finished run again, says so, and asks no endpoint", async (t) => {
    const { halt, run, endpoint } = await deployPlace(t)
    await halt()
    await run(["resume", "d.run.jsonl", "--answer", "staging"])
    const again = await run(["resume", "d.run.jsonl"])
    assert.deepEqual([again.code, again.out], [0, "It is deployed.\n"])
    assert.match(again.err, /finished.*once more/)
    assert.equal((await run(["resume", "d.run.jsonl", "--answer", "staging"])).code, 0)
    assert.equal((await run(["resume", "d.run.jsonl", "--answer", "production"])).code, 5)
    assert.equal(endpoint.requests.length, 2)
  })
  it("prints the events as they are written, the first with run and file, the result last", async (t) => {
    const { halt, run, path } = await deployPlace(t)
    await halt()
    const ran = await run(["resume", "d.run.jsonl", "--answer", "staging", "--output", "jsonl"])
    const lines = ran.out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.deepEqual([lines[0].type, lines[0].file], ["run.resumed", path("d.run.jsonl")])
    assert.match(lines[0].runId, /^run_/)
    assert.deepEqual([lines.at(-1).type, lines.at(-1).status], ["run.result", "done"])
    assert.equal(lines.filter(({ type }) => type === "run.result").length, 1)
  })
  it("halts again, without asking the model, where nothing is answered", async (t) => {
    const { halt, run, read, endpoint } = await deployPlace(t)
    await halt()
    const before = read("d.run.jsonl")
    assert.equal((await run(["resume", "d.run.jsonl"])).code, 3)
    assert.equal(read("d.run.jsonl"), before)
    assert.equal(endpoint.requests.length, 1)
  })
  it("finds a run that was made here by its id", async (t) => {
    const { halt, run, read } = await deployPlace(t)
    await halt()
    const { runId } = JSON.parse(read("d.run.jsonl").split("\n")[0] ?? "")
    assert.equal((await run(["resume", runId, "--answer", "staging"])).code, 0)
  })
  it("takes a secret from a variable, and it is in no file", async (t) => {
    const tokenCall = replyCalls([{ id: "c1", name: "token", arguments: {} }])
    const { run, options, read } = await deployPlace(t, [tokenCall, replyText("done")])
    const ran = await run(["run", "x", ...options, "--file", "s.run.jsonl", "--output", "json"])
    const { id } = ran.json.pending
    assert.equal((await run(["resume", "s.run.jsonl", "--answer", `${id}=hunter2hunter2`])).code, 5)
    const resumed = await run(["resume", "s.run.jsonl", "--answer-env", `${id}=TOKEN`], {
      env: { TOKEN: "hunter2hunter2" },
    })
    assert.equal(resumed.code, 0)
    assert.doesNotMatch(read("s.run.jsonl"), /hunter2/)
  })
  it("goes on with JSON.stringify(halted) in a new file beside it", async (t) => {
    const { run, write, options, path } = await deployPlace(t, [replyText("done")])
    const call = { id: "c1", type: "function", function: { name: "deploy", arguments: '{"service":"api"}' } }
    const pending = { id: "r1", kind: "input", prompt: "Which environment?", data: { call: { id: "c1" } } }
    const messages = [
      { role: "user", content: "x" },
      { role: "assistant", content: null, tool_calls: [call] },
    ]
    write("halted.json", { status: "pending", messages, pending, suspended: [pending] })
    assert.equal((await run(["resume", "halted.json", ...options, "--answer", "wrong=x"])).code, 5)
    assert.equal(existsSync(path("halted.run.jsonl")), false)
    const ran = await run(["resume", "halted.json", ...options, "--answer", "staging"])
    assert.deepEqual([ran.code, ran.out], [0, "done\n"])
    const again = await run(["resume", "halted.json"])
    assert.deepEqual([again.code, again.out], [0, "done\n"])
    const same = await run(["resume", "halted.json", "--answer", "r1=staging"])
    assert.deepEqual([same.code, same.out], [0, "done\n"])
    assert.equal((await run(["resume", "halted.json", "--answer", "r1=production"])).code, 5)
  })
  it("begins the new file where a process was ended before it wrote a line of it", async (t) => {
    const { run, write, options } = await deployPlace(t, [replyText("done")])
    const call = { id: "c1", type: "function", function: { name: "deploy", arguments: '{"service":"api"}' } }
    const messages = [
      { role: "user", content: "x" },
      { role: "assistant", content: null, tool_calls: [call] },
    ]
    write("halted.json", { messages, pending: { id: "r1", kind: "input", prompt: "Which environment?" } })
    write("halted.run.jsonl", "")
    const ran = await run(["resume", "halted.json", ...options, "--answer", "staging"])
    assert.deepEqual([ran.code, ran.out], [0, "done\n"])
  })
})

describe("an answer that does not fit changes nothing and sends nothing", () => {
  const twoCalls = replyCalls([
    { id: "c1", name: "deploy", arguments: { service: "api" } },
    { id: "c2", name: "deploy", arguments: { service: "web" } },
  ])
  const cases: [string, Step, (id: string) => string[]][] = [
    ["a wrong id", deployCall, () => ["--answer", "req_other=staging"]],
    ["a malformed list", deployCall, () => ["--answers", "bad.json"]],
    ["ok that is no boolean", deployCall, () => ["--answers", "notbool.json"]],
    ["an ok without a result", deployCall, () => ["--answers", "empty.json"]],
    ["two different answers", deployCall, (id) => ["--answer", `${id}=a`, "--answer", `${id}=b`]],
    ["a bare answer while two are open", twoCalls, () => ["--answer", "staging"]],
    ["an approval where none is open", deployCall, () => ["--approve"]],
    ["a list with a misspelt member", deployCall, () => ["--answers", "misspelt.json"]],
  ]
  for (const [what, step, options] of cases) {
    it(what, async (t) => {
      const { halt, run, read, write, endpoint } = await deployPlace(t, [step, replyText("never")])
      await halt()
      const before = read("d.run.jsonl")
      const [, id = ""] = /"request":\{"id":"([^"]+)"/.exec(before) ?? []
      write("bad.json", "{")
      write("notbool.json", [{ id, ok: "true" }])
      write("misspelt.json", [{ id, ok: true, data: { output: "staging" }, dat: { note: "x" } }])
      write("empty.json", [{ id, ok: true, data: { value: "staging" } }])
      const ran = await run(["resume", "d.run.jsonl", ...options(id), "--output", "json"])
      assert.equal(ran.code, 5)
      assert.equal(ran.json.status, "failed")
      assert.match(ran.json.runId, /^run_/)
      assert.equal(typeof ran.json.error.code, "string")
      assert.equal(read("d.run.jsonl"), before)
      assert.equal(endpoint.requests.length, 1)
    })
  }
  it("to a finished or limited run prints JSON that says failed, and no result beside it", async (t) => {
    const { run, options } = await deployPlace(t, [replyText("done"), deployCall])
    const [finished, limited] = ["f.run.jsonl", "l.run.jsonl"]
    assert.equal((await run(["run", "x", ...options, "--file", finished])).out, "done\n")
    await run(["run", "x", ...options, "--file", limited, "--max-tokens", "1"])
    for (const file of [finished, limited]) {
      for (const output of ["json", "jsonl"]) {
        const { code, json } = await run(["resume", file, "--answer", "req_none=x", "--output", output])
        const { status, text, limit, turns, error } = json
        assert.deepEqual([code, status, text, limit, turns], [5, "failed", "", undefined, 1])
        assert.equal(error.code, "unknown_answer")
      }
    }
    assert.equal((await run(["resume", finished, "--output", "json"])).json.text, "done")
  })
  it("a second and different one to a request that was answered", async (t) => {
    const { halt, run, read, endpoint } = await deployPlace(t)
    await halt()
    assert.equal((await run(["answer", "d.run.jsonl", "--answer", "staging"])).code, 0)
    const before = read("d.run.jsonl")
    assert.equal((await run(["resume", "d.run.jsonl", "--answer", "production"])).code, 5)
    assert.equal((await run(["answer", "d.run.jsonl", "--answer", "production"])).code, 5)
    assert.equal((await run(["answer", "d.run.jsonl", "--answer", "staging"])).code, 0)
    assert.equal(read("d.run.jsonl"), before)
    assert.equal(endpoint.requests.length, 1)
    assert.equal((await run(["resume", "d.run.jsonl"])).out, "It is deployed.\n")
  })
})

describe("a run file from elsewhere decides nothing", () => {
  it("names what is needed, and sends nothing, until the options say it", async (t) => {
    const { halt, run, path, endpoint, options } = await deployPlace(t)
    await halt()
    const env = { TOOLNEXUS_STATE_DIR: path("another-machine"), TOOLNEXUS_API_KEY: "key" }
    const refused = await run(["resume", "d.run.jsonl", "--answer", "staging"], { env })
    assert.equal(refused.code, 2)
    assert.match(refused.err, /--base-url URL and --model NAME.*"m".*deploy.*--tools FILE/)
    const withoutTools = await run(["resume", "d.run.jsonl", "--answer", "staging", ...options.slice(0, 4)], { env })
    assert.match(withoutTools.err, /its tools \(deploy, note, token\) with --tools FILE/)
    assert.equal(endpoint.requests.length, 1)
    const resumed = await run(["resume", "d.run.jsonl", "--answer", "staging", ...options], { env })
    assert.deepEqual([resumed.code, resumed.out], [0, "It is deployed.\n"])
  })
  it("also where its lines name an endpoint, a variable and a module", async (t) => {
    const { halt, run, path, read, write, endpoint } = await deployPlace(t)
    await halt()
    const [first = "", ...rest] = read("d.run.jsonl").split("\n")
    const evil = { baseUrl: endpoint.baseUrl, apiKeyEnv: "HOME", tools_module: path("evil.mjs") }
    write("evil.mjs", "process.exitCode = 99; throw new Error('it was run')")
    write("e.run.jsonl", [JSON.stringify({ ...JSON.parse(first), runId: "run_evil", ...evil }), ...rest].join("\n"))
    const ran = await run(["resume", "e.run.jsonl", "--answer", "staging"])
    assert.equal(ran.code, 2)
    assert.equal(endpoint.requests.length, 1)
  })
  it("counts an answer that it holds only with --accept-recorded", async (t) => {
    const { halt, run, path, endpoint } = await deployPlace(t)
    await halt()
    copyFileSync(path("d.run.jsonl"), path("copy.run.jsonl"))
    const elsewhere = { env: { TOOLNEXUS_STATE_DIR: path("another-machine") } }
    await run(["answer", "copy.run.jsonl", "--answer", "production"], elsewhere)
    const held = await run(["resume", "copy.run.jsonl"])
    assert.equal(held.code, 3)
    assert.equal(endpoint.requests.length, 1)
    const accepted = await run(["resume", "copy.run.jsonl", "--accept-recorded"])
    assert.equal(accepted.code, 0)
    assert.equal(endpoint.requests[1]?.body.messages.at(-1).content, "deployed api to production")
  })
  it("is not made a path of, whatever its run id says", async (t) => {
    const { halt, run, read, write } = await deployPlace(t)
    await halt()
    write("e.run.jsonl", read("d.run.jsonl").replace(/"runId":"[^"]+"/, '"runId":"../../x"'))
    assert.equal((await run(["resume", "e.run.jsonl", "--answer", "staging"])).code, 2)
  })
})

describe("bad input gets one line that says what to do", () => {
  const cases: [string[], number, RegExp][] = [
    [["run", "x", "--modle", "m"], 2, /unknown option '--modle'/],
    [
      ["run", "x", "--base-url", "http://127.0.0.1:1", "--model", "m", "--api-key-env", "NOT_SET"],
      2,
      /NOT_SET, which is not set/,
    ],
    [["run", "--base-url", "http://127.0.0.1:1", "--model", "m"], 2, /there is no prompt/],
    [["run", "x", "--model", "demo", "--tools", "none.mjs"], 2, /none\.mjs cannot be used: no such file/],
    [["run", "x", "--model", "demo", "--tools", "throws.mjs"], 2, /throws\.mjs cannot be used: no database here/],
    [["run", "x", "--model", "demo", "--tools", "number.mjs"], 2, /number\.mjs cannot be used: .*not a list of tools/],
    [["run", "x", "--model", "demo", "--tools", "entry.mjs"], 2, /entry 0 of its list is no tool/],
    [["run", "x", "--model", "demo", "--relay", "broken.json"], 2, /broken\.json cannot be used: it is not JSON/],
    [["run", "x", "--model", "demo", "--file", "there.run.jsonl"], 2, /there\.run\.jsonl/],
    [["run", "x", "--model", "demo", "--file", "no/folder/x.run.jsonl"], 2, /there is no folder/],
    [["run", "x", "--model", "demo", "--cwd", "nowhere"], 2, /working folder.*no such file.*--cwd/],
    [["run", "x", "--model", "demo", "--profile", "work"], 2, /no profile "work"/],
    [["run", "x", "--model", "demo", "--answer", "y"], 2, /no open request to answer.*resume FILE/],
    [["run", "x", "--model", "demo", "--deny", "bash("], 2, /bash\(/],
    [["resume", "none.run.jsonl"], 5, /none\.run\.jsonl cannot be read \(no such file or folder\)/],
    [["resume", "broken.json"], 5, /no run/],
    [["resume", "."], 5, /it is a folder/],
    [["resume", "there.run.jsonl", "--file", "other.run.jsonl"], 2, /leave --file out/],
    [["runs", "show", "none"], 5, /none cannot be read/],
    [["answer", "none"], 5, /none cannot be read/],
  ]
  for (const [argv, code, message] of cases) {
    it(argv.join(" "), async (t) => {
      const { run, write } = place(t)
      write("throws.mjs", "throw new Error('no database here\\n    at somewhere')")
      write("number.mjs", "export default 42")
      write("entry.mjs", "export default [{}]")
      write("broken.json", "[")
      write("there.run.jsonl", "{}\n")
      const ran = await run(argv)
      assert.equal(ran.code, code)
      assert.match(ran.err, message)
      assert.equal(ran.err.trimEnd().split("\n").length, 1, ran.err)
      assert.equal(ran.out, "")
      const asJson = await run([...argv, "--output", "json"])
      assert.deepEqual([asJson.code, asJson.json.status], [code, "failed"])
      assert.match(asJson.json.error.message, message)
      const asLines = await run([...argv, "--output=jsonl"])
      assert.equal(asLines.json.type, "run.result")
    })
  }
  it("without an endpoint one line says so, and each way to name one has its own; JSON keeps one message", async (t) => {
    const { run } = place(t)
    const ran = await run(["run", "x"])
    assert.equal(ran.code, 2)
    assert.match(
      ran.err,
      /^toolnexus: no endpoint is configured \(missing: base URL and model\); one of these helps:\n {2}- give --base-url URL and --model NAME\n {2}- set TOOLNEXUS_BASE_URL .*\n {2}- put a profile into \S+config\.json\n {2}- try --model demo.*\n$/,
    )
    const asJson = await run(["run", "x", "--output", "json"])
    assert.match(
      asJson.json.error.message,
      /^no endpoint is configured .*--base-url.*TOOLNEXUS_BASE_URL.*profile.*--model demo[^\n]*$/,
    )
  })
  it("an endpoint that is not there: exit 1, and the run is saved", async (t) => {
    const { run } = place(t)
    const options = ["--base-url", "http://127.0.0.1:1", "--model", "m", "--file", "x.run.jsonl"]
    const ran = await run(["run", "x", ...options, "--output", "json"])
    assert.deepEqual([ran.code, ran.json.status, ran.json.error.code], [1, "failed", "provider"])
    assert.match(ran.err, /; once that is mended, this goes on:\ntoolnexus resume x\.run\.jsonl\n$/)
    assert.doesNotMatch(ran.err, /\n\s+at /)
  })
  it("a stack is shown with --debug only", async (t) => {
    const { run, write } = place(t)
    write("throws.mjs", "throw new Error('no database here')")
    assert.match((await run(["run", "x", "--model", "demo", "--tools", "throws.mjs", "--debug"])).err, /\n\s+at /)
  })
  it("a key goes to no host of a file or a project, and a refusal of the endpoint does not show it", async (t) => {
    const { run, endpoint } = await deployPlace(t, [replyError(401, "bad key sk-secret")])
    const options = ["--base-url", endpoint.baseUrl, "--model", "m"]
    const ran = await run(["run", "x", ...options], { env: { OPENAI_API_KEY: "sk-secret", TOOLNEXUS_API_KEY: "" } })
    assert.equal(ran.code, 1)
    assert.equal(endpoint.requests[0]?.headers.authorization, undefined)
    assert.doesNotMatch(ran.err, /sk-secret/)
  })
})

describe("runs", () => {
  it("list shows what was made here, also a file elsewhere, and one that cannot be read", async (t) => {
    const { halt, run, path, options } = await deployPlace(t)
    await halt()
    await run(["run", "second", ...options])
    const [file = ""] = readdirSync(path("state/runs"))
    const listed = await run(["runs", "list", "--output", "json"])
    assert.deepEqual(
      listed.json.runs.map(({ prompt, status }: Record<string, string>) => [prompt, status]),
      [
        ["second", "done"],
        ["deploy it", "pending"],
      ],
    )
    appendFileSync(path(`state/runs/${file}`), "rubbish\n{}\n")
    const text = await run(["runs"])
    assert.match(
      text.out,
      /^ID +STATUS +LAST CHANGE +PROMPT\n[0-9a-f]{8} {2}pending +\d{4}-\d\d-\d\d \d\d:\d\d {2}deploy it\n +asks: Which environment\?\n/,
    )
    assert.match(text.out, /unreadable .*damaged/)
  })
  it("show shows a run without changing it", async (t) => {
    const { halt, run, read } = await deployPlace(t)
    await halt()
    const before = read("d.run.jsonl")
    const ran = await run(["runs", "show", "d.run.jsonl"])
    assert.match(ran.out, /status {4}pending/)
    assert.match(ran.out, /call {6}deploy api: no result yet/)
    assert.match(ran.out, /^open {6}Which environment\?\n[\s\S]* id: req_\S+ \(input\)\n +answer with: --answer TEXT$/m)
    assert.equal(read("d.run.jsonl"), before)
  })
  it("the id in the list is enough wherever a FILE is named, and one that could be several is refused", async (t) => {
    const { halt, run, path, write } = await deployPlace(t, [deployCall, replyText("deployed")])
    await halt()
    const [, id = ""] = /^([0-9a-f]{8}) /m.exec((await run(["runs"])).out) ?? []
    assert.match((await run(["runs", "show", id])).out, /^prompt {4}deploy it$/m)
    assert.match((await run(["runs", "show", `run_${id.slice(0, 4)}`])).out, /^prompt {4}deploy it$/m)
    const [known = ""] = readdirSync(path("state/known"))
    write(`state/known/${known.replace(".json", "0.json")}`, {})
    const ran = await run(["runs", "show", id])
    assert.equal(ran.code, 5)
    assert.match(ran.err, /2 runs have an id that begins with/)
    assert.equal((await run(["runs", "show", id.slice(0, 3)])).code, 5)
  })
  it("show puts a text of several lines below its name, and results on one line unless all is asked for", async (t) => {
    const twoLines = replyCalls([{ id: "c1", name: "bash", arguments: { command: "echo one; echo two" } }])
    const { run, options } = await deployPlace(t, [twoLines, replyText("first\n\n  second")])
    await run(["run", "do\nthis", ...options, "--file", "s.run.jsonl", "--allow", "bash"])
    await run(["resume", "s.run.jsonl", "--approve"])
    const { out } = await run(["runs", "show", "s.run.jsonl"])
    assert.match(out, /^prompt {4}do\n {10}this$/m)
    assert.match(out, /^call {6}bash echo one; echo two: one two/m)
    assert.match(out, /^text {6}first\n\n {12}second$/m)
    assert.doesNotMatch(out, /U\+000A/)
    assert.match(
      (await run(["runs", "show", "s.run.jsonl", "--verbose"])).out,
      /"command":"echo one; echo two"\}\n {10}one\n {10}two/,
    )
  })
  it("show says that a call was declined, with the person's words, and not that it failed", async (t) => {
    const wants = replyCalls([{ id: "c1", name: "bash", arguments: { command: "date" } }])
    const { run, options } = await deployPlace(t, [wants, replyText("well")])
    await run(["run", "x", ...options, "--file", "n.run.jsonl"])
    await run(["resume", "n.run.jsonl", "--decline", "--note", "not today"])
    assert.match((await run(["runs", "show", "n.run.jsonl"])).out, /^call {6}bash date: declined \(not today\)$/m)
  })
  it("list is empty, and makes nothing, where nothing was run", async (t) => {
    const { run, path } = place(t)
    assert.deepEqual((await run(["runs", "--output", "json"])).json, { runs: [] })
    assert.equal(existsSync(path("state")), false)
  })
})

describe("a call that a crash cut off", () => {
  async function crashed(t: TestContext) {
    const world = await deployPlace(t, [deployCall, replyText("done")])
    await world.halt()
    const lines = world.read("d.run.jsonl").split("\n")
    const started = lines.findIndex((line) => line.includes('"call.started"'))
    world.write("d.run.jsonl", `${lines.slice(0, started + 1).join("\n")}\n`)
    return world
  }
  it("is decided by --in-doubt, and by nothing that approves", async (t) => {
    const { run, read, endpoint } = await crashed(t)
    const before = read("d.run.jsonl")
    for (const flags of [["--approve"], ["--answer", "rerun"], ["--answer", "yes"]]) {
      assert.equal((await run(["resume", "d.run.jsonl", ...flags])).code, 5, flags.join(" "))
    }
    assert.equal(read("d.run.jsonl"), before)
    const ran = await run(["resume", "d.run.jsonl", "--in-doubt", "unknown"])
    assert.equal(ran.code, 0)
    assert.match(endpoint.requests[1]?.body.messages.at(-1).content, /^outcome unknown: deploy/)
  })
  it("keeps to what was decided: the same once more changes nothing, the opposite is refused", async (t) => {
    const { run, read } = await crashed(t)
    assert.equal((await run(["answer", "d.run.jsonl", "--in-doubt", "unknown"])).code, 0)
    const decided = read("d.run.jsonl")
    const again = await run(["answer", "d.run.jsonl", "--in-doubt", "unknown"])
    assert.equal(again.code, 0)
    assert.match(again.err, /was answered before: the same answer changes nothing, and no other is taken/)
    for (const command of ["answer", "resume"]) {
      const opposite = await run(
        [command, "d.run.jsonl", "--accept-recorded", "--in-doubt", "rerun"].filter(
          (flag) => command === "resume" || flag !== "--accept-recorded",
        ),
      )
      assert.equal(opposite.code, 5, command)
      assert.match(opposite.err, /was answered already, and differently/)
    }
    assert.equal(read("d.run.jsonl"), decided)
  })
  it("halts with the option that decides it", async (t) => {
    const { run } = await crashed(t)
    const ran = await run(["resume", "d.run.jsonl"])
    assert.equal(ran.code, 3)
    assert.match(ran.err, /call: deploy .*\n {4}answer with: --in-doubt rerun or --in-doubt unknown/)
  })
  it("runs again with --in-doubt rerun", async (t) => {
    const { run } = await crashed(t)
    const ran = await run(["resume", "d.run.jsonl", "--in-doubt", "rerun", "--output", "json"])
    assert.deepEqual([ran.code, ran.json.pending.prompt], [3, "Which environment?"])
  })
})

describe("an answer that is none of a question's choices", () => {
  const options = [{ label: "staging" }, { label: "production" }]
  const ask = (...questions: object[]) => replyCalls([{ id: "c1", name: "question", arguments: { questions } }])
  const which = { question: "Which?", options }

  it("is taken as typed text, as at the terminal, and that is said, for resume and answer", async (t) => {
    const said = '"stagin" is none of the choices (staging, production): it counts as your own words'
    for (const command of ["resume", "answer"]) {
      const { run, options } = await deployPlace(t, [ask(which), replyText("done")])
      const halted = await run(["run", "x", ...options, "--file", "q.run.jsonl", "--output", "json"])
      const ran = await run([command, "q.run.jsonl", "--answer", `${halted.json.pending.id}=stagin`])
      assert.deepEqual([ran.code, ran.err.split("\n").includes(said)], [0, true], ran.err)
    }
  })
  it("is said of each of several questions, and of a list; a choice and a question without choices say nothing", async (t) => {
    const free = { question: "Why?" }
    const cases: [object[], string, RegExp | undefined][] = [
      [[which, free, { ...which, multiple: true }], '["staging","x",["production","both"]]', /^"both" is none/m],
      [[{ ...which, multiple: true }], '["all","staging"]', /^"all" is none/m],
      [[which], "production", undefined],
      [[free], "x", undefined],
    ]
    for (const [questions, text, said] of cases) {
      const { run, options } = await deployPlace(t, [ask(...questions), replyText("done")])
      await run(["run", "x", ...options, "--file", "q.run.jsonl"])
      const { err, code } = await run(["resume", "q.run.jsonl", "--answer", text])
      assert.deepEqual([code, err.match(/is none of the choices/g)?.length ?? 0], [0, said ? 1 : 0], err)
      if (said) assert.match(err, said)
    }
  })
})

describe("approvals", () => {
  const bashCall = replyCalls([{ id: "c1", name: "bash", arguments: { command: "echo it ran" } }])
  it("are shown with the command, and given once or twice the same", async (t) => {
    const { halt, run, endpoint } = await deployPlace(t, [bashCall, replyText("done")])
    assert.match((await halt()).err, /Allow bash\?\n {4}command: echo it ran\n {4}answer with: --approve or --decline/)
    assert.equal((await run(["answer", "d.run.jsonl", "--approve"])).code, 0)
    const ran = await run(["resume", "d.run.jsonl", "--answer", "yes"])
    assert.deepEqual([ran.code, ran.out], [0, "done\n"])
    assert.match(endpoint.requests[1]?.body.messages.at(-1).content, /^it ran/)
    assert.equal((await run(["resume", "d.run.jsonl", "--answer", "yes"])).code, 0)
    assert.equal((await run(["resume", "d.run.jsonl", "--answer", "no"])).code, 5)
  })
  for (const [decision, other, result] of [
    ["--approve", "--decline", /^it ran/],
    ["--decline", "--approve", /^declined\/expired/],
  ] as const) {
    it(`${decision} twice, before the run goes on and after it, is exit 0 and says so; ${other} is refused`, async (t) => {
      const { halt, run, read, endpoint } = await deployPlace(t, [bashCall, replyText("done")])
      await halt()
      const first = await run(["answer", "d.run.jsonl", decision])
      assert.equal(first.code, 0)
      assert.doesNotMatch(first.err, /answered before/)
      const recorded = read("d.run.jsonl")
      const again = await run(["answer", "d.run.jsonl", decision])
      assert.equal(again.code, 0)
      assert.match(again.err, /^req_\S+ was answered before: the same answer changes nothing, and no other is taken$/m)
      for (const command of ["answer", "resume"]) {
        const refused = await run([command, "d.run.jsonl", other])
        assert.equal(refused.code, 5)
        assert.match(refused.err, /was answered already, and differently: a second answer is not taken/)
      }
      assert.equal(read("d.run.jsonl"), recorded)
      const resumed = await run(["resume", "d.run.jsonl", decision])
      assert.deepEqual([resumed.code, resumed.out], [0, "done\n"])
      const finished = read("d.run.jsonl")
      for (const command of ["answer", "resume"]) {
        const same = await run([command, "d.run.jsonl", decision])
        assert.equal(same.code, 0)
        assert.match(same.err, /was answered before/)
        assert.equal((await run([command, "d.run.jsonl", other])).code, 5)
      }
      assert.equal(read("d.run.jsonl"), finished)
      assert.match(endpoint.requests[1]?.body.messages.at(-1).content, result)
      assert.equal(endpoint.requests.length, 2)
    })
  }
  it("are not asked for what a rule allows, and a rule of the run still holds in its resume", async (t) => {
    const both = replyCalls([
      { id: "c1", name: "bash", arguments: { command: "echo it ran" } },
      { id: "c2", name: "deploy", arguments: { service: "api" } },
    ])
    const { run, options, endpoint } = await deployPlace(t, [both, bashCall, replyText("done")])
    const halted = await run([
      "run",
      "x",
      ...options,
      "--allow",
      "bash(echo *)",
      "--file",
      "d.run.jsonl",
      "--output",
      "json",
    ])
    assert.deepEqual(
      halted.json.suspended.map(({ kind }: { kind: string }) => kind),
      ["input"],
    )
    assert.equal((await run(["resume", "d.run.jsonl", "--answer", "staging"])).code, 0)
    assert.equal(endpoint.requests.length, 3)
  })
  it("are asked for as an untrusted project says, which allows nothing, and one line says so", async (t) => {
    const { run, write, path, options } = await deployPlace(t, [bashCall])
    mkdirSync(path(".toolnexus"))
    write(".toolnexus/config.json", { permissions: { allow: ["bash"], ask: ["note"] }, profile: "evil" })
    const ran = await run(["run", "x", ...options])
    assert.equal(ran.code, 3)
    const lines = ran.err.split("\n").filter((line) => line.includes("not trusted"))
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? "", /not: profile, permissions\.allow/)
  })
})

describe("the file and the state folder", () => {
  it("a file in use is refused with exit 5, naming who holds it", async (t) => {
    const { halt, run, path } = await deployPlace(t)
    await halt()
    const journal = await openRun(path("d.run.jsonl"))
    try {
      const ran = await run(["resume", "d.run.jsonl", "--answer", "staging", "--output", "json"])
      assert.deepEqual([ran.code, ran.json.error.code], [5, "in_use"])
      assert.match(ran.json.error.message, new RegExp(String(process.pid)))
      assert.equal((await run(["runs", "show", "d.run.jsonl"])).code, 0)
    } finally {
      await journal.close()
    }
  })
  it("without a usable state folder a run with --file goes on, and says what that means", async (t) => {
    const { run, options, write } = await deployPlace(t)
    const env = { TOOLNEXUS_STATE_DIR: write("state-is-a-file", "x") }
    assert.equal((await run(["run", "x", ...options], { env })).code, 2)
    const ran = await run(["run", "x", ...options, "--file", "d.run.jsonl"], { env })
    assert.equal(ran.code, 3)
    assert.match(ran.err, /is not remembered, so a resume needs the same options again/)
  })
  it("what is remembered holds the variable's name and never the key", async (t) => {
    const { run, options, path, endpoint } = await deployPlace(t, [deployCall, replyText("done")])
    const env = { MY_KEY: "sk-very-secret" }
    await run(["run", "x", ...options, "--file", "d.run.jsonl", "--api-key-env", "MY_KEY"], { env })
    const [name = ""] = readdirSync(path("state/known"))
    const remembered = readFileSync(path(`state/known/${name}`), "utf8")
    assert.match(remembered, /MY_KEY/)
    assert.doesNotMatch(remembered + readFileSync(path("d.run.jsonl"), "utf8"), /sk-very-secret/)
    assert.match((await run(["resume", "d.run.jsonl", "--answer", "a"])).err, /MY_KEY, which is not set/)
    await run(["resume", "d.run.jsonl", "--answer", "a"], { env })
    assert.deepEqual(
      endpoint.requests.map(({ headers }) => headers.authorization),
      Array(2).fill("Bearer sk-very-secret"),
    )
  })
})
