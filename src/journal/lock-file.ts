import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs"
import { isRecord } from "../suspension/request.ts"
import { type Life, lifeOf, type ProcessIdentity } from "./process-life.ts"

/**
 * The file beside a run that says who writes it. Claims are appended in order and the file is never removed or replaced while the
 * run is there; the first claim that is neither withdrawn nor of a dead process holds. An append is one small write to a file opened for
 * appending, so two never mix, and each contender reads the file after its own claim is in it: all see the same first one.
 *
 * All of it is synchronous: a process whose main thread is in a call of the system is not dead, so nothing that a
 * process does to this file can happen after others see it dead.
 */
export interface LockFile {
  /** The claims that are not withdrawn, in order. */
  claims(): Claim[]
  append(line: LockLine): void
  /** Withdraws everything. Only the holder may: contenders find their claims gone, and claim again. */
  clear(): void
  close(): void
}

export interface Claim {
  nonce: string
  by: ProcessIdentity
  /** RFC 3339. */
  time: string
  /** It has seen that it is the first. Until then it may still withdraw. */
  held: boolean
}

export type LockLine =
  | { claim: string; by: ProcessIdentity; time: string }
  | { held: string } //
  | { free: string }

/**
 * @param path of the lock file
 * @param how `to take` makes it, mode 0600; `to look` needs no right to write it
 * @throws NoLockFile for what is no regular file or too large
 */
export function openLockFile(path: string, how: keyof typeof FLAGS): LockFile {
  const fd = openSync(path, FLAGS[how] | ASIDE, 0o600)
  try {
    requireLockFile(fd)
  } catch (error) {
    closeSync(fd)
    throw error
  }
  return {
    claims: () => parseClaims(readWhole(fd)),
    append(line) {
      // The line ends around it keep it apart from what a full disk may have cut off.
      const bytes = Buffer.from(`\n${JSON.stringify(line)}\n`)
      if (writeSync(fd, bytes) < bytes.length) throw Object.assign(new Error("cut off"), { code: "ENOSPC" })
    },
    clear: () => ftruncateSync(fd, 0),
    close: () => closeSync(fd),
  }
}

// A link is not followed, and a pipe not waited for.
const ASIDE = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
/** Far more than all claims that were ever made at once. */
const MAX_BYTES = 64 * 1024 * 1024

/** Something else lies where the lock file should. */
export class NoLockFile extends Error {}

function requireLockFile(fd: number): void {
  const stat = fstatSync(fd)
  if (!stat.isFile()) throw new NoLockFile("it is no regular file")
  if (stat.size > MAX_BYTES) throw new NoLockFile("it is too large")
}

const WRITING = constants.O_RDWR | constants.O_APPEND
const FLAGS: Record<"to take" | "to change" | "to look", number> = {
  "to take": WRITING | constants.O_CREAT,
  "to change": WRITING,
  "to look": constants.O_RDONLY,
}

/**
 * The first claim that nobody withdrew and whose process is not dead.
 *
 * @param mine the nonce of this process's own
 */
export function firstLive(
  claims: readonly Claim[],
  mine?: string,
): { claim: Claim; life: Exclude<Life, "dead"> } | undefined {
  for (const claim of claims) {
    const life = claim.nonce === mine ? "alive" : lifeOf(claim.by)
    if (life !== "dead") return { claim, life }
  }
  return undefined
}

// In one call: what a contender appended before is in it, whatever others do meanwhile.
function readWhole(fd: number): string {
  const buffer = Buffer.alloc(fstatSync(fd).size)
  return buffer.toString("utf8", 0, readSync(fd, buffer, 0, buffer.length, 0))
}

function parseClaims(text: string): Claim[] {
  const claims = new Map<string, Claim>()
  for (const line of text.split("\n")) {
    const value = parseLine(line)
    if (typeof value.free === "string") claims.delete(value.free)
    const confirmed = typeof value.held === "string" ? claims.get(value.held) : undefined
    if (confirmed) confirmed.held = true
    const { claim: nonce, by, time } = value
    if (typeof nonce === "string" && isIdentity(by)) claims.set(nonce, { nonce, by, time: String(time), held: false })
  }
  return [...claims.values()]
}

// What cannot be read was cut off while it was written: whoever wrote it did not get the lock by it.
function parseLine(line: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  return isRecord(value) && Number.isSafeInteger(value.pid) && Number(value.pid) > 0 && typeof value.host === "string"
}
