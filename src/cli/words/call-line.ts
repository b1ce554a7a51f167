import { shortened } from "./shortened.ts"

/** The member that says best what a call is about, where there is one of these. */
const TELLING = ["command", "path", "file", "filePath", "url", "pattern", "query", "name", "title"]

/**
 * A call in a few words: its tool and the argument that tells most, `bash date`. What decides about a call shows it whole.
 *
 * @param input the arguments, or their JSON
 */
export function callLine(name: string, input: unknown): string {
  const about = tellingMember(parsed(input))
  return about === undefined ? name : `${name} ${shortened(about)}`
}

function tellingMember(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null) return undefined
  const members = new Map(Object.entries(input).map(([name, value]) => [name, scalarText(value)]))
  for (const name of TELLING) {
    const text = members.get(name)
    if (text !== undefined) return text
  }
  return [...members.values()].find((text) => text !== undefined)
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  return typeof value === "string" && value.trim() !== "" ? value : undefined
}

function parsed(input: unknown): unknown {
  if (typeof input !== "string") return input
  try {
    return JSON.parse(input)
  } catch {
    return undefined // not JSON: the model is told so, and the call does not run
  }
}
