import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import type { Readable } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import { messageOf } from "../../tool/error.ts"
import { systemFact } from "../../tool/system-fact.ts"
import { clippedOutput } from "../clipped-output.ts"
import { killAtExit, killGroup } from "../process-group.ts"

export interface ShellCommand {
  command: string
  cwd: string
  env: NodeJS.ProcessEnv
  timeoutMs: number
  signal?: AbortSignal
  /** Told of what it prints while it runs. */
  onText?: (text: string) => void
}

/** How a command ended, and what it printed. */
export interface Ended {
  output: string
  how:
    | { end: "exit"; code: number }
    | { end: "signal"; signal: string }
    | { end: "timeout" }
    | { end: "abort"; why: string }
    | { end: "not started"; why: string }
}

const MAX_OUTPUT_CHARS = 30_000
/** Between SIGTERM and SIGKILL; an aborted call has 2 s to end. */
const KILL_GRACE_MS = 1_000
/** What a process in the background may still print once the shell itself has ended. */
const DRAIN_MS = 250
/** How long such a process may take to end once it was asked to. */
const STOPPED_DRAIN_MS = 500

/**
 * Runs a command in a session of its own: no terminal to read from, and one group to stop.
 * Output and errors go through one pipe, so that they come in the order in which they were written.
 */
export async function runShell({ command, cwd, env, timeoutMs, signal, onText }: ShellCommand): Promise<Ended> {
  const output = clippedOutput(MAX_OUTPUT_CHARS)
  const child = spawn("/bin/sh", ["-c", 'exec "$0" -c "$1" 2>&1', SHELL, command], {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  })
  child.stdout.on("data", output.write)
  if (onText) streamText(child.stdout, onText)
  const how = await ended(child, { cwd, timeoutMs, ...(signal ? { signal } : {}) })
  return { output: output.text(), how }
}

function streamText(stdout: Readable, onText: (text: string) => void): void {
  const decoder = new StringDecoder("utf8")
  const tell = (text: string) => {
    if (text !== "") onText(text)
  }
  stdout.on("data", (chunk: Buffer) => tell(decoder.write(chunk)))
  stdout.once("close", () => tell(decoder.end()))
}

const SHELL = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"].find((path) => existsSync(path)) ?? "/bin/sh"

// A missing folder is reported by the system as a missing shell.
function whyNotStarted(error: Error, cwd: string): string {
  return existsSync(cwd) ? `${SHELL}: ${systemFact(error)}` : `the working folder ${cwd} is not there`
}

type Watched = Pick<ShellCommand, "cwd" | "timeoutMs" | "signal">

function ended(child: ChildProcess, { cwd, timeoutMs, signal }: Watched): Promise<Ended["how"]> {
  return new Promise((resolve) => {
    let stopped: Ended["how"] | undefined
    const timers: NodeJS.Timeout[] = []
    const forget = killAtExit(child)
    const stop = (how: Ended["how"]) => {
      if (stopped) return
      stopped = how
      killGroup(child, "SIGTERM")
      timers.push(setTimeout(() => killGroup(child, "SIGKILL"), KILL_GRACE_MS))
    }
    const onAbort = () => stop({ end: "abort", why: messageOf(signal?.reason) })
    const done = (how: Ended["how"]) => {
      for (const timer of timers) clearTimeout(timer)
      signal?.removeEventListener("abort", onAbort)
      forget()
      resolve(how)
    }
    timers.push(setTimeout(() => stop({ end: "timeout" }), timeoutMs))
    signal?.addEventListener("abort", onAbort, { once: true })
    if (signal?.aborted) onAbort()

    child.once("error", (error) => done({ end: "not started", why: whyNotStarted(error, cwd) }))
    // The shell may end before what it started in the background, which holds the pipe.
    child.once("exit", () => {
      timers.push(setTimeout(() => child.stdout?.destroy(), stopped ? STOPPED_DRAIN_MS : DRAIN_MS))
    })
    child.once("close", (code, by) => {
      if (stopped) killGroup(child, "SIGKILL")
      done(stopped ?? (by === null ? { end: "exit", code: code ?? 0 } : { end: "signal", signal: by }))
    })
  })
}
