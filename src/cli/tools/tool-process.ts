import type { ChildProcess } from "node:child_process"
import type { Readable } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import { setImmediate as turn } from "node:timers/promises"
import type { FromToolHost, ToToolHost } from "./tool-messages.ts"

/** A process that tools run in, as long as it lives. */
export interface ToolProcess {
  /** Nothing is sent where it has ended. */
  send(message: ToToolHost): void
  lives(): boolean
  /** How it ended, in words; after everything that it said. */
  ended: Promise<string>
  /**
   * Lets go of it: what is left open may end by itself for a moment, then it is told to, then the whole group is killed. Resolves when
   * what it printed before has been told; it says nothing more.
   */
  close(): Promise<void>
}

export interface ToolProcessListener {
  onMessage(message: FromToolHost): void
  /** A line that it printed. */
  onLine(line: string): void
}

const LEFT_OPEN_MS = 250
const KILL_GRACE_MS = 1000
/** How long its last message may take when it has ended. */
const LAST_MESSAGE_MS = 250
/** More than a pipe holds is of a process that goes on printing. */
const PIPE_BYTES = 1024 * 1024

export function watchToolProcess(host: ChildProcess, { onMessage, onLine }: ToolProcessListener): ToolProcess {
  let closing: Promise<void> | undefined
  let isSilent = false
  let lastWord: string | undefined
  host.on("message", (message: FromToolHost) => {
    if (message.type === "ending") lastWord = message.how
    else onMessage(message)
  })
  const outputs = [host.stdout, host.stderr].map((stream) => readLines(stream, (line) => isSilent || onLine(line)))
  const killAtExit = () => killGroup(host, "SIGKILL")
  process.once("exit", killAtExit)
  const ended = endOf(host, outputs).then((how) => {
    process.off("exit", killAtExit)
    return lastWord ?? how
  })
  const letGo = async () => {
    if (host.connected) host.send({ type: "leave" } satisfies ToToolHost, () => host.connected && host.disconnect())
    const terminate = setTimeout(() => killGroup(host, "SIGTERM"), LEFT_OPEN_MS)
    const kill = setTimeout(() => killGroup(host, "SIGKILL"), LEFT_OPEN_MS + KILL_GRACE_MS)
    ended.then(() => {
      clearTimeout(terminate)
      clearTimeout(kill)
    })
    await readOut(outputs)
    isSilent = true
  }
  return {
    send: (message) => {
      if (host.connected) host.send(message, () => {}) // where it has ended meanwhile, `ended` says so
    },
    lives: () => host.exitCode === null && host.signalCode === null && host.pid !== undefined,
    ended,
    close() {
      closing ??= letGo()
      return closing
    },
  }
}

/** It has ended when it is gone and what it said last has been read, whoever else holds its output open. */
async function endOf(host: ChildProcess, outputs: readonly Lines[]): Promise<string> {
  const disconnected = new Promise<void>((resolve) => {
    host.once("disconnect", resolve)
    if (!host.connected) resolve()
  })
  const how = await exitOf(host)
  killGroup(host, "SIGKILL") // what it started and did not end goes with it
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, LAST_MESSAGE_MS)
  })
  await Promise.race([disconnected, late])
  clearTimeout(timer)
  await readOut(outputs)
  for (const stream of host.stdio) stream?.destroy()
  return how
}

/** What was printed before has been read when a turn of the event loop, which looks at every pipe, brings nothing. */
async function readOut(outputs: readonly Lines[]): Promise<void> {
  const size = () => outputs.reduce((sum, { bytes }) => sum + bytes(), 0)
  const enough = size() + outputs.length * PIPE_BYTES
  for (let before = -1; before !== size() && before < enough; ) {
    before = size()
    await turn()
    await turn()
  }
  for (const { flush } of outputs) flush()
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
  /** How much was read so far. */
  bytes(): number
}

function readLines(stream: Readable | null | undefined, onLine: (line: string) => void): Lines {
  const decoder = new StringDecoder("utf8")
  let begun = ""
  const take = (text: string) => {
    const lines = (begun + text).split(/\r?\n/)
    begun = lines.pop() ?? ""
    for (const line of lines) onLine(line)
  }
  let size = 0
  stream?.on("data", (bytes: Buffer) => {
    size += bytes.length
    take(decoder.write(bytes))
  })
  return {
    flush() {
      if (begun !== "") take("\n")
    },
    bytes: () => size,
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
