import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import type { Socket } from "node:net"
import type { Readable, Writable } from "node:stream"
import type { Clock } from "../../event/clock.ts"
import { systemFact } from "../../tool/system-fact.ts"
import { killAtExit, killGroup } from "../process-group.ts"

/** A server's process, in a session of its own: no terminal, no inherited output, and one group to end. */
export interface ServerProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  /** How it ended, in words: after everything that it wrote. */
  readonly ended: Promise<string>
  /** What it wrote last on its standard error, at most three lines. */
  lastLines(): readonly string[]
  /** Lets go of its input; it may end by itself for a moment, is then told to, and then killed with all that it started. */
  close(): Promise<void>
}

export interface ServerCommand {
  command: string
  args: readonly string[]
  env: NodeJS.ProcessEnv
  cwd: string
  clock: Clock
}

const LEFT_OPEN_MS = 250
const KILL_GRACE_MS = 1_000
/** How long what it started elsewhere may hold its output open when it has ended. */
const DRAIN_MS = 250

/** @throws Error when it cannot be started, naming the fact */
export async function startServerProcess({ command, args, env, cwd, clock }: ServerCommand): Promise<ServerProcess> {
  const child = spawn(command, [...args], { cwd, env, detached: true, stdio: ["pipe", "pipe", "pipe"] })
  const { stdin, stdout, stderr } = child
  stdin.on("error", () => {}) // EPIPE: it is gone, and that is what is said
  const lines = lastLinesOf(stderr)
  const forget = killAtExit(child)
  const exited = exitOf(child)
  const problem = await startedOf(child)
  if (problem) {
    forget()
    throw new Error(whyNotStarted(problem, command, cwd))
  }
  keepNothingAlive(child) // who waits for an answer keeps a timer
  const letGo = holdLifeline(child)
  const ended = exited.then(async (how) => {
    letGo()
    killGroup(child, "SIGKILL") // what it started and did not end goes with it
    await drained([stdout, stderr], clock)
    forget()
    return how
  })
  return {
    stdin,
    stdout,
    ended,
    lastLines: lines,
    async close() {
      child.ref()
      stdin.end()
      const cancel = [
        clock.after(LEFT_OPEN_MS, () => killGroup(child, "SIGTERM")),
        clock.after(LEFT_OPEN_MS + KILL_GRACE_MS, () => killGroup(child, "SIGKILL")),
      ]
      await ended
      for (const stop of cancel) stop()
    },
  }
}

/** A server that is not asked anything is no reason for this process to go on. */
function keepNothingAlive(child: ChildProcess): void {
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as Socket | null)?.unref()
}

function startedOf(child: ChildProcess): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    child.once("spawn", () => resolve(undefined))
    child.on("error", resolve)
  })
}

function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`))
  })
}

// A missing folder is reported by the system as a missing command.
function whyNotStarted(error: NodeJS.ErrnoException, command: string, cwd: string): string {
  if (!existsSync(cwd)) return `its folder ${cwd} is not there`
  if (error.code === "ENOENT") return `there is no command ${command}`
  if (error.code === "EACCES") return `${command} may not be run`
  return `it cannot be started: ${systemFact(error)}`
}

/**
 * Has the group killed also when this process is killed: a shell waits for the end of a pipe that only this process holds open.
 *
 * @returns lets go of it: the group has ended
 */
function holdLifeline({ pid }: ChildProcess): () => void {
  const script = 'read -r line; kill -s TERM -- "-$0" && sleep 1 && kill -s KILL -- "-$0"'
  const shell = spawn("/bin/sh", ["-c", script, String(pid)], { detached: true, stdio: ["pipe", "ignore", "ignore"] })
  shell.on("error", () => {}) // without a shell the group is killed in every case but that one
  shell.stdin.on("error", () => {})
  shell.unref()
  return () => shell.kill("SIGKILL")
}

const MAX_LINE_CHARS = 200
const MAX_KEPT_CHARS = 4_096

function lastLinesOf(stderr: Readable): () => string[] {
  let kept = ""
  stderr.setEncoding("utf8").on("data", (text: string) => {
    kept = (kept + text).slice(-MAX_KEPT_CHARS)
  })
  return () => {
    const lines = kept.split(/\r?\n/).filter((line) => line.trim() !== "")
    return lines.slice(-3).map((line) => (line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}...` : line))
  }
}

async function drained(streams: readonly Readable[], clock: Clock): Promise<void> {
  const closed = Promise.all(
    streams.map((stream) => stream.closed || new Promise((resolve) => stream.once("close", resolve))),
  )
  let cancel = (): void => {}
  const late = new Promise<void>((resolve) => {
    cancel = clock.after(DRAIN_MS, resolve)
  })
  await Promise.race([closed, late])
  cancel()
  for (const stream of streams) stream.destroy()
}
