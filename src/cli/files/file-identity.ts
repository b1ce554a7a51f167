import { createHash } from "node:crypto"
import { chmodSync, readFileSync, realpathSync, statSync } from "node:fs"

/**
 * Which file this is, whatever it is called: moving it changes nothing, a copy or a new file in its place is another one.
 * Where the platform gives no time of birth, the place counts too, for the number of a removed file is given again.
 *
 * @param file it is there
 */
export function identityOf(file: string): string {
  const path = realpathSync(file)
  const { dev, ino, birthtimeNs } = statSync(path, { bigint: true })
  return `${dev}:${ino}:${tellsBirth(path) ? birthtimeNs : path}`
}

/** The same of a file of ours that may be quite new: it is given a change that is later than its birth. */
export function lastingIdentityOf(file: string): string {
  const path = realpathSync(file)
  for (let tries = 0; tries < TICKS && !tellsBirth(path); tries++) {
    if (tries > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TICK_MS)
    chmodSync(path, statSync(path).mode & 0o7777)
  }
  return identityOf(path)
}

/** A file's times move on in ticks of up to 10 ms. */
const TICK_MS = 2
const TICKS = 7

// Where there is none it is given as 0, or as the time of the last change.
function tellsBirth(path: string): boolean {
  const { birthtimeNs, ctimeNs } = statSync(path, { bigint: true })
  return birthtimeNs !== 0n && birthtimeNs !== ctimeNs
}

/** What a file holds, so that what somebody else wrote into it is found. */
export function sealOf(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex")
}
