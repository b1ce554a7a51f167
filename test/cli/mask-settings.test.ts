import assert from "node:assert/strict"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { replyCalls, replyText, type Step, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { place } from "./command-line.ts"

const CONFIG = join("config", "toolnexus", "config.json")
const PROJECT = join(".toolnexus", "config.json")

async function working(t: TestContext, steps: readonly Step[]) {
  const endpoint = await scriptedEndpoint(steps).listen()
  t.after(() => endpoint.close())
  const here = place(t)
  mkdirSync(here.path(join("config", "toolnexus")), { recursive: true })
  mkdirSync(here.path(".toolnexus"))
  here.write("notes.txt", "see TICKET-77 and AKIA0123456789ABCDEF\n")
  const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--file", "w.run.jsonl"]
  return {
    ...here,
    endpoint,
    options,
    told: (at: number): string => endpoint.requests[at]?.body.messages.at(-1).content,
  }
}

const reads = replyCalls([{ id: "c1", name: "read", arguments: { path: "notes.txt" } }])

describe("patterns of the configuration", () => {
  it("are masked in what tools say", async (t) => {
    const { run, write, options, told, read } = await working(t, [reads, replyText("done")])
    write(CONFIG, { masks: { TICKET: "TICKET-[0-9]+", AWS: "\\bAKIA[0-9A-Z]{16}\\b" } })
    assert.equal((await run(["run", "x", ...options])).code, 0)
    assert.match(told(1), /see \[masked TICKET\] and \[masked AWS\]/)
    assert.doesNotMatch(read("w.run.jsonl"), /TICKET-77|AKIA0/)
  })

  it("that cannot be used, or would take for ever, are an error that names file and setting", async (t) => {
    const { run, write, options, endpoint } = await working(t, [replyText("done")])
    const refused: [unknown, RegExp][] = [
      ["(", /config\.json: masks\.BAD: Invalid regular expression/],
      ["x*", /masks\.BAD: .*matches the empty text/],
      ["(a+)+b", /masks\.BAD: .*takes too long on a short text/],
      ["", /masks\.BAD must be a text/],
      [7, /masks\.BAD must be a text/],
    ]
    for (const [pattern, message] of refused) {
      write(CONFIG, { masks: { BAD: pattern } })
      const ran = await run(["run", "x", ...options])
      assert.equal(ran.code, 2)
      assert.match(ran.err, message)
    }
    write(CONFIG, { masks: ["x"] })
    assert.match((await run(["run", "x", ...options])).err, /masks must be an object/)
    assert.equal(endpoint.requests.length, 0)
  })

  it("of a project count when it is trusted: what is not could hide anything from the model", async (t) => {
    const { run, write, options, told } = await working(t, [reads, replyText("done"), reads, replyText("done")])
    write(PROJECT, { masks: { TICKET: "TICKET-[0-9]+" } })
    const first = await run(["run", "x", ...options])
    assert.match(first.err, /is not trusted \(not: masks\)/)
    assert.match(told(1), /TICKET-77/)
    await run(["run", "x", ...options.slice(0, -1), "b.run.jsonl", "--trust-project"])
    assert.match(told(3), /\[masked TICKET\]/)
  })
})

describe("arguments that a person edits", () => {
  it("may hold no mark: it is said before they are sent, and they can be edited again", async (t) => {
    const call = replyCalls([{ id: "c1", name: "bash", arguments: { command: "echo one" } }])
    const { start, options, told } = await working(t, [call, replyText("done")])
    const run = start(["run", "x", ...options], { env: { SERVICE_KEY: "correct-horse-battery" } })
    await run.shows("? Run bash?")
    run.type("4")
    run.type("\r")
    await run.shows("\n> ")
    for (let key = 0; key < 40; key++) run.type("\x7f")
    run.type('{"command":"echo [masked SERVICE_KEY]"}')
    run.type("\r")
    await run.shows("[masked SERVICE_KEY] is a mark: put there what it stands for")
    for (let key = 0; key < 40; key++) run.type("\x7f")
    run.type('{"command":"echo two"}')
    run.type("\r")
    await run.shows("? Run bash?")
    run.type("1")
    run.type("\r")
    assert.equal((await run.ran).code, 0)
    assert.match(told(1), /^two\n/)
  })
})
