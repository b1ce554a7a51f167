import { EventEmitter } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable, Writable } from "node:stream"
import type { TestContext } from "node:test"
import type { Io, OutStream } from "../../src/cli/io.ts"
import { main } from "../../src/cli/main.ts"
import type { TerminalDevice } from "../../src/cli/terminal/device.ts"
import { createToolHosts } from "../../src/cli/tools/tool-hosts.ts"
import { systemClock } from "../../src/event/system-clock.ts"
import { type ManualClock, manualClock } from "../../src/testing/index.ts"

/** What a command came to. */
export interface Ran {
  code: number
  out: string
  err: string
  /** The last line on stderr. */
  lastLine: string
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into whatever was printed
  json: any
}

/** A folder, a home and a state folder of its own, and the program in this process. */
export interface Place {
  dir: string
  path(name: string): string
  write(name: string, content: unknown): string
  read(name: string): string
  run(argv: string[], options?: RunWith): Promise<Ran>
  /** Starts a command with a person at a terminal. */
  start(argv: string[], options?: RunWith): Started
}

export interface RunWith {
  env?: Record<string, string>
  stdin?: string | Uint8Array
  /** `true`: stdout and stderr are terminals. */
  streamsAreTerminals?: boolean
  /** After how many characters stdout is closed by its reader. */
  stdoutClosesAfter?: number
  cwd?: string
}

export interface Started {
  ran: Promise<Ran>
  /** Resolves when the terminal shows a text; then keys count. */
  shows(text: string): Promise<void>
  type(keys: string): void
  signal(name: NodeJS.Signals): void
  /** Lets time pass. */
  pass(ms: number): void
  /** What was asked to end the process at once. */
  exits: number[]
  /** What is printed so far. */
  err(): string
}

export function place(t: TestContext): Place {
  const dir = mkdtempSync(join(tmpdir(), "toolnexus-cli-"))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const path = (name: string) => join(dir, name)
  const io = (options: RunWith) => fakeIo(dir, options)
  return {
    dir,
    path,
    write(name, content) {
      writeFileSync(path(name), typeof content === "string" ? content : JSON.stringify(content))
      return path(name)
    },
    read: (name) => readFileSync(path(name), "utf8"),
    run: (argv, options = {}) => ranOf(io(options), argv),
    start(argv, options = {}) {
      const fake = io(options)
      const terminal = fakeDevice()
      const clock = manualClock(Date.now())
      fake.io.terminal = { ...fake.io.terminal, open: terminal.open }
      fake.io.clock = clock
      return {
        ran: ranOf(fake, argv),
        shows: (text) => terminal.shows(text, clock),
        type: terminal.type,
        signal: fake.signal,
        pass: (ms) => clock.advance(ms),
        exits: fake.exits,
        err: () => fake.err.text(),
      }
    },
  }
}

type Fake = ReturnType<typeof fakeIo>

async function ranOf({ io, out, err }: Fake, argv: string[]): Promise<Ran> {
  const code = await main(argv, io)
  const lines = err.text().trimEnd().split("\n")
  return {
    code,
    out: out.text(),
    err: err.text(),
    lastLine: lines.at(-1) ?? "",
    get json() {
      return JSON.parse(out.text())
    },
  }
}

function fakeIo(dir: string, options: RunWith) {
  const out = fakeStream(options.streamsAreTerminals === true, options.stdoutClosesAfter)
  const err = fakeStream(options.streamsAreTerminals === true)
  const signals = new EventEmitter()
  const exits: number[] = []
  const io: Io = {
    env: {
      TOOLNEXUS_STATE_DIR: join(dir, "state"),
      XDG_CONFIG_HOME: join(dir, "config"),
      NO_COLOR: "1",
      ...options.env,
    },
    platform: "linux",
    homeDir: join(dir, "home"),
    cwd: options.cwd ?? dir,
    script: "/usr/local/bin/toolnexus",
    uid: process.getuid?.(),
    stdout: out.stream,
    stderr: err.stream,
    stdin: () => {
      if (options.stdin === undefined) throw new Error("stdin was read")
      return Readable.from([Buffer.from(options.stdin)])
    },
    clock: systemClock,
    onSignal(name, listener) {
      signals.on(name, listener)
      return () => signals.off(name, listener)
    },
    terminal: { open: () => undefined, inForeground: () => true, stopGroup() {} },
    toolHosts: createToolHosts(),
    exit: (code) => exits.push(code),
    done() {},
  }
  return { io, out, err, exits, signal: (name: NodeJS.Signals) => void signals.emit(name) }
}

function fakeStream(isTTY: boolean, closesAfter = Number.POSITIVE_INFINITY) {
  let text = ""
  let closed = false
  const listeners: ((error: NodeJS.ErrnoException) => void)[] = []
  const stream: OutStream = {
    isTTY,
    write(piece) {
      if (closed) return
      text += piece
      if (text.length < closesAfter) return
      closed = true
      for (const listener of listeners) listener(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }))
    },
    onError: (listener) => listeners.push(listener),
    flush: async () => {},
  }
  return { stream, text: () => text }
}

function fakeDevice() {
  let shown = ""
  let input: (EventEmitter & { setRawMode(): void; destroy(): void }) | undefined
  const watchers = new Set<() => void>()
  const open = (): TerminalDevice => {
    const own = Object.assign(new EventEmitter(), {
      setRawMode() {},
      destroy: () => {
        own.emit("close")
      },
    })
    input = own
    const output = new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        shown += String(chunk)
        for (const look of watchers) look()
        done()
      },
    })
    return {
      input: own as unknown as TerminalDevice["input"],
      output: Object.assign(output, { columns: 80, rows: 24 }),
    }
  }
  return {
    open,
    type(keys: string) {
      shown = ""
      input?.emit("data", Buffer.from(keys))
    },
    /** Waits for new text: what was shown or typed before does not count again. */
    async shows(text: string, clock: ManualClock) {
      await new Promise<void>((resolve) => {
        const look = () => {
          const at = shown.indexOf(text)
          if (at < 0) return
          shown = shown.slice(at + text.length)
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      })
      await new Promise((resolve) => setImmediate(resolve)) // the prompt follows its text in the same turn
      clock.advance(400)
    },
  }
}

/** A tools module for the tests: `deploy` asks which environment, `token` asks for a secret, `note` runs at once. */
export const TOOLS = `
export default ({ defineTool, pending }) => [
  defineTool({
    name: "deploy",
    description: "deploys",
    inputSchema: { type: "object", properties: { service: { type: "string" } } },
    run: ({ service }, ctx) => ctx.answer ? \`deployed \${service} to \${ctx.answer.data.output}\` : pending({ kind: "input", prompt: "Which environment?" }),
  }),
  defineTool({ name: "note", description: "notes", run: () => "noted" }),
  defineTool({
    name: "token",
    description: "needs a token",
    run: (_args, ctx) => ctx.answer ? \`used \${ctx.answer.data.output.length} characters\` : pending({ kind: "secret", prompt: "Token?" }),
  }),
]
`
