import { randomUUID } from "node:crypto"
import { existsSync, rmSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { isToolnexusError, ToolnexusError } from "../tool/error.ts"
import { systemFact } from "../tool/system-fact.ts"
import { codeOf } from "./journal-error.ts"
import { type Claim, firstLive, type LockFile, NoLockFile, openLockFile } from "./lock-file.ts"
import { isStopped, type Life, lifeOf, type ProcessIdentity, thisProcess } from "./process-life.ts"
import { realFile } from "./real-file.ts"

/** The right to write one run file. */
export interface Lock {
  /** Gives it back. Where the run file is not there, its lock file does not stay either. Twice is fine. */
  release(): void
}

/** Who writes a run file. */
export interface Holder {
  pid: number
  host: string
  /** Since when, RFC 3339. */
  time: string
  /** `unknown`: of another machine or container. */
  life: Exclude<Life, "dead">
}

/** Another contender needs microseconds to find out whether it is the first; one that is stopped meanwhile is waited for 2 s. */
const UNDECIDED_LOOK_MS = 5
const UNDECIDED_LOOKS = 400

/**
 * Takes the lock of a run file.
 *
 * @param file the run file's real path
 * @throws ToolnexusError `in_use` when another process, or this one, holds it; `journal` when the lock file cannot be written
 */
export async function takeLock(file: string): Promise<Lock> {
  for (;;) {
    const lockFile = openFor(file)
    try {
      const nonce = await becomeFirst(file, lockFile)
      if (isInPlace(file, nonce)) return { release: once(() => release(file, lockFile, nonce)) }
    } catch (error) {
      lockFile.close()
      throw isToolnexusError(error) ? error : lockError(file, error)
    }
    lockFile.close()
  }
}

/** Whether it is the lock file of all others too: a holder may have taken it away after it was opened here. */
function isInPlace(file: string, nonce: string): boolean {
  const isOurs = (lockFile: LockFile) => lockFile.claims().some((claim) => claim.nonce === nonce)
  return inspect(file, "to look", isOurs) ?? false
}

/** Who writes a run file now, without taking the lock; `undefined` too where that cannot be seen from here. */
export async function lockHolder(file: string): Promise<Holder | undefined> {
  const real = await realFile(file, "no_run")
  try {
    return inspect(real, "to look", (lockFile) => holderIn(lockFile.claims()))
  } catch {
    return undefined // reading a run never needs its lock, not even the right to read it
  }
}

/**
 * Lets go of a run file that a process of another machine (or container) holds or held. Make sure that it does not run any more.
 *
 * @param file the run file
 * @returns who was overruled, or `undefined` when nobody held it
 * @throws ToolnexusError `in_use` when the holder is alive on this machine
 * @example await unlockRun("deploy.run.jsonl")
 */
export async function unlockRun(file: string): Promise<Holder | undefined> {
  const real = await realFile(file, "no_run")
  return inspect(real, "to change", (lockFile) => {
    const claims = lockFile.claims()
    const alive = claims.find(({ by }) => lifeOf(by) === "alive")
    if (alive) throw inUse(real, alive, "alive")
    const holder = holderIn(claims)
    for (const { nonce } of claims) lockFile.append({ free: nonce })
    return holder
  })
}

function inspect<T>(file: string, how: "to look" | "to change", look: (lockFile: LockFile) => T): T | undefined {
  let lockFile: LockFile
  try {
    lockFile = openLockFile(lockPath(file), how)
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined
    throw lockError(file, error)
  }
  try {
    return look(lockFile)
  } finally {
    lockFile.close()
  }
}

function holderIn(claims: readonly Claim[]): Holder | undefined {
  const first = firstLive(claims)
  if (first === undefined) return undefined
  const { by, time } = first.claim
  return { pid: by.pid, host: by.host, time, life: first.life }
}

function lockPath(file: string): string {
  return `${file}.lock`
}

function openFor(file: string): LockFile {
  try {
    return openLockFile(lockPath(file), "to take")
  } catch (error) {
    throw lockError(file, error)
  }
}

/** Appends a claim and looks whether it is the first, until it is or another one holds. */
async function becomeFirst(file: string, lockFile: LockFile): Promise<string> {
  let looks = 0
  let mine: string | undefined
  for (;;) {
    const first = firstLive(lockFile.claims(), mine)
    if (first === undefined) {
      // Nobody holds it; a claim from before is gone where a holder cleared the file.
      mine = appendClaim(lockFile)
    } else if (first.claim.nonce === mine) {
      return confirmed(lockFile, mine)
    } else if (first.claim.held || looks === UNDECIDED_LOOKS) {
      if (mine !== undefined) lockFile.append({ free: mine })
      throw inUse(file, first.claim, first.life)
    } else {
      looks++
      await sleep(UNDECIDED_LOOK_MS)
    }
  }
}

function appendClaim(lockFile: LockFile): string {
  const nonce = randomUUID()
  lockFile.append({ claim: nonce, by: thisProcess(), time: new Date().toISOString() })
  return nonce
}

function confirmed(lockFile: LockFile, nonce: string): string {
  try {
    lockFile.append({ held: nonce })
  } catch (error) {
    lockFile.clear() // the first may; a claim that stays would keep all others out
    throw error
  }
  return nonce
}

// Clearing keeps the file small. Whoever was overruled by hand is not the first any more, and may not.
function release(file: string, lockFile: LockFile, nonce: string): void {
  try {
    if (firstLive(lockFile.claims(), nonce)?.claim.nonce === nonce) {
      if (!existsSync(file)) rmSync(lockPath(file), { force: true }) // first: the next one may come once it is cleared
      lockFile.clear()
    } else lockFile.append({ free: nonce })
  } catch (error) {
    throw lockError(file, error)
  } finally {
    lockFile.close()
  }
}

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    work()
  }
}

function inUse(file: string, { by, time }: Claim, life: Life): ToolnexusError {
  const holder = `process ${by.pid} on ${by.host} since ${time}`
  return new ToolnexusError("in_use", `${file} is in use by ${holder}: ${adviceAbout(by, life)}`, {
    details: { file, pid: by.pid, host: by.host, time, life },
  })
}

function adviceAbout(by: ProcessIdentity, life: Life): string {
  if (life === "unknown")
    return "it cannot be seen from here whether that still runs; if it does not, unlockRun lets go"
  if (by.pid === process.pid) return "that is this process: close the journal that it has open"
  if (isStopped(by.pid)) return `it is stopped: bring it back with fg, or end it with kill -KILL ${by.pid}`
  return `wait until it is done, or end it with kill ${by.pid}`
}

function lockError(file: string, cause: unknown): ToolnexusError {
  return new ToolnexusError(
    "journal",
    `${file} cannot be locked: ${factOf(cause)} (${lockPath(file)}); ${wayOn(cause)}`,
    {
      details: { file },
      cause,
    },
  )
}

function factOf(cause: unknown): string {
  return codeOf(cause) === "ELOOP" ? "its lock file is a symbolic link" : systemFact(cause) // one is enough: none is followed
}

function wayOn(cause: unknown): string {
  const code = codeOf(cause) ?? ""
  if (FULL.has(code)) return "make room, and try again"
  return cause instanceof NoLockFile || NO_FILE.has(code) ? "remove that" : "copy it to where you may write"
}

/** Of a folder or a link. */
const NO_FILE: ReadonlySet<string> = new Set(["EISDIR", "ELOOP", "ENXIO"])
const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"])
