import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { watch } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { replyCalls, replyText, scriptedEndpoint } from "../support/scripted-endpoint.ts"

const BIN = resolve(import.meta.dirname, "../../bin/toolnexus.js")

/** `tidy` ends when it is told to stop, `stubborn` does not; each writes down that it has begun. */
const toolsWriting = (effects: string): string => `import { appendFileSync } from "node:fs"
const begun = (name) => appendFileSync(${JSON.stringify(effects)}, name + "\\n")
const never = () => new Promise((resolve) => setTimeout(resolve, 1e9))
export default ({ defineTool }) => [
  defineTool({ name: "tidy", description: "", run: (_args, { signal }) => {
    begun("tidy")
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped halfway")))
  } }),
  defineTool({ name: "stubborn", description: "", run: () => { begun("stubborn"); return never() } }),
]
`

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  out: string
  err: string
}

async function place(t: TestContext, tool: string) {
  const folder = mkdtempSync(join(tmpdir(), "toolnexus-signal-"))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const endpoint = await scriptedEndpoint([
    replyCalls([{ id: "c1", name: tool, arguments: {} }]),
    ({ body }) => replyText(body.messages.at(-1).content),
  ]).listen()
  t.after(() => endpoint.close())
  const effects = join(folder, "effects")
  writeFileSync(join(folder, "tools.mjs"), toolsWriting(effects))
  const env = { ...process.env, TOOLNEXUS_STATE_DIR: join(folder, "state"), XDG_CONFIG_HOME: folder }
  const start = (args: string[]): ChildProcess => {
    const options = [
      "--base-url",
      endpoint.baseUrl,
      "--model",
      "m",
      "--tools",
      "tools.mjs",
      "--no-builtins",
      "--no-input",
    ]
    return spawn(process.execPath, [BIN, ...args, ...options], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    })
  }
  const begun = async () => {
    for await (const _ of watch(folder)) if (existsSync(effects)) return
  }
  return {
    start,
    begun,
    file: join(folder, "it.run.jsonl"),
    effects: () => readFileSync(effects, "utf8").trim().split("\n"),
  }
}

async function ended(child: ChildProcess): Promise<Ended> {
  let [out, err] = ["", ""]
  child.stdout?.on("data", (text) => {
    out += text
  })
  child.stderr?.on("data", (text) => {
    err += text
  })
  const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null]
  return { code, signal, out, err }
}

describe("a signal while a tool is at work", { concurrency: true }, () => {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    it(`${signal}: a result that comes in time is saved, and the tool does not run again`, async (t) => {
      const { start, begun, file, effects } = await place(t, "tidy")
      const isBegun = begun()
      const run = start(["run", "go", "--file", file])
      const whole = ended(run)
      await Promise.race([isBegun, whole])
      run.kill(signal)
      const { code: exit, err } = await whole
      assert.equal(exit, code, err)
      assert.ok(err.trimEnd().endsWith(` resume ${file}`), err)
      assert.match(readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? "", /^\{"type":"run.interrupted"/)
      const resumed = await ended(start(["resume", file]))
      assert.deepEqual([resumed.code, resumed.out], [0, "stopped halfway\n"])
      assert.deepEqual(effects(), ["tidy"])
    })
    it(`${signal}: a tool that goes on is in doubt, and a person decides`, async (t) => {
      const { start, begun, file, effects } = await place(t, "stubborn")
      const isBegun = begun()
      const run = start(["run", "go", "--file", file])
      const whole = ended(run)
      await Promise.race([isBegun, whole])
      run.kill(signal)
      assert.equal((await whole).code, code)
      const halted = await ended(start(["resume", file]))
      assert.equal(halted.code, 3)
      assert.match(halted.err, /stubborn was started, and the process ended/)
      const resumed = await ended(start(["resume", file, "--in-doubt", "unknown"]))
      assert.equal(resumed.code, 0, resumed.err)
      assert.match(resumed.out, /^outcome unknown: stubborn was started/)
      assert.deepEqual(effects(), ["stubborn"])
    })
  }
})
