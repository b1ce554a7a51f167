import { homedir } from "node:os"
import { isAbsolute, relative, resolve } from "node:path"
import { isRecord } from "../suspension/request.ts"
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

/** Arguments that say where a call acts, at any depth. All that are given count: an `allow` must match each, `deny` and `ask` any. */
const PLACE_KEYS: ReadonlySet<string> = new Set(
  (
    "path paths file files file_path filePath filepath filename url urls uri dir directory folder " +
    "source src from destination dest target to"
  ).split(" "),
)

export function subjectOf({ input, tool }: GatedCall): Subject {
  const command = COMMAND_KEYS.map((key) => input[key]).find((value) => typeof value === "string")
  if (command !== undefined) return { kind: "command", command }
  const places = placesIn(input)
  if (places.length > 0) return { kind: "places", places }
  // The schema's order, not that of the arguments: the model chooses that one.
  const declared = isRecord(tool.inputSchema.properties) ? Object.keys(tool.inputSchema.properties) : []
  const text = declared
    .map((key) => (Object.hasOwn(input, key) ? input[key] : undefined))
    .find((it) => typeof it === "string")
  return text === undefined ? { kind: "nothing" } : { kind: "text", text }
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

/**
 * The ways to write a place that a pattern may use: as the call has it, and without detours (`a/../b`), relative to the
 * working folder where it is inside, absolute in any case.
 */
export function spellings(place: string, cwd: string): { given: string; plain: string[] } {
  const url = URL.canParse(place) && place.includes("://") ? new URL(place).href : undefined
  if (url !== undefined) return { given: place, plain: [url] }
  const absolute = resolve(cwd, withHome(place))
  const inside = relative(cwd, absolute)
  return { given: place, plain: isOutside(inside) ? [absolute] : [inside || ".", absolute] }
}

function isOutside(path: string): boolean {
  return path === ".." || path.startsWith("../") || isAbsolute(path)
}

/** A leading `~` as the folder that it stands for. */
export function withHome(place: string): string {
  return place.replace(/^~(?=\/|$)/, () => homedir())
}
