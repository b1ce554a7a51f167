import assert from "node:assert/strict"
import { chmodSync, existsSync } from "node:fs"
import { describe, it, type TestContext, test } from "node:test"
import { setImmediate as nextTurn } from "node:timers/promises"
import { KEYS } from "../support/pty.ts"
import { replyCalls, replyText, type Step, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { workplace } from "../support/workplace.ts"
import { place, TOOLS } from "./command-line.ts"

const KEY = "correct-horse-battery"
const MARK = "[masked SERVICE_KEY]"
const env = { SERVICE_KEY: KEY }

const bash = (command: string, id = "c1") => ({ id, name: "bash", arguments: { command } })

async function working(t: TestContext, steps: readonly Step[]) {
  const endpoint = await scriptedEndpoint(steps).listen()
  t.after(() => endpoint.close())
  const here = place(t)
  here.write("tools.mjs", TOOLS)
  here.write("service.env", `SERVICE_KEY=${KEY}\nDEBUG=0\n`)
  const address = ["--base-url", endpoint.baseUrl, "--model", "m", "--file", "w.run.jsonl"]
  const script = (name: string, text: string) => chmodSync(here.write(name, `#!/bin/sh\n${text}\n`), 0o755)
  return { ...here, endpoint, script, options: [...address, "--allow", "bash(cat *)", "--allow", "bash(./make)"] }
}

describe("what tools say of a variable whose name says that it is secret", () => {
  it("is a mark in the file, the requests, the progress, runs show and jsonl, and the model may not write it", async (t) => {
    const steps = [
      replyCalls([bash("cat service.env"), { id: "c2", name: "read", arguments: { path: "service.env" } }]),
      replyCalls([{ id: "c3", name: "write", arguments: { path: "copy.env", content: `SERVICE_KEY=${MARK}\n` } }]),
      replyText("done"),
    ]
    const { run, options, endpoint, read, path } = await working(t, steps)
    const ran = await run(["run", "x", ...options, "--allow", "write", "--verbose", "--output", "jsonl"], { env })
    assert.equal(ran.code, 0)
    const shown = await run(["runs", "show", "w.run.jsonl", "--verbose"], { env })
    const sent = endpoint.requests.map(({ text }) => text).join("\n")
    for (const text of [ran.out, ran.err, read("w.run.jsonl"), shown.out, sent]) {
      assert.ok(!text.includes(KEY) && text.includes(MARK), text)
    }
    assert.match(ran.err, /^bash \| SERVICE_KEY=\[masked SERVICE_KEY\]\nbash \| DEBUG=0\n/m)
    const result = endpoint.requests[2]?.body.messages.at(-1).content
    assert.match(result, /^The arguments hold \[masked SERVICE_KEY\]\. .* It was not run, and nobody was asked\./)
    assert.ok(!existsSync(path("copy.env")))
  })

  it("is not masked where a person decides about it", async (t) => {
    const edit = { path: "service.env", oldText: "DEBUG=0", newText: "DEBUG=1" }
    const steps = [replyCalls([{ id: "c1", name: "edit", arguments: edit }]), replyText("done")]
    const { start, options, read } = await working(t, steps)
    const run = start(["run", "x", ...options], { env })
    await run.shows(`SERVICE_KEY=${KEY}`)
    await run.shows("? Run edit?")
    run.type("1")
    run.type("\r")
    assert.equal((await run.ran).code, 0)
    assert.equal(read("service.env"), `SERVICE_KEY=${KEY}\nDEBUG=1\n`)
    assert.ok(!read("w.run.jsonl").includes(KEY))
  })
})

describe("what a command prints while it runs", () => {
  it("is on stderr where that is a terminal or --verbose says so, and not with --quiet; the result is not said again", async (t) => {
    const steps = [replyCalls([bash("./make")]), replyText("done")]
    const shown = async (...flags: string[]) => {
      const { run, options, script } = await working(t, steps)
      script("make", "echo one; echo two; exit 3")
      const streamsAreTerminals = !flags.includes("redirected")
      const given = flags.filter((flag) => flag.startsWith("--"))
      const ran = await run(["run", "x", ...options, ...given], { streamsAreTerminals })
      return ran.err.split("\n").filter((line) => line.startsWith("bash |") || line.startsWith("bash: "))
    }
    assert.deepEqual(await shown(), ["bash | one", "bash | two", "bash: failed: [exit code 3]"])
    assert.deepEqual(await shown("redirected"), ["bash: failed: one two [exit code 3]"])
    assert.deepEqual(await shown("--quiet"), [])
    const verbose = await shown("redirected", "--verbose")
    assert.deepEqual(verbose.slice(0, 3), ["bash | one", "bash | two", "bash: failed: [exit code 3]"])
  })

  it("waits while a question is on the screen", async (t) => {
    const both = replyCalls([bash("./make"), { id: "c2", name: "deploy", arguments: { service: "api" } }])
    const { start, options, write, read, script } = await working(t, [both, replyText("done")])
    script("make", "until [ -e go ]; do sleep 0.02; done; echo printed")
    const given = ["run", "x", ...options, "--tools", "tools.mjs", "--no-stream"]
    const run = start(given, { streamsAreTerminals: true })
    await run.shows("Which environment?")
    write("go", "")
    while (!read("w.run.jsonl").includes('"type":"call.finished"')) await nextTurn()
    assert.doesNotMatch(run.err(), /bash \| printed/)
    run.type("staging")
    run.type("\r")
    const ran = await run.ran
    assert.equal(ran.code, 0)
    assert.match(ran.err, /^bash \| printed$/m)
  })
})

test("in a real terminal a command's output is there before the command has ended", async (t) => {
  const command = "echo begun; until [ -e go ]; do sleep 0.05; done; printf '\\033[31mred\\033[0m'"
  const work = await workplace(t, [replyCalls([bash(command)]), replyText("all done")])
  const pty = work.terminal(["run", "do it", "--allow", "bash"], { env })
  await pty.waitFor("Enter confirms")
  pty.type("1")
  await pty.waitFor("> 1. Approve once")
  pty.type(KEYS.enter)
  await pty.waitFor("bash | begun")
  work.write("go", "")
  await pty.waitFor("all done")
  assert.match(pty.scrollback(), /bash \| begun\nbash \| <U\+001B>\[31mred<U\+001B>\[0m\n/)
})
