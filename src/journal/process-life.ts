import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"

/** Which process, so that no later one is taken for it, and on which machine. */
export interface ProcessIdentity {
  pid: number
  /** When it started: clock ticks since boot, or a date; a pid is used again, this is not. */
  start?: string
  host: string
  /** Linux: which machine, which boot of it, and in which pid namespace (a container's pids mean nothing outside). */
  machine?: string
  boot?: string
  namespace?: string
}

/** `unknown`: it is of another machine or container and cannot be seen from here. */
export type Life = "alive" | "dead" | "unknown"

/** Whether a process of this machine is stopped (Ctrl-Z), where the platform says. */
export function isStopped(pid: number): boolean {
  return /^[Tt]/.test(readStat(pid)?.state ?? "")
}

type Place = Omit<ProcessIdentity, "pid" | "start">

/** This process. */
export function thisProcess(): ProcessIdentity {
  const start = startOf(process.pid)
  return { pid: process.pid, ...(start === undefined ? {} : { start }), ...here() }
}

/** Whether a process still is there. A stopped one is alive; in doubt it is alive. */
export function lifeOf(identity: ProcessIdentity, place: Place = here()): Life {
  const seen = visibility(identity, place)
  if (seen !== "here") return seen === "rebooted" ? "dead" : "unknown"
  if (!exists(identity.pid)) return "dead"
  const stat = readStat(identity.pid)
  if (stat && isOver(stat)) return "dead"
  const start = stat?.start ?? startOf(identity.pid)
  return start !== undefined && identity.start !== undefined && start !== identity.start ? "dead" : "alive"
}

function visibility(identity: Place, place: Place): "here" | "rebooted" | "elsewhere" {
  if (identity.boot === undefined || place.boot === undefined) {
    return identity.boot === place.boot && identity.host === place.host ? "here" : "elsewhere"
  }
  if (identity.boot === place.boot) return identity.namespace === place.namespace ? "here" : "elsewhere"
  const sameMachine = identity.machine !== undefined && identity.machine === place.machine
  return sameMachine && identity.host === place.host ? "rebooted" : "elsewhere"
}

let known: Place | undefined

function here(): Place {
  known ??= {
    host: hostname(),
    ...named("machine", textOf("/etc/machine-id")),
    ...named("boot", textOf("/proc/sys/kernel/random/boot_id")),
    ...named("namespace", linkOf("/proc/self/ns/pid")),
  }
  return known
}

function named<K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> {
  return value === undefined || value === "" ? {} : ({ [key]: value } as Record<K, string>)
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it is there, and another user's. /proc may hide those.
    return (error as NodeJS.ErrnoException).code !== "ESRCH"
  }
}

/** What `/proc/PID/stat` says. */
export interface ProcStat {
  state: string
  threads: number
  start: string
}

/**
 * Reads `/proc/PID/stat`. The name in its second field may hold spaces and brackets.
 *
 * @param text the file's one line
 */
export function parseStat(text: string): ProcStat | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [state, threads, start] = [fields[0], fields[17], fields[19]]
  if (!state || !threads || !start) return undefined
  return { state, threads: Number(threads), start }
}

/** Ended, and only its parent has not noticed. With other threads left, a write of it may still be under way. */
export function isOver({ state, threads }: ProcStat): boolean {
  return (state === "Z" || state === "X") && threads <= 1
}

function readStat(pid: number): ProcStat | undefined {
  const text = textOf(`/proc/${pid}/stat`)
  return text === undefined ? undefined : parseStat(text)
}

function startOf(pid: number): string | undefined {
  if (process.platform === "linux") return readStat(pid)?.start
  if (process.platform === "win32") return undefined
  try {
    const env = { PATH: process.env.PATH, TZ: "UTC", LC_ALL: "C" }
    const stdio: ("ignore" | "pipe")[] = ["ignore", "pipe", "ignore"]
    const { execFileSync } = process.getBuiltinModule("node:child_process") // most have no use for it
    const ps = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { env, stdio, encoding: "utf8" })
    return ps.trim() || undefined
  } catch {
    return undefined // no ps, or no such process: then the pid alone decides
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim()
  } catch {
    return undefined // not this platform, or hidden: decided without it
  }
}

function linkOf(file: string): string | undefined {
  try {
    return readlinkSync(file)
  } catch {
    return undefined // not this platform: decided without it
  }
}
