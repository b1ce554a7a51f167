import { closeSync, mkdirSync, openSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import type { default as Conf } from "conf"
import { systemFact, ToolnexusError } from "../index.ts"
import type { Io } from "./io.ts"
import { configurationFile, configurationFolder } from "./place.ts"

/** What a change reads and writes the file with. */
export type ConfigurationFile = Pick<Conf, "get" | "set" | "has" | "delete" | "path">

/** Another process needs milliseconds for its change. */
const LOOK_AGAIN_MS = 25
const LOOKS = 120

/**
 * Changes the user's configuration file: read, changed and written as a whole while no other process of ours does the same,
 * so that of several changes at once none is lost.
 *
 * @param change done at once: nothing is waited for while the file is ours
 * @throws ToolnexusError `configuration` naming the file, where it cannot be read or written; then nothing is changed
 */
export async function changeConfiguration<T>(
  io: Pick<Io, "env" | "platform" | "homeDir" | "clock">,
  change: (file: ConfigurationFile) => T,
): Promise<T> {
  const folder = configurationFolder(io)
  const path = configurationFile(io)
  const { default: Conf } = await import("conf")
  const release = await attempt(path, () => takeTurn(folder, io))
  try {
    return await attempt(path, () =>
      change(new Conf({ projectName: "toolnexus", cwd: folder, configFileMode: modeOf(path) })),
    )
  } finally {
    release()
  }
}

/** A file that is there keeps its mode. */
function modeOf(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? 0o600 : stat.mode & 0o777
}

/**
 * A file that only one process can make. It is never taken from anybody: who dies in the milliseconds that it is there leaves
 * it, and the next one is told.
 */
async function takeTurn(folder: string, { clock }: Pick<Io, "clock">): Promise<() => void> {
  const turn = join(folder, "config.json.lock")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (let look = 0; look < LOOKS; look++) {
    try {
      closeSync(openSync(turn, "wx", 0o600))
      return () => rmSync(turn, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
      await new Promise<void>((resolve) => clock.after(LOOK_AGAIN_MS, resolve))
    }
  }
  const seconds = (LOOKS * LOOK_AGAIN_MS) / 1000
  throw new ToolnexusError("configuration", `another process is at it (for ${seconds} s): if none is, remove ${turn}`)
}

async function attempt<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new ToolnexusError(
      "configuration",
      `${path} cannot be changed: ${systemFact(error)}; mend that and try again`,
      { cause: error },
    )
  }
}
