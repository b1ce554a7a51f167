import type { ChildProcess } from "node:child_process"
import type { Readable } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import type { FromToolHost, ToToolHost } from "./tool-messages.ts"

/** A process that tools run in, as long as it lives. */
export interface ToolProcess {
  /** Nothing is sent where it has ended. */
  send(message: ToToolHost): void
  /** How it ended, in words; after everything that it said. */
  ended: Promise<string>
  /** Lets go of it: what is left open may end by itself for a moment, then it is told to, then the whole group is killed. */
  close(): void
}

export interface ToolProcessListener {
  onMessage(message: FromToolHost): void
  /** A line that it printed. */
  onLine(line: string): void
}

const LEFT_OPEN_MS = 250
const KILL_GRACE_MS = 1000
/** How long a process that it started elsewhere may hold its output open when it has ended. */
const DRAIN_MS = 250

export function watchToolProcess(host: ChildProcess, { onMessage, onLine }: ToolProcessListener): ToolProcess {
  let closed = false
  let crash: string | undefined
  host.on("message", (message: FromToolHost) => {
    if (message.type === "crashed") crash = message.message
    else onMessage(message)
  })
  const outputs = [host.stdout, host.stderr].map((stream) => readLines(stream, (line) => closed || onLine(line)))
  const killAtExit = () => killGroup(host, "SIGKILL")
  process.once("exit", killAtExit)
  const ended = endOf(host, outputs).then((how) => {
    process.off("exit", killAtExit)
    return crash === undefined ? how : `uncaught error: ${crash}`
  })
  return {
    send: (message) => {
      if (host.connected) host.send(message, () => {}) // where it has ended meanwhile, `ended` says so
    },
    ended,
    close() {
      if (closed) return
      for (const { flush } of outputs) flush()
      closed = true
      if (host.connected) host.disconnect()
      const terminate = setTimeout(() => killGroup(host, "SIGTERM"), LEFT_OPEN_MS)
      const kill = setTimeout(() => killGroup(host, "SIGKILL"), LEFT_OPEN_MS + KILL_GRACE_MS)
      ended.then(() => {
        clearTimeout(terminate)
        clearTimeout(kill)
      })
    },
  }
}

/** It has ended when it is gone and what it said last has been read. */
async function endOf(host: ChildProcess, outputs: readonly Lines[]): Promise<string> {
  const disconnected = new Promise<void>((resolve) => {
    host.once("disconnect", resolve)
    if (!host.connected) resolve()
  })
  const how = await exitOf(host)
  killGroup(host, "SIGKILL") // what it started and did not end goes with it
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, DRAIN_MS)
  })
  await Promise.race([Promise.all([disconnected, ...outputs.map((lines) => lines.ended)]), late])
  clearTimeout(timer)
  for (const { flush } of outputs) flush()
  for (const stream of [host.stdout, host.stderr]) stream?.destroy()
  return how
}

function exitOf(host: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    const tell = (code: number | null, signal: NodeJS.Signals | null) =>
      resolve(signal === null ? `exit code ${code}` : `signal ${signal}`)
    host.once("exit", tell)
    // Where it could not be started there is no exit.
    host.once("error", (error) => host.pid === undefined && resolve(`it could not be started: ${error.message}`))
    if (host.exitCode !== null || host.signalCode !== null) tell(host.exitCode, host.signalCode)
  })
}

interface Lines {
  /** The end of a line that has not come is not waited for. */
  flush(): void
  ended: Promise<void>
}

function readLines(stream: Readable | null | undefined, onLine: (line: string) => void): Lines {
  const decoder = new StringDecoder("utf8")
  let begun = ""
  const take = (text: string) => {
    const lines = (begun + text).split(/\r?\n/)
    begun = lines.pop() ?? ""
    for (const line of lines) onLine(line)
  }
  stream?.on("data", (bytes: Buffer) => take(decoder.write(bytes)))
  return {
    flush() {
      if (begun !== "") take("\n")
    },
    ended: new Promise((resolve) => {
      if (stream && !stream.destroyed) stream.once("close", resolve)
      else resolve()
    }),
  }
}

function killGroup({ pid }: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // ESRCH: the group is gone, which is what was wanted
  }
}
