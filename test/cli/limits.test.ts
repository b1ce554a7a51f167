import assert from "node:assert/strict"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { describe, it, type TestContext, test } from "node:test"
import { setImmediate as nextTurn } from "node:timers/promises"
import { KEYS } from "../support/pty.ts"
import { replyCalls, replyText, type Step, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { workplace } from "../support/workplace.ts"
import { place, TOOLS } from "./command-line.ts"

const note = (text: string, id = "c1") => ({ id, name: "note", arguments: { text } })
const notes = (...texts: string[]) => replyCalls(texts.map((text, at) => note(text, `c${at + 1}`)))
/** A turn that no other repeats. */
const turn = (at: number): Step => notes(`n${at}`)

const SLOW = `import { writeFileSync } from "node:fs"
export default ({ defineTool }) => [
  defineTool({ name: "note", description: "notes", run: () => "noted" }),
  defineTool({ name: "slow", description: "waits for its signal", run: (_args, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve("stopped"))
      writeFileSync("at-work", "")
    }) }),
]`

async function noting(t: TestContext, steps: readonly Step[]) {
  const endpoint = await scriptedEndpoint(steps).listen()
  t.after(() => endpoint.close())
  const here = place(t)
  here.write("tools.mjs", TOOLS)
  const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--tools", "tools.mjs", "--file", "n.run.jsonl"]
  return { ...here, endpoint, options }
}

describe("a limit that is reached with a person at the terminal", () => {
  it("is asked about with what was used, and the run goes on in the same process and file", async (t) => {
    const { start, options, read, endpoint } = await noting(t, [turn(1), turn(2), turn(3), turn(4), replyText("done")])
    const run = start(["run", "x", ...options, "--max-turns", "2"])
    await run.shows("2 turns are used up. Go on?")
    run.type("\r") // nothing is highlighted: Enter does nothing
    run.type("1")
    run.type("\r")
    await run.shows("4 turns are used up. Go on?")
    run.type("1")
    run.type("\r")
    const ran = await run.ran
    assert.deepEqual([ran.code, ran.out, endpoint.requests.length], [0, "done\n", 5])
    const limits = read("n.run.jsonl").match(/"type":"run.resumed"[^\n]*"maxTurns":\d+/g)
    assert.deepEqual(
      limits?.map((line) => line.match(/\d+$/)?.[0]),
      ["4", "6"],
    )
  })

  it("ends the run with exit 4 and the resume command, whichever way the person says no", async (t) => {
    for (const keys of [["2", "\r"], ["\x03"], ["\x04"]]) {
      const { start, run: again, options } = await noting(t, [turn(1), turn(2), replyText("done")])
      const run = start(["run", "x", ...options, "--max-turns", "1"])
      await run.shows("1 turn is used up. Go on?")
      for (const key of keys) run.type(key)
      const ran = await run.ran
      assert.deepEqual([ran.code, ran.lastLine], [4, "toolnexus resume n.run.jsonl --max-turns 2"])
      assert.match(ran.err, /stopped at --max-turns/)
      assert.equal((await again(["resume", "n.run.jsonl", "--max-turns", "9"])).code, 0)
    }
  })

  it("a signal at the question ends with the signal's code", async (t) => {
    const { start, options } = await noting(t, [turn(1)])
    const run = start(["run", "x", ...options, "--max-turns", "1"])
    await run.shows("Go on?")
    run.signal("SIGTERM")
    assert.equal((await run.ran).code, 143)
  })

  it("says of tool calls how many are waiting, and of a repeated call which it is; other limits stay raised", async (t) => {
    const again = notes("again")
    const { start, options, read } = await noting(t, [notes("a", "b", "c"), again, again, again, replyText("done")])
    const run = start(["run", "x", ...options, "--max-tool-calls", "2", "--max-repeats", "2"])
    await run.shows("2 tool calls are used up, and the model asks for 1 more. Go on?")
    run.type("1")
    run.type("\r")
    await run.shows("4 tool calls are used up")
    run.type("1")
    run.type("\r")
    await run.shows("The model makes the same call more than 2 times in a row: note again.")
    run.type("1")
    run.type("\r")
    const ran = await run.ran
    assert.deepEqual([ran.code, ran.out], [0, "done\n"])
    assert.match(read("n.run.jsonl"), /"limits":\{"maxTurns":100,"maxToolCalls":6,"maxRepeats":4\}/)
  })

  it("is asked by resume too, and the tokens that were used count", async (t) => {
    const { start, run, options } = await noting(t, [turn(1), turn(2), replyText("done")])
    assert.equal((await run(["run", "x", ...options, "--max-tokens", "7"])).code, 4)
    const resumed = start(["resume", "n.run.jsonl"])
    await resumed.shows("7 tokens are used up. Go on?")
    await resumed.shows("Go on with 7 more")
    resumed.type("1")
    resumed.type("\r")
    await resumed.shows("14 tokens are used up. Go on?")
    resumed.type("1")
    resumed.type("\r")
    assert.deepEqual([(await resumed.ran).code, (await resumed.ran).out], [0, "done\n"])
  })

  it("is asked about when the time is up; what was stopped has its result, and waiting for the person takes no time", async (t) => {
    const slow = replyCalls([{ id: "c1", name: "slow", arguments: {} }])
    const { start, options, endpoint, path, write } = await noting(t, [slow, turn(1), replyText("done")])
    write("tools.mjs", SLOW)
    const run = start(["run", "x", ...options, "--timeout", "10m"])
    while (!existsSync(path("at-work"))) await nextTurn()
    run.pass(600_000)
    await run.shows("10 minutes of work are used up. Go on?")
    await run.shows("Go on with 10 minutes more")
    run.pass(3_600_000)
    run.type("1")
    run.type("\r")
    assert.deepEqual([(await run.ran).code, (await run.ran).out], [0, "done\n"])
    assert.equal(endpoint.requests[1]?.body.messages.at(-1).content, "stopped")
  })

  it("is not asked about with --no-input, nor where the context is full", async (t) => {
    const full = { status: 400, body: { error: { message: "too long", code: "context_length_exceeded" } } }
    const { start, options } = await noting(t, [turn(1), full])
    const quiet = start(["run", "x", ...options.slice(0, -1), "a.run.jsonl", "--max-turns", "1", "--no-input"])
    assert.equal((await quiet.ran).code, 4)
    const context = start(["run", "x", ...options])
    assert.equal((await context.ran).code, 4)
    assert.match((await context.ran).err, /does not fit the model's context/)
  })
})

describe("a model that loops, with nobody there", () => {
  it("is stopped at the fifth same call in a row, and the JSON names the limit", async (t) => {
    const { run, options, endpoint } = await noting(t, [notes("again")])
    const ran = await run(["run", "x", ...options, "--output", "json"])
    assert.deepEqual([ran.code, ran.json.status, ran.json.limit, ran.json.turns], [4, "incomplete", "maxRepeats", 6])
    assert.equal(endpoint.requests.length, 6)
    assert.match(ran.err, /stopped at --max-repeats: the same call came too often in a row/)
    assert.equal((await run(["resume", "n.run.jsonl", "--max-repeats", "7", "--output", "json"])).json.turns, 8)
  })

  it("is stopped after 100 turns that are all different", async (t) => {
    let count = 0
    const { run, options } = await noting(t, [() => turn(count++)])
    const ran = await run(["run", "x", ...options, "--output", "json"])
    assert.deepEqual([ran.code, ran.json.limit, ran.json.turns, count], [4, "maxTurns", 100, 100])
  })

  it("is stopped at 500 calls, however many it makes at once; what was done is kept and the rest can go on", async (t) => {
    let count = 0
    const many = () => notes(...Array.from({ length: 200 }, () => `n${count++}`))
    const { run, options, endpoint } = await noting(t, [many, many, many, replyText("done")])
    const ran = await run(["run", "x", ...options, "--output", "json"])
    assert.deepEqual([ran.code, ran.json.limit, ran.json.toolCallCount], [4, "maxToolCalls", 600])
    const done = await run(["resume", "n.run.jsonl", "--max-tool-calls", "600", "--output", "json"])
    assert.deepEqual([done.code, done.json.status], [0, "done"])
    const results = endpoint.requests.at(-1)?.body.messages.filter(({ role }: { role: string }) => role === "tool")
    assert.deepEqual(new Set(results.map(({ content }: { content: string }) => content)), new Set(["noted"]))
  })

  it("limits of the configuration count, and a project that is not trusted may only lower what counts without them", async (t) => {
    const { run, options, write, dir } = await noting(t, [notes("again")])
    mkdirSync(`${dir}/.toolnexus`)
    write(".toolnexus/config.json", { limits: { maxRepeats: 50, maxToolCalls: 3 } })
    const ran = await run(["run", "x", ...options, "--output", "json"])
    assert.deepEqual([ran.json.limit, ran.json.toolCallCount], ["maxToolCalls", 4])
    const first = JSON.parse(readFileSync(`${dir}/n.run.jsonl`, "utf8").split("\n")[0] ?? "")
    assert.deepEqual(first.limits, { maxTurns: 100, maxToolCalls: 3, maxRepeats: 5 })
  })
})

describe("the resume command that stands last after a limit, run as it stands", () => {
  const asPrinted = (line: string) => line.split(" ").slice(1)

  it("goes on instead of stopping at the same limit at once, and stands so in runs show and answer too", async (t) => {
    const again = notes("again")
    const cases: readonly (readonly [given: string[], steps: Step[], option: string])[] = [
      [["--max-turns", "2"], [turn(1), turn(2), replyText("done")], "--max-turns 4"],
      [["--max-tokens", "7"], [turn(1), replyText("done")], "--max-tokens 14"],
      [["--max-tool-calls", "2"], [notes("a", "b", "c"), replyText("done")], "--max-tool-calls 4"],
      [["--max-repeats", "2"], [again, again, again, replyText("done")], "--max-repeats 4"],
    ]
    for (const [given, steps, option] of cases) {
      const { run, options } = await noting(t, steps)
      const ran = await run(["run", "x", ...options, ...given])
      assert.deepEqual([ran.code, ran.lastLine], [4, `toolnexus resume n.run.jsonl ${option}`])
      assert.match(ran.err, /stopped at --max-.*; to go on with \d more:\n/)
      assert.equal((await run(["runs", "show", "n.run.jsonl"])).lastLine, ran.lastLine)
      assert.equal((await run(["answer", "n.run.jsonl"])).lastLine, ran.lastLine)
      const resumed = await run(asPrinted(ran.lastLine))
      assert.deepEqual([resumed.code, resumed.out], [0, "done\n"])
    }
  })

  it("goes on after a lower limit that was given to a resume too", async (t) => {
    const { run, options } = await noting(t, [notes("a", "b", "c"), notes("d", "e", "f"), replyText("done")])
    await run(["run", "x", ...options, "--max-tool-calls", "1"])
    await run(["resume", "n.run.jsonl", "--max-tool-calls", "5"])
    const lower = await run(["resume", "n.run.jsonl", "--max-tool-calls", "2"])
    assert.deepEqual([lower.code, lower.lastLine], [4, "toolnexus resume n.run.jsonl --max-tool-calls 6"])
    assert.equal((await run(asPrinted(lower.lastLine))).out, "done\n")
  })

  it("names what may help where the context is full, which no option raises", async (t) => {
    const full = { status: 400, body: { error: { message: "too long", code: "context_length_exceeded" } } }
    const { run, options } = await noting(t, [turn(1), full, replyText("done")])
    const ran = await run(["run", "x", ...options])
    assert.match(ran.err, /a model that takes more may go on \(add --model NAME\):\ntoolnexus resume n\.run\.jsonl\n$/)
    assert.equal((await run([...asPrinted(ran.lastLine), "--model", "big"])).out, "done\n")
  })

  it("raises the time, as a duration that is read again", async (t) => {
    const slow = replyCalls([{ id: "c1", name: "slow", arguments: {} }])
    const { start, run: again, options, path, write } = await noting(t, [slow, replyText("done")])
    write("tools.mjs", SLOW)
    const run = start(["run", "x", ...options, "--timeout", "90s", "--no-input"])
    while (!existsSync(path("at-work"))) await nextTurn()
    run.pass(90_000)
    const ran = await run.ran
    assert.deepEqual([ran.code, ran.lastLine], [4, "toolnexus resume n.run.jsonl --timeout 3m"])
    assert.equal((await again(asPrinted(ran.lastLine))).out, "done\n")
  })
})

test("in a real terminal a limit asks, nothing is highlighted, and the run goes on", async (t) => {
  const steps = [1, 2].map((at) => replyCalls([{ id: `c${at}`, name: "read", arguments: { path: `${at}.txt` } }]))
  const work = await workplace(t, [...steps, replyText("all done")])
  const pty = work.terminal(["run", "look around", "--max-turns", "1"])
  await pty.waitFor("Go on?")
  pty.type(KEYS.enter)
  await pty.waitFor("Enter confirms")
  assert.doesNotMatch(pty.screen(), /^>/m)
  pty.type("1")
  await pty.waitFor("> 1. Go on with 1 more")
  pty.type(KEYS.enter)
  await pty.waitFor("2 turns are used up. Go on?")
  await pty.waitFor("Enter confirms")
  pty.type("2")
  await pty.waitFor("> 2. Stop here")
  pty.type(KEYS.enter)
  const { code } = await pty.exit
  assert.equal(code, 4)
  assert.match(pty.scrollback(), /A limit is reached\n[\s\S]*stopped at --max-turns[\s\S]*resume [\s\S]* --max-turns 3/)
})
