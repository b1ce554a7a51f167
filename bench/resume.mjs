// What a run file costs: resuming one of 500 turns beside a bare program, loading 100,000 events beside a bare loop, and appending
// at turn 10 and at turn 10,000, counted.
//   npm run build && node bench/resume.mjs [ROUNDS]
import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { interleaved, median, ratio } from "./interleaved.mjs"

const INDEX = new URL("../dist/index.js", import.meta.url).href
const { createInProcessClient, createToolkit, defineTool, memoryJournal, openRun, pending, readRun } = await import(
  INDEX
)
const folder = mkdtempSync(join(tmpdir(), "toolnexus-bench-"))
const KIB = "x".repeat(1024)
const ROUNDS = Number(process.argv[2] ?? 15)

const tools = [
  defineTool({ name: "look", description: "", annotations: { readOnly: true }, run: () => KIB }),
  defineTool({
    name: "ask",
    description: "",
    run: (_args, ctx) => (ctx.answer ? "told" : pending({ id: "q", kind: "input", prompt: "?" })),
  }),
]

/** A run of some turns of one call, which then asks. */
async function halted(journal, turns) {
  const toolkit = await createToolkit({ extraTools: tools })
  let turn = 0
  const generate = () => ({ toolCalls: [{ id: `c${turn}`, name: turn++ < turns ? "look" : "ask", input: {} }] })
  const client = createInProcessClient({ model: "m", generate })
  return client.run("go", { toolkit, journal })
}

async function resuming() {
  const server = createServer((request, response) => {
    request.resume()
    request.on("end", () => {
      response.setHeader("content-type", "application/json")
      response.end(
        JSON.stringify({ choices: [{ message: { role: "assistant", content: "done" }, finish_reason: "stop" }] }),
      )
    })
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${server.address().port}/v1`
  const file = join(folder, "500.run.jsonl")
  const journal = await openRun(file, { mode: "new" })
  const { messages } = await halted(journal, 500)
  await journal.close()
  const bytes = readFileSync(file)
  const bare = join(folder, "bare.json")
  writeFileSync(bare, JSON.stringify({ model: "m", messages }))
  const programs = {
    bare: programFile("bare.mjs", bareProgram(bare, baseUrl)),
    ours: programFile("ours.mjs", ourProgram(file, baseUrl)),
  }
  const timed = (program) => async () => {
    writeFlushed(file, bytes)
    const start = performance.now()
    await finished(program)
    return performance.now() - start
  }
  const times = await interleaved({ bare: timed(programs.bare), ours: timed(programs.ours) }, ROUNDS)
  server.close()
  tell("resuming 500 turns of 1 KiB", times, 1.3)
}

/** What two took, beside each other. */
function tell(what, { ours, bare }, aim) {
  const [mine, plain] = [ours, bare].map((times) => median(times).toFixed(0))
  console.log(`${what}: ${mine} ms, bare ${plain} ms: ${ratio(ours, bare).toFixed(2)} times (aim ${aim})`)
}

function programFile(name, code) {
  const file = join(folder, name)
  writeFileSync(file, code)
  return file
}

/** As the process that wrote the run left it: on the disk. */
function writeFlushed(file, bytes) {
  const handle = openSync(file, "w")
  writeSync(handle, bytes)
  fsyncSync(handle)
  closeSync(handle)
}

/** Without what the environment may add to every start of node, such as certificates: it would hide what differs. */
async function finished(program) {
  const env = { PATH: process.env.PATH, HOME: folder }
  const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "inherit", "inherit"] })
  const [exit] = await once(child, "close")
  if (exit !== 0) throw new Error(`it ended with ${exit}`)
}

function bareProgram(file, baseUrl) {
  return `import { readFileSync, writeFileSync } from "node:fs"
import { request } from "node:http"
const body = JSON.parse(readFileSync(${JSON.stringify(file)}, "utf8"))
body.messages.push({ role: "tool", tool_call_id: "c500", content: "told" })
const text = JSON.stringify(body)
const reply = await new Promise((resolve) => {
  const it = request("${baseUrl}/chat/completions", { method: "POST", headers: { "content-type": "application/json", "content-length": Buffer.byteLength(text) } }, async (response) => {
    let all = ""
    for await (const piece of response) all += piece
    resolve(JSON.parse(all))
  })
  it.end(text)
})
body.messages.push(reply.choices[0].message)
writeFileSync(${JSON.stringify(`${file}.out`)}, JSON.stringify(body))`
}

function ourProgram(file, baseUrl) {
  return `import { answerOutput, createClient, createToolkit, defineTool, openRun } from ${JSON.stringify(INDEX)}
const toolkit = await createToolkit({ extraTools: [defineTool({ name: "ask", description: "", run: () => "told" })] })
const client = createClient({ baseUrl: "${baseUrl}", style: "openai", model: "m" })
const journal = await openRun(${JSON.stringify(file)})
const result = await client.resume(journal, [answerOutput("q", "x")], { toolkit })
if (result.status !== "done") throw new Error(result.status)
await journal.close()`
}

async function loading() {
  const file = join(folder, "many.run.jsonl")
  const lines = manyEvents(25_000)
  writeFileSync(file, lines.join(""))
  const timed = (work) => async () => {
    const start = performance.now()
    await work()
    return performance.now() - start
  }
  const bare = () =>
    readFileSync(file, "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  const times = await interleaved({ bare: timed(bare), ours: timed(() => readRun(file)) }, 7)
  const mib = (statSync(file).size / 1024 / 1024).toFixed(0)
  tell(`loading ${lines.length} events (${mib} MiB)`, times, 2.5)
}

/** Four events a turn: a reply with a call, its decision, start and result. */
function manyEvents(turns) {
  const at = "2026-01-31T12:00:00.000Z"
  const spec = { name: "look", description: "", inputSchema: { type: "object", properties: {} }, source: "native" }
  const line = (type, event) => `${JSON.stringify({ type, at, ...event })}\n`
  const start = { v: 1, runId: "run_bench", model: "m", style: "openai", tools: [spec] }
  const turn = (number) => {
    const call = { id: `c${number}`, type: "function", function: { name: "look", arguments: "{}" } }
    const ref = { turn: number, index: 0 }
    return [
      line("model.replied", {
        style: "openai",
        message: { role: "assistant", content: null, tool_calls: [call] },
        workMs: number,
      }),
      line("call.decided", { ...ref, decision: "allow", by: "default" }),
      line("call.started", ref),
      line("call.finished", { ...ref, output: KIB, isError: false, workMs: number }),
    ]
  }
  const opening = [line("run.started", start), line("user.said", { message: { role: "user", content: "go" } })]
  return [...opening, ...Array.from({ length: turns }, (_, at) => turn(at + 1)).flat()]
}

/** Bytes, lines, flushes and clones of each turn, counted. */
async function appending() {
  const turns = []
  const inner = memoryJournal()
  let now = { bytes: 0, lines: 0, flushes: 0, clones: 0 }
  const clone = globalThis.structuredClone
  globalThis.structuredClone = (value, options) => {
    now.clones += 1
    return clone(value, options)
  }
  const journal = {
    ...inner,
    append(events, options) {
      for (const event of events) {
        if (event.type === "model.replied") {
          turns.push(now)
          now = { bytes: 0, lines: 0, flushes: 0, clones: 0 }
        }
        now.bytes += JSON.stringify(event).length + 1
        now.lines += 1
      }
      now.flushes += options.flush ? 1 : 0
      return inner.append([], { at: 0, flush: false }).catch(() => undefined)
    },
  }
  await halted(journal, 10_001)
  globalThis.structuredClone = clone
  console.log("appending at turn 10    ", JSON.stringify(turns[10]))
  console.log("appending at turn 10,000", JSON.stringify(turns[10_000]))
}

try {
  await resuming()
  await loading()
  await appending()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
