import { isRecord } from "../suspension/request.ts"
import { parsePatch } from "../tool/patch.ts"
import type { GatedCall } from "./gate.ts"

/**
 * What a rule's pattern is compared with: the command of a shell tool, else the arguments that say where the call acts
 * ({@link PLACE_KEYS}), else the first parameter of the tool's schema that is a string in this call.
 */
export type Subject =
  | { kind: "command"; command: string }
  | { kind: "places"; places: string[] }
  | { kind: "text"; text: string }
  | { kind: "nothing" }

const COMMAND_KEYS = ["command", "cmd", "script"]
const ARGUMENT_KEYS = ["argv", "args", "arguments"]

/** Arguments that say where a call acts, at any depth. All that are given count: an `allow` must match each, `deny` and `ask` any. */
const PLACE_KEYS: ReadonlySet<string> = new Set(
  (
    "path paths file files file_path filePath filepath filename url urls uri dir directory folder " +
    "source src from destination dest target to"
  ).split(" "),
)

export function subjectOf(call: GatedCall): Subject {
  if (FILE_TOOLS.has(call.name)) return fileSubject(call)
  const { input } = call
  const command = commandIn(input)
  if (command !== undefined) return { kind: "command", command }
  const places = placesIn(input)
  if (places.length > 0) return { kind: "places", places }
  const key = textKeyOf(call)
  const text = key === undefined ? undefined : input[key]
  return typeof text === "string" ? { kind: "text", text } : { kind: "nothing" }
}

/** In the schema's order, not that of the arguments: the model chooses that one. */
function textKeyOf({ input, tool }: Pick<GatedCall, "input" | "tool">): string | undefined {
  const declared = isRecord(tool.inputSchema.properties) ? Object.keys(tool.inputSchema.properties) : []
  return declared.find((key) => Object.hasOwn(input, key) && typeof input[key] === "string")
}

/**
 * The parameters that a tool declares and that no pattern is compared with: a rule says nothing of them. `undefined` where the tool
 * declares none.
 */
export function freeParameters(call: GatedCall): string[] | undefined {
  const { properties } = call.tool.inputSchema
  if (!isRecord(properties)) return undefined
  const isCompared = comparedBy(call)
  return Object.keys(properties).filter((name) => !isCompared(name))
}

function comparedBy(call: GatedCall): (name: string) => boolean {
  const { input } = call
  switch (subjectOf(call).kind) {
    case "command":
      return (name) => COMMAND_KEYS.includes(name) || (ARGUMENT_KEYS.includes(name) && isCommandText(input[name]))
    case "places":
      return (name) => PLACE_KEYS.has(name)
    case "text":
      return (name) => name === textKeyOf(call)
    case "nothing":
      return () => false
  }
}

function isCommandText(value: unknown): boolean {
  return value === undefined || commandText(value) !== undefined
}

/** All of it: a tool that takes more than one command may run each, and what runs is a program with its arguments. */
function commandIn(input: Record<string, unknown>): string | undefined {
  const textsOf = (keys: readonly string[]) => keys.flatMap((key) => commandText(input[key]) ?? [])
  const commands = textsOf(COMMAND_KEYS)
  if (commands.length === 0) return commandText(input.argv)
  return [commands.join("\n"), ...textsOf(ARGUMENT_KEYS)].join(" ")
}

/** A list of words as a shell would be given them. */
function commandText(value: unknown): string | undefined {
  if (typeof value === "string") return value
  if (!Array.isArray(value) || value.length === 0 || !value.every((word) => typeof word === "string")) return undefined
  return value.map(quoted).join(" ")
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

function placesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => (PLACE_KEYS.has(key) ? stringsIn(member) : placesIn(member)))
}

/** Every string in a value, at any depth. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(stringsIn)
}

/** The built-ins that work on files: what they are given is a path, whatever it looks like. */
export const FILE_TOOLS: ReadonlySet<string> = new Set(["read", "write", "edit", "apply_patch", "glob", "grep"])

/** Those of them that only look. */
export const SEARCHING_TOOLS: ReadonlySet<string> = new Set(["read", "glob", "grep"])

/** Searches begin in the working folder unless told otherwise; a patch names its files itself. */
function fileSubject({ name, input }: GatedCall): Subject {
  const places = [...placesIn(input), ...(name === "apply_patch" ? patchPlaces(input.patch) : [])]
  if (places.length > 0) return { kind: "places", places }
  return name === "glob" || name === "grep" ? { kind: "places", places: ["."] } : { kind: "nothing" }
}

function patchPlaces(patch: unknown): string[] {
  const parsed = typeof patch === "string" ? parsePatch(patch) : { problem: "no text" }
  // One that cannot be read is not applied either.
  return "problem" in parsed ? [] : parsed.files.flatMap(({ from, to }) => [from ?? [], to ?? []].flat())
}
