import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { test } from "node:test"
import { KEYS } from "../support/pty.ts"
import { type RecordedRequest, replyCalls, replyText } from "../support/scripted-endpoint.ts"
import { TOOLS_MODULE, workplace } from "../support/workplace.ts"

/** The line that names the keys: it appears when they count. */
const KEYS_COUNT = /Enter (sends|confirms)/
const deploys = replyCalls([{ id: "c1", name: "deploy", arguments: {} }])

/** The tool results that a request carried, in order. */
function results(request: RecordedRequest | undefined): string[] {
  return (request?.body.messages ?? [])
    .filter(({ role }: { role: string }) => role === "tool")
    .map(({ content }: { content: string }) => content)
}

test("run, question, typed answer, final text, exit 0", async (t) => {
  const work = await workplace(t, [deploys, replyText("all done")])
  work.write("tools.mjs", TOOLS_MODULE)
  const pty = work.terminal(["run", "--tools", "tools.mjs", "deploy it"])
  await pty.waitFor("Which environment?")
  await pty.waitFor(KEYS_COUNT)
  pty.type("staging")
  await pty.waitFor("staging")
  pty.type(KEYS.enter)
  await pty.waitFor("all done")
  assert.deepEqual(await pty.exit, { code: 0, signal: undefined })
  assert.deepEqual(results(work.endpoint.requests[1]), ["deployed to staging"])
})

test("Ctrl-C at a question declines it: the model is told, and the run goes on", async (t) => {
  const work = await workplace(t, [deploys, replyText("all done")])
  work.write("tools.mjs", TOOLS_MODULE)
  const pty = work.terminal(["run", "--tools", "tools.mjs", "deploy it"])
  await pty.waitFor(KEYS_COUNT)
  pty.type(KEYS.ctrlC)
  await pty.waitFor("all done")
  assert.equal((await pty.exit).code, 0)
  assert.match(results(work.endpoint.requests[1])[0] ?? "", /^declined\/expired: Which environment\?/)
})

test("twice Ctrl-C by habit declines one question only", async (t) => {
  const both = replyCalls([
    { id: "c1", name: "deploy", arguments: {} },
    { id: "c2", name: "name_it", arguments: {} },
  ])
  const work = await workplace(t, [both, replyText("all done")])
  work.write("tools.mjs", TOOLS_MODULE)
  const pty = work.terminal(["run", "--tools", "tools.mjs", "deploy it"])
  await pty.waitFor(KEYS_COUNT)
  pty.type(KEYS.ctrlC)
  pty.type(KEYS.ctrlC)
  await pty.waitFor((screen) => /What name\?[\s\S]*Enter sends/.test(screen))
  pty.type("bob")
  await pty.waitFor("bob")
  pty.type(KEYS.enter)
  await pty.waitFor("all done")
  assert.equal((await pty.exit).code, 0)
  const [first, second] = results(work.endpoint.requests[1])
  assert.match(first ?? "", /^declined\/expired/)
  assert.equal(second, "named bob")
})

test("Ctrl-D in an empty field leaves it for later: exit 3, a file, and the resume command that works in a new terminal", async (t) => {
  const work = await workplace(t, [deploys, replyText("all done")])
  work.write("tools.mjs", TOOLS_MODULE)
  const pty = work.terminal(["run", "--tools", "tools.mjs", "deploy it"], { columns: 200 })
  await pty.waitFor(KEYS_COUNT)
  pty.type(KEYS.ctrlD)
  assert.equal((await pty.exit).code, 3)
  const command = pty.screen().split("\n").at(-1) ?? ""
  assert.match(command, /resume /)
  const [file = ""] = work.runs()
  assert.ok(command.includes(file), `${file} in ${command}`)
  const again = work.shell(command.replace(/^.*?toolnexus(\.js)?/, "toolnexus"))
  await again.waitFor(KEYS_COUNT)
  again.type("staging")
  await again.waitFor("staging")
  again.type(KEYS.enter)
  await again.waitFor("all done")
  assert.equal((await again.exit).code, 0)
  assert.deepEqual(results(work.endpoint.requests[1]), ["deployed to staging"])
})

test("two questions of one turn are asked one after the other, beside a call that runs for two seconds", async (t) => {
  const turn = replyCalls([
    { id: "c1", name: "deploy", arguments: {} },
    { id: "c2", name: "wait", arguments: {} },
    { id: "c3", name: "name_it", arguments: {} },
  ])
  const work = await workplace(t, [turn, replyText("all done")])
  work.write("tools.mjs", TOOLS_MODULE)
  const pty = work.terminal(["run", "--tools", "tools.mjs", "deploy it"])
  await pty.waitFor((screen) => /Which environment\?[\s\S]*Enter sends/.test(screen))
  pty.type("prod")
  await pty.waitFor("prod")
  pty.type(KEYS.enter)
  await pty.waitFor((screen) => /What name\?[\s\S]*Enter sends/.test(screen))
  pty.type("bob")
  await pty.waitFor("bob")
  pty.type(KEYS.enter)
  await pty.waitFor("all done")
  assert.deepEqual(results(work.endpoint.requests[1]), ["deployed to prod", "waited", "named bob"])
})

test("with stdin piped into the prompt and stdout to a file, the person still answers at the terminal", async (t) => {
  const work = await workplace(t, [deploys, replyText("all done")])
  work.write("tools.mjs", TOOLS_MODULE)
  const pty = work.shell("echo 'deploy it' | toolnexus run --tools tools.mjs - > out.txt; echo code $?")
  await pty.waitFor(KEYS_COUNT)
  pty.type("staging")
  await pty.waitFor("staging")
  pty.type(KEYS.enter)
  await pty.waitFor("code 0")
  assert.equal(work.read("out.txt"), "all done\n")
  assert.equal(work.endpoint.requests[0]?.body.messages.at(-1).content.trim(), "deploy it")
})

test("Enter pressed before and right after an approval appears approves nothing", async (t) => {
  const asks = replyCalls([{ id: "c1", name: "bash", arguments: { command: "echo ran > ran.txt" } }])
  const work = await workplace(t, [asks, replyText("all done")])
  const pty = work.terminal(["run", "do it"])
  pty.type(KEYS.enter)
  await pty.waitFor("echo ran")
  pty.type(KEYS.enter)
  pty.type(KEYS.enter)
  await pty.waitFor(KEYS_COUNT)
  pty.type(KEYS.down) // had one of them approved, there would be no list to move in
  await pty.waitFor("> 1. Approve once")
  pty.type(KEYS.ctrlC)
  await pty.waitFor("all done")
  assert.match(results(work.endpoint.requests[1])[0] ?? "", /^declined\/expired/)
  assert.throws(() => work.read("ran.txt"))
})

test("text typed into a text field before its keys count is kept", async (t) => {
  const work = await workplace(t, [deploys, replyText("all done")])
  work.write("tools.mjs", TOOLS_MODULE)
  const pty = work.terminal(["run", "--tools", "tools.mjs", "deploy it"])
  await pty.waitFor("Which environment?")
  for (const key of "stag") pty.type(key)
  await pty.waitFor(KEYS_COUNT)
  await pty.waitFor("stag")
  pty.type("ing")
  await pty.waitFor("staging")
  pty.type(KEYS.enter)
  await pty.waitFor("all done")
  assert.deepEqual(results(work.endpoint.requests[1]), ["deployed to staging"])
})

test("Ctrl-Z stops the program; fg shows the question again with what was typed", async (t) => {
  const work = await workplace(t, [deploys, replyText("all done")])
  work.write("tools.mjs", TOOLS_MODULE)
  const pty = work.shell("set -m; toolnexus run --tools tools.mjs 'deploy it'; echo stopped; fg; echo code $?")
  await pty.waitFor(KEYS_COUNT)
  pty.type("stag")
  await pty.waitFor("stag")
  pty.type(KEYS.ctrlZ)
  await pty.waitFor((screen) => /stopped[\s\S]*stag[\s\S]*Enter sends/i.test(screen))
  pty.type("ing")
  await pty.waitFor("staging")
  pty.type(KEYS.enter)
  await pty.waitFor("code 0")
  assert.deepEqual(results(work.endpoint.requests[1]), ["deployed to staging"])
})

test("Ctrl-C while the model works stops the turn and saves: exit 130, and the run can be resumed", async (t) => {
  const work = await workplace(t, [{ sse: ": thinking\n\n", end: "hang" }, replyText("all done")])
  const pty = work.terminal(["run", "think"], { columns: 200 })
  await pty.waitFor(() => work.endpoint.requests.length === 1)
  pty.type(KEYS.ctrlC)
  assert.equal((await pty.exit).code, 130)
  const [file = ""] = work.runs()
  assert.match(readFileSync(file, "utf8"), /"type":"run.interrupted"/)
  const again = work.terminal(["resume", file])
  await again.waitFor("all done")
  assert.equal((await again.exit).code, 0)
})

test("the demo takes a person through a question, an approval and a report, offline", async (t) => {
  const work = await workplace(t, [])
  const pty = work.terminal(["run", "--model", "demo"], {
    rows: 60,
    columns: 100,
    env: { TOOLNEXUS_BASE_URL: undefined, TOOLNEXUS_MODEL: undefined },
  })
  await pty.waitFor(/not a language model/i)
  const asked = await pty.waitFor(KEYS_COUNT)
  assert.equal(asked.match(/The date/g)?.length, 1)
  assert.equal(asked.match(/runs: date/g)?.length, 1)
  pty.type("1")
  await pty.waitFor("> 1.")
  pty.type(KEYS.enter)
  await pty.waitFor((screen) => /Approve once[\s\S]*Enter confirms/.test(screen))
  pty.type("1")
  await pty.waitFor("> 1. Approve once")
  pty.type(KEYS.enter)
  await pty.waitFor("--base-url")
  assert.equal((await pty.exit).code, 0)
  assert.equal(work.endpoint.requests.length, 0)
  const all = pty.scrollback()
  assert.equal(all.match(/not a language model/g)?.length, 1)
  assert.match(all, /^question: allowed by default$/m)
  const [file = ""] = work.runs()
  assert.ok(all.replaceAll("\n", "").includes(`runs show ${file}`), "it says where its run is")
})

test("a terminal that is closed leaves the question open: the run is saved, and the program does not abort", async (t) => {
  const work = await workplace(t, [deploys])
  work.write("tools.mjs", TOOLS_MODULE)
  execFileSync("mkfifo", [`${work.folder}/code`])
  const pty = work.shell("trap '' HUP; toolnexus run --tools tools.mjs 'deploy it'; echo $? > code")
  await pty.waitFor(KEYS_COUNT)
  const code = readFile(`${work.folder}/code`, "utf8")
  pty.hangUp()
  assert.match(await code, /^(3|129)\n$/)
  const [file = ""] = work.runs()
  assert.match(readFileSync(file, "utf8"), /"type":"run.halted"/)
})
