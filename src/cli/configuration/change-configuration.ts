import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync } from "node:fs"
import { basename, dirname } from "node:path"
import type { default as Conf } from "conf"
import { systemFact, ToolnexusError } from "../../index.ts"
import type { Io } from "../io.ts"
import { jsonWith } from "./json-edit.ts"
import { configurationFile } from "./place.ts"

/** What a change reads and writes the file with. What it does not say stays in the file as it is, spaces and all. */
export interface ConfigurationFile extends Pick<Conf, "get" | "set" | "has" | "delete" | "path" | "store"> {
  /** All of it, before the change; empty where there is no file. */
  readonly text: string
  /** Replaces all of it, with JSON. */
  replace(text: string): void
}

/** A configuration file that is changed. */
export interface ConfigurationPlace {
  file: string
  /** The user's own is for nobody else to read; a project's is for whoever has the project. */
  is: "the user's" | "a project's"
  /** `replaced`: all of it will be, whatever it holds, also what is no JSON. */
  before?: "kept" | "replaced"
}

/** Another process needs milliseconds for its change. */
const LOOK_AGAIN_MS = 25
const LOOKS = 120

/**
 * Changes a configuration file: read, changed and written as a whole while no other process of ours does the same,
 * so that of several changes at once none is lost.
 *
 * @param change done at once: nothing is waited for while the file is ours
 * @param place by default the user's own
 * @throws ToolnexusError `configuration` naming the file, where it cannot be read or written; then nothing is changed
 */
export async function changeConfiguration<T>(
  io: Pick<Io, "env" | "platform" | "homeDir" | "clock">,
  change: (file: ConfigurationFile) => T,
  place: ConfigurationPlace = { file: configurationFile(io), is: "the user's" },
): Promise<T> {
  const { default: Conf } = await import("conf")
  const release = await attempt(place.file, () => takeTurn(place, io))
  try {
    return await attempt(place.file, () => change(opened(Conf, place)))
  } finally {
    release()
  }
}

function opened(Store: typeof Conf, place: ConfigurationPlace): ConfigurationFile {
  const { file } = place
  const text = existsSync(file) ? readFileSync(file, "utf8") : ""
  let exact: string | undefined
  const store = new Store<Record<string, unknown>>({
    projectName: "toolnexus",
    cwd: dirname(file),
    configName: basename(file, ".json"),
    configFileMode: modeOf(place),
    clearInvalidConfig: place.before === "replaced",
    deserialize: (it) => JSON.parse(it.replace(/^\uFEFF/, "")),
    serialize: (value) => exact ?? jsonWith(text, value),
  })
  return Object.assign(store, {
    text,
    replace(replacing: string) {
      exact = replacing
      store.store = JSON.parse(replacing.replace(/^\uFEFF/, ""))
    },
  })
}

/** A file that is there keeps its mode; of 0666 the umask takes its part. */
function modeOf({ file, is }: ConfigurationPlace): number {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? (is === "the user's" ? 0o600 : 0o666) : stat.mode & 0o777
}

/**
 * A file that only one process can make. It is never taken from anybody: who dies in the milliseconds that it is there leaves
 * it, and the next one is told.
 */
async function takeTurn({ file, is }: ConfigurationPlace, { clock }: Pick<Io, "clock">): Promise<() => void> {
  const turn = `${file}.lock`
  mkdirSync(dirname(file), { recursive: true, mode: is === "the user's" ? 0o700 : 0o777 })
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
