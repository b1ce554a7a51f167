import { createHash } from "node:crypto"
import { existsSync, readdirSync, realpathSync, rmSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { ToolnexusError } from "../../index.ts"
import { unusable, writeAtOnce } from "../files/private-folder.ts"
import { isRecord } from "../is-record.ts"
import type { StateFolder } from "../state/state-folder.ts"
import { jsonProblem } from "../words/json-problem.ts"
import { isInside } from "./trusted-files.ts"

/** A folder that the person trusts, as it was when they looked at it. */
export interface TrustRecord {
  /** Links resolved. */
  folder: string
  /** What its files held, by their path from the folder, or absolute outside of it. */
  files: Readonly<Record<string, string>>
  /** RFC 3339. */
  at: string
}

/** What the person trusts, in the state folder: never in a project, and never where others can write. */
export interface TrustStore {
  find(folder: string): TrustRecord | undefined
  save(record: TrustRecord): void
  /** @returns whether it was there */
  remove(folder: string): boolean
  all(): TrustRecord[]
}

const NAME = "trust"

/**
 * Every function throws ToolnexusError `configuration` where what is in the store's place is not the person's own.
 *
 * @param root the repository or folder that is looked at, where one is: a store inside of it may have come with it
 */
export function trustStore(state: StateFolder, root: string | undefined): TrustStore {
  const requireOutside = () => {
    if (root === undefined || !isInside(realOf(resolve(state.path)), root)) return
    throw new ToolnexusError(
      "configuration",
      `trust is not kept inside what is trusted: the state folder ${state.path} is in ${root}: name another with TOOLNEXUS_STATE_DIR`,
    )
  }
  const there = () => {
    const folder = state.found(NAME)
    if (folder !== undefined) requireOutside()
    return folder
  }
  return {
    find(folder) {
      const store = there()
      const record = store === undefined ? undefined : read(join(store, nameOf(folder)), state)
      return record?.folder === folder ? record : undefined
    },
    save(record) {
      requireOutside()
      writeAtOnce(join(state.folder(NAME), nameOf(record.folder)), `${JSON.stringify(record)}\n`)
    },
    remove(folder) {
      const store = there()
      if (store === undefined || read(join(store, nameOf(folder)), state) === undefined) return false
      rmSync(join(store, nameOf(folder)))
      return true
    },
    all() {
      const store = there()
      const names = store === undefined ? [] : readdirSync(store).filter((name) => name.endsWith(".json"))
      return names.flatMap((name) => read(join(store as string, name), state) ?? [])
    },
  }
}

/** Where a path leads, also one of which only the beginning is there. */
function realOf(path: string): string {
  const parent = dirname(path)
  if (existsSync(path) || parent === path) return realpathSync(path)
  return join(realOf(parent), basename(path))
}

function nameOf(folder: string): string {
  return `${createHash("sha256").update(folder).digest("hex")}.json`
}

const WHAT = "what is trusted"

function read(path: string, state: StateFolder): TrustRecord | undefined {
  const text = state.read(path, WHAT)
  if (text === undefined) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw unusable(path, `is not JSON (${jsonProblem(text)})`, WHAT)
  }
  const { folder, files, at } = isRecord(value) ? value : {}
  if (typeof folder === "string" && typeof at === "string" && isRecord(files)) {
    return { folder, files: files as Record<string, string>, at }
  }
  throw unusable(path, "does not hold what it should", WHAT)
}
