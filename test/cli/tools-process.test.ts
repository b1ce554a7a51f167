import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { on, once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import { type AddressInfo, createServer as createSocketServer } from "node:net"
import { resolve } from "node:path"
import { type TestContext, test } from "node:test"
import { KEYS } from "../support/pty.ts"
import { replyCalls, replyText } from "../support/scripted-endpoint.ts"
import { type Workplace, workplace } from "../support/workplace.ts"

const bin = resolve(import.meta.dirname, "../../bin/toolnexus.js")
const KEYS_COUNT = /Enter (sends|confirms)/

/** Calls of these tools in one turn, and then a final text. */
const calling = (...names: string[]) => [
  replyCalls(names.map((name, at) => ({ id: `c${at}`, name, arguments: {} }))),
  replyText("all done"),
]

/** A tools module with these tools: name and function, as source. */
function moduleOf(tools: Record<string, string>, before = ""): string {
  const list = Object.entries(tools).map(
    ([name, run]) => `defineTool({ name: "${name}", description: "d", run: ${run} })`,
  )
  return `import { spawnSync, spawn } from "node:child_process"
${before}
export default ({ defineTool, outputOf, pending }) => [${list.join(",\n")}]
`
}

const ASKS = `(_args, ctx) => ctx.answer ? "deployed to " + outputOf(ctx.answer) : pending({ kind: "input", prompt: "Which environment?" })`

/** The results that the second request carried. */
function results({ endpoint }: Workplace): string[] {
  const messages: { role: string; content: string }[] = endpoint.requests[1]?.body.messages ?? []
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content)
}

/** The program without any terminal, to its end. */
async function program(work: Workplace, args: readonly string[], env: Record<string, string> = {}) {
  const child = start(work, args, env)
  const [out, err] = [text(child.stdout), text(child.stderr)]
  const [code] = await once(child, "close")
  return { code, out: out(), err: err(), lines: err().trimEnd().split("\n") }
}

function start(work: Workplace, args: readonly string[], env: Record<string, string> = {}) {
  const all = { ...process.env, ...work.env, ...env }
  return spawn(process.execPath, [bin, ...args], {
    cwd: work.folder,
    env: all,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  })
}

function text(stream: NodeJS.ReadableStream): () => string {
  let all = ""
  stream.setEncoding("utf8").on("data", (piece) => {
    all += piece
  })
  return () => all
}

/** Where a tool says that it has come to a point, and waits until it may go on from there. */
async function meeting(t: TestContext) {
  const waiting = new Map<string, (response: ServerResponse) => void>()
  const arrived = new Map<string, Promise<ServerResponse>>()
  const at = (name: string): Promise<ServerResponse> => {
    const there = arrived.get(name) ?? within(15_000, name, new Promise((resolve) => waiting.set(name, resolve)))
    arrived.set(name, there)
    return there
  }
  const server = createServer((request, response) => {
    const name = request.url?.slice(1) ?? ""
    at(name)
    waiting.get(name)?.(response)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    /** Source that goes there. */
    goTo: (name: string) => `await fetch("http://127.0.0.1:${port}/${name}")`,
    /** Resolves when the tool is there. */
    at: async (name: string) => void (await at(name)),
    /** Resolves when the process of a tool that is there has ended. */
    gone: async (name: string) => {
      const response = await at(name)
      if (!response.destroyed) await once(response, "close")
    },
    /** Lets it go on, as soon as it is there. */
    leave: async (name: string) => void (await at(name)).end(),
  }
}

async function within<T>(ms: number, what: string, coming: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} has not come within ${ms} ms`)), ms)
  })
  return Promise.race([coming, late]).finally(() => clearTimeout(timer))
}

const PRINTS = `async () => {
  process.stdout.write("out of the tool\\n")
  console.log("\\x1b[31mred")
  console.error("an error line")
  spawnSync("echo", ["out of a child"], { stdio: "inherit" })
  process.stdout.write("no line end")
  return "printed"
}`

test("what a tool and its children print is no part of the result: it is said on stderr, escaped, and not with --quiet", async (t) => {
  const work = await workplace(t, calling("prints"))
  work.write("tools.mjs", moduleOf({ prints: PRINTS }, "console.log('while it loads')"))
  const args = ["run", "--tools", "tools.mjs", "--output", "json", "go"]
  const { code, out, err } = await program(work, args)
  assert.equal(code, 0)
  assert.equal(JSON.parse(out).text, "all done")
  for (const line of [
    "while it loads",
    "out of the tool",
    "<U+001B>[31mred",
    "an error line",
    "out of a child",
    "no line end",
  ])
    assert.ok(err.split("\n").includes(line), `${line} in ${err}`)
  const quiet = await program(work, [...args, "--quiet"])
  assert.deepEqual([quiet.code, quiet.err], [0, ""])
})

test("a tool that clears the screen beside an open approval changes nothing on it: what it wrote is shown afterwards", async (t) => {
  const meet = await meeting(t)
  const work = await workplace(t, calling("bash", "clears"))
  const clears = `async () => { ${meet.goTo("before")}; process.stdout.write("\\x1b[2J\\x1b[HGONE\\n"); ${meet.goTo("after")}; return "cleared" }`
  work.write("tools.mjs", moduleOf({ bash: ASKS.replace('"input"', '"approval"'), clears }))
  const pty = work.terminal(["run", "--tools", "tools.mjs", "--ask", "bash", "--no-builtins", "go"])
  const asked = await pty.waitFor(KEYS_COUNT)
  await meet.leave("before")
  await meet.leave("after")
  pty.type(KEYS.down)
  const still = await pty.waitFor((screen) => screen !== asked)
  pty.type(KEYS.ctrlC)
  await pty.waitFor("all done")
  assert.equal((await pty.exit).code, 0)
  const heading = asked.split("\n").slice(0, 5).join("\n")
  assert.ok(still.startsWith(heading), still)
  assert.ok(pty.scrollback().includes("<U+001B>[2J<U+001B>[HGONE"), pty.scrollback())
  assert.ok(!pty.raw().includes("\x1b[HGONE"))
})

test("a tool's child finds no terminal to read from: every typed key is the answer's", async (t) => {
  const meet = await meeting(t)
  const work = await workplace(t, calling("deploy", "steals"))
  const steals = `async () => {
    const { status, stderr } = spawnSync("sh", ["-c", "head -c 3 </dev/tty"], { stdio: ["inherit", "pipe", "pipe"], encoding: "utf8" })
    ${meet.goTo("tried")}
    return status + " " + stderr
  }`
  work.write("tools.mjs", moduleOf({ deploy: ASKS, steals }))
  const pty = work.terminal(["run", "--tools", "tools.mjs", "go"])
  await pty.waitFor(KEYS_COUNT)
  await meet.leave("tried")
  pty.type("staging")
  await pty.waitFor("staging")
  pty.type(KEYS.enter)
  await pty.waitFor("all done")
  assert.equal((await pty.exit).code, 0)
  const [answer, theft = ""] = results(work)
  assert.equal(answer, "deployed to staging")
  assert.match(theft, /^[12] .*\/dev\/tty/)
})

const FATAL: Record<string, [run: string, how: RegExp]> = {
  "calls process.exit(0)": ["() => process.exit(0)", /\(ends called process\.exit\(0\)\)/],
  "throws where nobody catches it": [
    `() => new Promise(() => setImmediate(() => { throw new Error("no\\nhope") }))`,
    /\(uncaught error in ends: no hope\)/,
  ],
  "rejects where nobody catches it": [
    `() => { Promise.reject(new Error("lost")); return new Promise(() => {}) }`,
    /\(uncaught error in ends: lost\)/,
  ],
  "is killed": ["() => { process.kill(process.pid, 'SIGKILL'); return new Promise(() => {}) }", /\(signal SIGKILL\)/],
}

for (const [what, [run, how]] of Object.entries(FATAL)) {
  test(`a tool that ${what} fails the run, in one line, and the resume asks what to do about the call`, async (t) => {
    const work = await workplace(t, calling("ends", "stays"))
    work.write("tools.mjs", moduleOf({ ends: run, stays: "() => 'stayed'" }))
    const ran = await program(work, ["run", "--tools", "tools.mjs", "--output", "json", "go"])
    assert.equal(ran.code, 1)
    const report = JSON.parse(ran.out)
    assert.deepEqual([report.status, report.error.code], ["failed", "tool"])
    assert.match(report.error.message, how)
    assert.match(report.error.message, /while \w+ was running; its outcome is unknown: resume asks what to do$/)
    assert.match(ran.lines.at(-1) ?? "", / resume /)
    assert.doesNotMatch(ran.err, /^\s+at /m)
    const [file = ""] = work.runs()
    assert.equal(JSON.parse(readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? "").type, "run.failed")
    work.write("tools.mjs", moduleOf({ ends: "() => 'better'", stays: "() => 'stayed'" }))
    const resumed = await program(work, ["resume", file, "--in-doubt", "rerun"])
    assert.deepEqual([resumed.code, resumed.out], [0, "all done\n"])
    assert.deepEqual(results(work), ["better", "stayed"])
  })
}

const BREAKING: Record<string, [ends: string, how: RegExp]> = {
  "breaks down": [`setImmediate(() => { throw new Error("boom") })`, /uncaught error in breaks: boom/],
  "ends the process": ["process.exit(7)", /breaks called process\.exit\(7\)/],
}

for (const [what, [ends, how]] of Object.entries(BREAKING)) {
  test(`of two tools at work the one that ${what} is named, whichever call fails the run`, async (t) => {
    const meet = await meeting(t)
    const work = await workplace(t, calling("waits", "breaks"))
    const breaks = `async () => { ${meet.goTo("breaks")}; ${ends}; await new Promise(() => {}) }`
    work.write("tools.mjs", moduleOf({ waits: `async () => { ${meet.goTo("waits")}; return "waited" }`, breaks }))
    const running = program(work, ["run", "--tools", "tools.mjs", "go"])
    await meet.at("waits")
    await meet.leave("breaks")
    const { code, err } = await running
    assert.equal(code, 1)
    assert.match(err, how)
    assert.match(err, /the tools process ended \(.*\) while \w+ was running; its outcome is unknown/)
  })
}

test("what fails behind a tool's result is not said to be another's", async (t) => {
  const meet = await meeting(t)
  const work = await workplace(t, [
    replyCalls([{ id: "c0", name: "leaves", arguments: {} }]),
    replyCalls([{ id: "c1", name: "innocent", arguments: {} }]),
  ])
  const leaves = `() => { (async () => { ${meet.goTo("behind")}; throw new Error("left behind") })(); return "left" }`
  const innocent = `async () => { ${meet.goTo("innocent")}; await new Promise(() => {}) }`
  work.write("tools.mjs", moduleOf({ leaves, innocent }))
  const running = program(work, ["run", "--tools", "tools.mjs", "go"])
  await meet.at("innocent")
  await meet.leave("behind")
  const { code, err } = await running
  assert.equal(code, 1)
  assert.match(err, /ended \(uncaught error in leaves: left behind\) while innocent was running/)
})

test("what a module left open at its top level is nobody's call", async (t) => {
  const meet = await meeting(t)
  const work = await workplace(t, calling("waits"))
  const before = `let start; new Promise((resolve) => { start = resolve }).then(() => { throw new Error("of the module") })`
  const waits = `async () => { ${meet.goTo("there")}; await new Promise(() => {}) }`
  work.write("tools.mjs", `${moduleOf({ waits }, before)}\n;(async () => { ${meet.goTo("module")}; start() })()`)
  const running = program(work, ["run", "--tools", "tools.mjs", "go"])
  await meet.at("there")
  await meet.leave("module")
  assert.match((await running).err, /ended \(uncaught error: of the module\) while waits was running/)
})

const FLOOD = `for (let line = 1; line <= 20_000; line++) console.log("line " + line + " " + "x".repeat(80))`
const FLOODING: Record<string, [run: string, code: number]> = {
  "gives its result": [`() => { ${FLOOD}; return "flooded" }`, 0],
  "ends its process": [`() => { ${FLOOD}; process.exit(0) }`, 1],
  "breaks down": [`() => { setImmediate(() => { ${FLOOD}; throw new Error("no") }); return new Promise(() => {}) }`, 1],
}

for (const [what, [run, code]] of Object.entries(FLOODING)) {
  test(`of what a tool prints right before it ${what} nothing is cut, and the last line is still the run's`, async (t) => {
    const work = await workplace(t, calling("floods"))
    work.write("tools.mjs", moduleOf({ floods: run }))
    const ran = await program(work, ["run", "--tools", "tools.mjs", "go"])
    assert.equal(ran.code, code)
    const printed = ran.lines.filter((line) => /^line \d+ x{80}$/.test(line))
    assert.equal(printed.length, 20_000)
    assert.match(printed.at(-1) ?? "", /^line 20000 /)
    if (code !== 0) assert.match(ran.lines.at(-1) ?? "", / resume /)
  })
}

test("a tool in an endless loop ends with the command line, also when that is killed", async (t) => {
  const server = createSocketServer()
  await once(server.listen(0, "127.0.0.1"), "listening")
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const loops = `() => new Promise(() => {
    const socket = connect(${port}, "127.0.0.1")
    process.on("SIGTERM", () => {})
    socket.on("connect", () => socket.write(String(process.pid), () => { for (;;); }))
  })`
  const work = await workplace(t, calling("loops"))
  work.write("tools.mjs", moduleOf({ loops }, `import { connect } from "node:net"`))
  const child = start(work, ["run", "--tools", "tools.mjs", "go"])
  const [socket] = await once(server, "connection", { signal: AbortSignal.timeout(15_000) })
  socket.on("error", () => {})
  const [pid] = await within(15_000, "the loop", once(socket, "data"))
  t.after(() => socket.destroyed || process.kill(Number(pid), "SIGKILL"))
  child.kill("SIGKILL")
  await within(15_000, "the end of it", once(socket, "close"))
})

test("a tool that ends its process while a person types loses no word, and leaves the terminal as it was", async (t) => {
  const meet = await meeting(t)
  const work = await workplace(t, calling("deploy", "ends"))
  work.write("tools.mjs", moduleOf({ deploy: ASKS, ends: `async () => { ${meet.goTo("end")}; process.exit(0) }` }))
  const pty = work.terminal(["run", "--tools", "tools.mjs", "go"], { columns: 200 })
  await pty.waitFor(KEYS_COUNT)
  pty.type("stagi")
  await pty.waitFor("stagi")
  await meet.leave("end")
  assert.equal((await pty.exit).code, 1)
  assert.match(pty.screen().split("\n").at(-1) ?? "", / resume /)
  assert.ok(pty.raw().lastIndexOf("\x1b[?2004l") > pty.raw().lastIndexOf("\x1b[?2004h"))
  assert.match(readFileSync(work.runs()[0] ?? "", "utf8"), /"request.drafted".*"draft":"stagi"/)
})

test("a tool that never settles runs until Ctrl-C: the run is saved, exit 130", async (t) => {
  const meet = await meeting(t)
  const work = await workplace(t, calling("hangs"))
  work.write("tools.mjs", moduleOf({ hangs: `async () => { ${meet.goTo("there")}; await new Promise(() => {}) }` }))
  const child = start(work, ["run", "--tools", "tools.mjs", "go"])
  const err = text(child.stderr)
  await meet.leave("there")
  child.kill("SIGINT")
  const [code] = await once(child, "close")
  assert.equal(code, 130)
  assert.match(err().trimEnd().split("\n").at(-1) ?? "", / resume /)
})

test("Ctrl-C aborts the signal that a tool was given, and what it makes of that is its result", async (t) => {
  const meet = await meeting(t)
  const work = await workplace(t, calling("heeds"))
  const heeds = `(_args, { signal }) => new Promise(async (resolve) => {
    signal.addEventListener("abort", () => resolve("stopped: " + signal.reason.name))
    ${meet.goTo("there")}
  })`
  work.write("tools.mjs", moduleOf({ heeds }))
  const child = start(work, ["run", "--tools", "tools.mjs", "go"])
  await meet.at("there")
  child.kill("SIGINT")
  assert.deepEqual(await once(child, "close"), [130, null])
  assert.match(readFileSync(work.runs()[0] ?? "", "utf8"), /"output":"stopped: AbortError"/)
})

const UNUSABLE: Record<string, [source: string, message: RegExp]> = {
  "exits while it loads": [
    "process.exit(0)",
    /tools\.mjs cannot be used: the tools process ended while it was loaded \(exit code 0\)/,
  ],
  "throws while it loads": [
    "throw new Error('no database\\n here')",
    /tools\.mjs cannot be used: no database here \(line 1\): correct/,
  ],
  "breaks down while it loads": [
    "setImmediate(() => { throw new Error('late') }); await new Promise(() => {})",
    /tools\.mjs cannot be used: .*\(uncaught error: late\)/,
  ],
}

for (const [what, [source, message]] of Object.entries(UNUSABLE)) {
  test(`a module that ${what} is one line, exit 2, and nothing is sent`, async (t) => {
    const work = await workplace(t, calling("none"))
    work.write("tools.mjs", source)
    const ran = await program(work, ["run", "--tools", "tools.mjs", "go"])
    assert.deepEqual([ran.code, ran.lines.length, ran.out], [2, 1, ""])
    assert.match(ran.err, message)
    const asJson = await program(work, ["run", "--tools", "tools.mjs", "--output", "json", "go"])
    assert.match(JSON.parse(asJson.out).error.message, message)
    assert.deepEqual(work.endpoint.requests, [])
  })
}

const TELLS = `(_args, ctx) => {
  if (!ctx.answer) return pending({ kind: "secret", prompt: "Token?" })
  console.error("the token is " + outputOf(ctx.answer))
  return "used"
}`

test("a secret that a tool prints is not shown, whether it was typed or came from a variable", async (t) => {
  const work = await workplace(t, calling("tells"))
  work.write("tools.mjs", moduleOf({ tells: TELLS }))
  const pty = work.terminal(["run", "--tools", "tools.mjs", "go"])
  await pty.waitFor(KEYS_COUNT)
  pty.type("hunter2-hunter2")
  await pty.waitFor("***************")
  pty.type(KEYS.enter)
  await pty.waitFor("all done")
  await pty.exit
  assert.match(pty.scrollback(), /the token is \[secret req_/)
  assert.ok(!pty.raw().includes("hunter2"))

  const other = await workplace(t, calling("tells"))
  other.write("tools.mjs", moduleOf({ tells: TELLS }))
  const halted = JSON.parse((await program(other, ["run", "--tools", "tools.mjs", "--output", "json", "go"])).out)
  const answer = ["--answer-env", `${halted.pending.id}=TOKEN`]
  const ran = await program(other, ["resume", halted.file, ...answer], { TOKEN: "hunter2-hunter2" })
  assert.equal(ran.code, 0)
  assert.match(ran.err, /the token is \[secret req_/)
  assert.doesNotMatch(ran.err, /hunter2/)
})

test("a tool works in the folder of the run, with nothing to read on stdin", async (t) => {
  const work = await workplace(t, calling("where"))
  const where = `() => process.cwd() + " " + JSON.stringify(require("node:fs").readFileSync(0, "utf8"))`
  work.write(
    "tools.mjs",
    moduleOf({ where }, `import { createRequire } from "node:module"; const require = createRequire("/")`),
  )
  const { code } = await program(work, ["run", "--tools", "tools.mjs", "--cwd", "/usr", "go"])
  assert.deepEqual([code, results(work)], [0, ['/usr ""']])
})

test("the tools process and what it started end with the command line, also when that is killed", async (t) => {
  const server = createSocketServer()
  await once(server.listen(0, "127.0.0.1"), "listening")
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const connects = `exec 3<>/dev/tcp/127.0.0.1/${port}; sleep 1000`
  const lives = `() => new Promise(() => { spawn("bash", ["-c", ${JSON.stringify(connects)}]); connect(${port}, "127.0.0.1") })`
  const work = await workplace(t, calling("lives"))
  work.write("tools.mjs", moduleOf({ lives }, `import { connect } from "node:net"`))
  const child = start(work, ["run", "--tools", "tools.mjs", "go"])
  const ends: Promise<unknown>[] = []
  for await (const [socket] of on(server, "connection", { signal: AbortSignal.timeout(15_000) })) {
    socket.on("error", () => {}).resume()
    if (ends.push(once(socket, "close")) === 2) break
  }
  child.kill("SIGKILL")
  await within(15_000, "the end of both", Promise.all(ends))
})

test("a tool goes on no step, and is not told to stop, once the command line was killed", async (t) => {
  const meet = await meeting(t)
  const works = `async (_args, { signal }) => {
    signal.addEventListener("abort", () => appendFileSync("effects", "told to stop\\n"))
    process.on("disconnect", () => setImmediate(() => appendFileSync("effects", "went on\\n")))
    ${meet.goTo("work")}
  }`
  const work = await workplace(t, calling("works"))
  work.write("tools.mjs", moduleOf({ works }, `import { appendFileSync } from "node:fs"`))
  work.write("effects", "")
  const child = start(work, ["run", "--tools", "tools.mjs", "go"])
  await meet.at("work")
  child.kill("SIGKILL")
  await within(15_000, "the end of the tools", meet.gone("work"))
  assert.equal(readFileSync(resolve(work.folder, "effects"), "utf8"), "")
})
