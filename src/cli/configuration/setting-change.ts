import { isToolnexusError, ToolnexusError } from "../../index.ts"
import { isRecord } from "../is-record.ts"
import { errorText } from "../output/error-text.ts"
import { configurationIn } from "./configuration.ts"
import { nameOf, type Setting } from "./setting-names.ts"
import { type Around, problemOfUse } from "./setting-use.ts"
import { type Members, own, problemIn } from "./settings-reader.ts"

/** A change of one setting. */
export type SettingChange = { is: "set"; setting: Setting; value: unknown } | { is: "unset"; path: readonly string[] }

/** What a file is to say, or why not. */
export type Changed =
  | { is: "changed"; root: Members; problem?: string }
  | { is: "as before" }
  | { is: "refused"; error: ToolnexusError }

/**
 * What a configuration file says after a change: whatever a run would refuse is refused here, in the same words.
 *
 * @param root what the file says
 * @param around what the file is used with
 */
export function changed(root: Members, change: SettingChange, around: Around): Changed {
  const path = change.is === "set" ? change.setting.path : change.path
  const blocked = blockedAt(root, path)
  if (blocked !== undefined) {
    return refused(`${blocked} is no object in ${around.file}: toolnexus config unset ${blocked} removes it`)
  }
  const after = change.is === "set" ? withValue(root, path, change.value) : without(root, path)
  if (JSON.stringify(after) === JSON.stringify(root)) return { is: "as before" }
  const problem = problemOf(after, path, around)
  if (problem === undefined) return { is: "changed", root: after }
  const before = problemOf(root, [], around)
  // What is broken can be taken out bit by bit.
  if (change.is === "unset" && before !== undefined) return { is: "changed", root: after, problem: errorText(problem) }
  if (before?.message === problem.message) return { is: "refused", error: before }
  return refused(`${factOf(problem, path, around)}: nothing is changed`)
}

function refused(message: string): Changed {
  return { is: "refused", error: new ToolnexusError("usage", message) }
}

/** The value at a place, as a file says it. */
export function valueAt(root: unknown, path: readonly string[]): unknown {
  return path.reduce((it: unknown, part) => (isRecord(it) ? own(it, part) : undefined), root)
}

/** The name of what stands in the way of a place. */
function blockedAt(root: Members, path: readonly string[]): string | undefined {
  for (let length = 1; length < path.length; length++) {
    const value = valueAt(root, path.slice(0, length))
    if (value === undefined) return undefined
    if (!isRecord(value)) return nameOf(path.slice(0, length))
  }
  return undefined
}

function withValue(it: Members, [name = "", ...rest]: readonly string[], value: unknown): Members {
  if (rest.length === 0) return { ...it, [name]: value }
  const inner = own(it, name)
  return { ...it, [name]: withValue(isRecord(inner) ? inner : {}, rest, value) }
}

/** What is left empty goes too. */
function without(it: Members, [name = "", ...rest]: readonly string[]): Members {
  const inner = own(it, name)
  const { [name]: _, ...others } = it
  if (rest.length === 0 || !isRecord(inner)) return others
  const left = without(inner, rest)
  return Object.keys(left).length === 0 ? others : { ...it, [name]: left }
}

/** @param path what is looked at more closely, because it changes */
function problemOf(root: Members, path: readonly string[], around: Around): ToolnexusError | undefined {
  try {
    const configuration = configurationIn({ file: around.file, root })
    const problem = problemOfUse(configuration, { root, path, around })
    return problem === undefined ? undefined : new ToolnexusError("configuration", problem)
  } catch (error) {
    if (isToolnexusError(error)) return error
    throw error
  }
}

/** Without what is to be done about a file that says so already, and with the setting's whole name. */
function factOf(error: ToolnexusError, path: readonly string[], { file }: Around): string {
  const fact = problemIn(error, file)
  return fact.startsWith(`${path.at(-1)} must be `) ? nameOf(path) + fact.slice((path.at(-1) ?? "").length) : fact
}
