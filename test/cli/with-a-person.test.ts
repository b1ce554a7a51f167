import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { replyCalls, replyText, type Step, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { place, TOOLS } from "./command-line.ts"

const deployCall = replyCalls([{ id: "c1", name: "deploy", arguments: { service: "api" } }])
const bashCall = replyCalls([{ id: "c1", name: "bash", arguments: { command: "echo it ran" } }])

async function deployPlace(t: TestContext, steps: Step[] = [deployCall, replyText("It is deployed.")]) {
  const endpoint = await scriptedEndpoint(steps).listen()
  t.after(() => endpoint.close())
  const here = place(t)
  here.write("tools.mjs", TOOLS)
  const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--tools", "tools.mjs", "--file", "d.run.jsonl"]
  return { ...here, endpoint, options }
}

describe("a run with a person at the terminal", () => {
  it("goes on with what is typed, and stdout holds the result only", async (t) => {
    const { start, options, endpoint } = await deployPlace(t)
    const run = start(["run", "deploy it", ...options])
    await run.shows("Which environment?")
    run.type("staging")
    run.type("\r")
    const ran = await run.ran
    assert.deepEqual([ran.code, ran.out], [0, "It is deployed.\n"])
    assert.equal(endpoint.requests[1]?.body.messages.at(-1).content, "deployed api to staging")
  })
  it("tells the model of a Ctrl-C at the question, and goes on", async (t) => {
    const { start, options, endpoint } = await deployPlace(t)
    const run = start(["run", "deploy it", ...options])
    await run.shows("Which environment?")
    run.type("\x03")
    assert.equal((await run.ran).code, 0)
    assert.match(endpoint.requests[1]?.body.messages.at(-1).content, /^declined\/expired: Which environment\?/)
  })
  it("halts with exit 3 when the person leaves it for later", async (t) => {
    const { start, options, endpoint, run: runAgain } = await deployPlace(t)
    const run = start(["run", "deploy it", ...options])
    await run.shows("Which environment?")
    run.type("\x04")
    const ran = await run.ran
    assert.equal(ran.code, 3)
    assert.match(ran.err, /^halted: waiting for a person\n {2}Which environment\?\n/m)
    assert.equal(ran.lastLine, "toolnexus resume d.run.jsonl")
    assert.equal(endpoint.requests.length, 1)
    assert.equal((await runAgain(["resume", "d.run.jsonl", "--answer", "staging"])).code, 0)
  })
  it("is asked in a resume, in the same file", async (t) => {
    const { start, run, options } = await deployPlace(t)
    assert.equal((await run(["run", "deploy it", ...options])).code, 3)
    const resumed = start(["resume", "d.run.jsonl"])
    await resumed.shows("Which environment?")
    resumed.type("staging")
    resumed.type("\r")
    assert.deepEqual([(await resumed.ran).code, (await resumed.ran).out], [0, "It is deployed.\n"])
  })
  it("leaves the question open on a signal, and exits with the signal's code", async (t) => {
    for (const [signal, code] of [
      ["SIGTERM", 143],
      ["SIGHUP", 129],
      ["SIGINT", 130],
    ] as const) {
      const { start, options, read } = await deployPlace(t)
      const run = start(["run", "deploy it", ...options])
      await run.shows("Which environment?")
      run.signal(signal)
      const ran = await run.ran
      assert.equal(ran.code, code)
      assert.equal(ran.lastLine, "toolnexus resume d.run.jsonl")
      assert.match(read("d.run.jsonl"), /run\.halted/)
    }
  })
  it("asks about a command before it runs, and runs it when it is approved", async (t) => {
    const { run, options, endpoint, start } = await deployPlace(t, [bashCall, replyText("done")])
    assert.equal((await run(["run", "x", ...options])).code, 3)
    const resumed = start(["resume", "d.run.jsonl"])
    await resumed.shows("echo it ran")
    resumed.type("\x1b[B")
    resumed.type("\r")
    assert.equal((await resumed.ran).code, 0)
    assert.match(endpoint.requests[1]?.body.messages.at(-1).content, /^it ran/)
  })
})

describe("a signal at a question while a call runs", () => {
  const SLOW = `export default ({ defineTool, pending }) => [
    defineTool({ name: "ask", description: "asks", run: () => pending({ kind: "input", prompt: "Which?" }) }),
    defineTool({ name: "slow", description: "waits for its signal", run: (_args, { signal }) =>
      new Promise((resolve) => {
        const stop = () => resolve("stopped")
        signal.aborted ? stop() : signal.addEventListener("abort", stop)
      }) }),
  ]`
  const both = replyCalls([
    { id: "c1", name: "ask", arguments: {} },
    { id: "c2", name: "slow", arguments: {} },
  ])
  it("SIGTERM leaves the question open and stops the call soon after", async (t) => {
    const { start, write, options, read } = await deployPlace(t, [both])
    write("tools.mjs", SLOW)
    const run = start(["run", "x", ...options])
    await run.shows("Which?")
    run.signal("SIGTERM")
    run.signal("SIGTERM") // the kernel's and a parent's are one
    assert.deepEqual(run.exits, [])
    run.pass(500)
    assert.equal((await run.ran).code, 143)
    assert.match(read("d.run.jsonl"), /"output":"stopped"/)
  })
})

describe("answer with a person at the terminal", () => {
  it("records what is typed and does not go on", async (t) => {
    const { start, run, options, endpoint } = await deployPlace(t)
    await run(["run", "deploy it", ...options])
    const answering = start(["answer", "d.run.jsonl"])
    await answering.shows("Which environment?")
    answering.type("staging")
    answering.type("\r")
    const ran = await answering.ran
    assert.equal(ran.code, 0)
    assert.equal(ran.lastLine, "toolnexus resume d.run.jsonl")
    assert.equal(endpoint.requests.length, 1)
    assert.deepEqual((await run(["resume", "d.run.jsonl"])).out, "It is deployed.\n")
  })
  it("changes nothing where nobody answers, exit 3", async (t) => {
    const { run, read, options } = await deployPlace(t)
    await run(["run", "deploy it", ...options])
    const before = read("d.run.jsonl")
    const ran = await run(["answer", "d.run.jsonl"])
    assert.equal(ran.code, 3)
    assert.match(ran.err, /there is no terminal/)
    assert.equal(read("d.run.jsonl"), before)
  })
  it("refuses a secret, and a halted result", async (t) => {
    const tokenCall = replyCalls([{ id: "c1", name: "token", arguments: {} }])
    const { run, read, write, options } = await deployPlace(t, [tokenCall])
    const { json } = await run(["run", "x", ...options, "--output", "json"])
    const before = read("d.run.jsonl")
    const given = ["answer", "d.run.jsonl", "--answer-env", `${json.pending.id}=TOKEN`]
    const ran = await run(given, { env: { TOKEN: "hunter2" } })
    assert.equal(ran.code, 5)
    assert.equal(read("d.run.jsonl"), before)
    write("halted.json", { messages: [] })
    assert.match(
      (await run(["answer", "halted.json", "--answer", "x"])).err,
      /no run file: toolnexus resume goes on with it/,
    )
  })
})

describe("Ctrl-C while the model works", () => {
  it("stops the turn and saves, exit 130; a resume goes on", async (t) => {
    let working = () => {}
    const reached = new Promise<void>((resolve) => {
      working = resolve
    })
    const hang: Step = () => {
      working()
      return { end: "hang" }
    }
    const { start, run, options } = await deployPlace(t, [hang, replyText("done")])
    const stopped = start(["run", "deploy it", ...options])
    await reached
    stopped.signal("SIGINT")
    const ran = await stopped.ran
    assert.equal(ran.code, 130)
    assert.match(ran.err, /stopping and saving/)
    assert.equal(ran.lastLine, "toolnexus resume d.run.jsonl")
    assert.deepEqual(stopped.exits, [])
    assert.equal((await run(["resume", "d.run.jsonl"])).out, "done\n")
  })
  it("a second one ends at once", async (t) => {
    let working = () => {}
    const begun = new Promise<void>((resolve) => {
      working = resolve
    })
    const meeting: Step = () => {
      working()
      return { end: "hang" }
    }
    const slowCall = replyCalls([{ id: "c1", name: "slow", arguments: {} }])
    const { start, write, options, endpoint } = await deployPlace(t, [slowCall, meeting])
    write(
      "tools.mjs",
      `export default ({ defineTool }) => [
        defineTool({ name: "slow", description: "s", run: () => fetch(${JSON.stringify(endpoint.baseUrl)}) }),
      ]`,
    )
    const run = start(["run", "x", ...options])
    await begun
    run.signal("SIGINT")
    assert.deepEqual(run.exits, [])
    run.signal("SIGINT")
    assert.deepEqual(run.exits, [130])
    assert.equal((await run.ran).code, 130)
  })
})

describe("without an endpoint", () => {
  it("a person is offered the demo model", async (t) => {
    const { start } = place(t)
    const run = start(["run", "hello"])
    await run.shows("demo model")
    run.type("\x1b[B")
    run.type("\r")
    await run.shows("What should the demo")
    run.type("\x04")
    const ran = await run.ran
    assert.equal(ran.code, 3)
    assert.match(ran.err, /not a language model/)
  })
  it("and who declines it is told how to configure one, exit 2", async (t) => {
    const { start } = place(t)
    const run = start(["run", "hello"])
    await run.shows("demo model")
    run.type("\x03")
    const ran = await run.ran
    assert.equal(ran.code, 2)
    assert.match(ran.err, /--base-url/)
  })
})

describe("on a terminal", () => {
  it("text is streamed once, with nothing in it obeyed", async (t) => {
    const { run, options, endpoint } = await deployPlace(t, [replyText("a\x1b[2Kb\u202Ec\td\n")])
    const ran = await run(["run", "x", ...options], { streamsAreTerminals: true })
    assert.equal(ran.out, "a<U+001B>[2Kb<U+202E>c\td\n")
    assert.equal(endpoint.requests[0]?.body.stream, true)
  })
  it("--no-stream prints it at the end", async (t) => {
    const { run, options, endpoint } = await deployPlace(t, [replyText("whole")])
    const ran = await run(["run", "x", ...options, "--no-stream"], { streamsAreTerminals: true })
    assert.equal(ran.out, "whole\n")
    assert.notEqual(endpoint.requests[0]?.body.stream, true)
  })
  it("what a tool's name or a prompt holds is not obeyed on stderr either", async (t) => {
    const { run, options } = await deployPlace(t, [
      replyCalls([{ id: "c", name: "x\x1b[2K", arguments: { a: "\u202E" } }]),
      replyText("ok"),
    ])
    const ran = await run(["run", "x", ...options], { streamsAreTerminals: true })
    assert.doesNotMatch(ran.err, /[\x1b\u202E]/)
  })
})
