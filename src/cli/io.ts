import { homedir } from "node:os"
import type { Clock } from "../index.ts"
import type { Place } from "./configuration/place.ts"
import type { SignalName } from "./output/exit-code.ts"
import { closeGoneStdio, inForeground, openDevTty, type TerminalDevice } from "./terminal/device.ts"
import { createToolHosts, type ToolHosts } from "./tools/tool-hosts.ts"

/** A stream that text is written to. */
export interface OutStream {
  readonly isTTY: boolean
  write(text: string): unknown
  /** Told once that nothing more can be written, and why. */
  onError(listener: (error: NodeJS.ErrnoException) => void): void
  /** Resolves when all of it is handed on, or never will be. */
  flush(): Promise<void>
  /** What draws by itself needs the stream itself. */
  readonly stream?: NodeJS.WriteStream
}

/** Everything that the command line touches, handed in: whole commands run in one process. */
export interface Io extends Place {
  /** Where the command was typed. */
  cwd: string
  /** As in `process.argv[1]`. */
  script: string
  uid: number | undefined
  stdout: OutStream
  stderr: OutStream
  /** Only a prompt of `-` reads it. */
  stdin(): AsyncIterable<Uint8Array>
  clock: Clock
  /** @returns stops listening */
  onSignal(name: NodeJS.Signals, listener: () => void): () => void
  terminal: { open(): TerminalDevice | undefined; inForeground(): boolean; stopGroup(): void }
  /** What tools modules run in. */
  toolHosts: ToolHosts
  /** Ends the process at once. */
  exit(code: number): void
  /** The command is done: what a tool left open does not keep the process. */
  done(): void
}

/** The process's own. */
export function processIo(): Io {
  process.once("exit", closeGoneStdio)
  return {
    env: process.env,
    cwd: workingFolder(),
    script: process.argv[1] ?? "",
    platform: process.platform,
    homeDir: homedir(),
    uid: process.getuid?.(),
    stdout: outStream(process.stdout),
    stderr: outStream(process.stderr),
    stdin: () => process.stdin,
    clock: systemClock,
    onSignal(name, listener) {
      process.on(name, listener)
      return () => process.off(name, listener)
    },
    terminal: { open: openDevTty, inForeground, stopGroup: () => process.kill(0, "SIGTSTP") },
    toolHosts: createToolHosts(),
    exit: (code) => process.exit(code),
    done: () => void setTimeout(() => process.exit(), LEFT_OPEN_MS).unref(),
  }
}

/** A process that nothing keeps ends before. */
const LEFT_OPEN_MS = 1000

const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    return process.env.PWD ?? "/" // it was removed: whatever needs it says so
  }
}

function outStream(stream: NodeJS.WriteStream): OutStream {
  let failed = false
  const listeners: ((error: NodeJS.ErrnoException) => void)[] = []
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (failed) return
    failed = true
    for (const listener of listeners) listener(error)
  })
  return {
    isTTY: stream.isTTY === true,
    stream,
    write: (text) => (failed ? undefined : stream.write(text)),
    onError: (listener) => listeners.push(listener),
    flush: () =>
      new Promise((resolve) => {
        if (failed) return resolve()
        listeners.push(() => resolve())
        stream.write("", () => resolve())
      }),
  }
}

/** The signals that a run is saved on. */
export const SIGNALS: readonly SignalName[] = ["SIGINT", "SIGTERM", "SIGHUP"]
