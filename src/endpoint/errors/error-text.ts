import { isRecord } from "../../suspension/request.ts"

/** The longest cause that a message repeats, in characters. */
const MAX_CAUSE = 200
const MAX_DEPTH = 6

/**
 * The cause that an error reply gives: the innermost message of JSON in any of the usual shapes, an HTML page's title,
 * else the text itself.
 *
 * @param body the reply's text, or a value that was JSON
 * @returns one line of at most 200 characters; `""` where it says nothing
 * @example causeOf('{"error":{"message":"no such model"}}') // "no such model"
 */
export function causeOf(body: unknown): string {
  const line = wholeCauseOf(body).replace(/\s+/g, " ").trim()
  return line.length > MAX_CAUSE ? `${line.slice(0, MAX_CAUSE - 3)}...` : line
}

/** The same, its lines and its length as they are. */
export function wholeCauseOf(body: unknown): string {
  return typeof body === "string" ? causeOfText(body, 0) : causeOfValue(body, 0)
}

function causeOfText(text: string, depth: number): string {
  const trimmed = text.replace(/^\uFEFF/, "").trim()
  if (/^[[{"]/.test(trimmed) && depth < MAX_DEPTH) {
    const value = jsonOf(trimmed)
    if (value !== undefined) return causeOfValue(value, depth + 1) || trimmed
  }
  return trimmed.startsWith("<") ? causeOfHtml(trimmed) : trimmed
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // plain words that begin like JSON
  }
}

function causeOfHtml(html: string): string {
  const head = html.slice(0, 20_000)
  const element = /<title[^>]*>([^<]*)/i.exec(head)?.[1]?.trim() || /<h1[^>]*>([^<]*)/i.exec(head)?.[1]?.trim()
  return element ? decodeEntities(element) : "an HTML page instead of a reply"
}

function decodeEntities(text: string): string {
  return text.replace(/&(#?\w+);/g, (whole, name: string) => ENTITIES.get(name) ?? whole)
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["#39", "'"],
  ["nbsp", " "],
])

function causeOfValue(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) return ""
  if (typeof value === "string") return causeOfText(value, depth)
  if (Array.isArray(value)) {
    const causes = value.slice(0, 5).map((entry) => causeOfValue(entry, depth + 1))
    return causes.filter((cause) => cause !== "").join("; ")
  }
  if (!isRecord(value)) return ""
  return causeOfObject(value, depth)
}

function causeOfObject(it: Record<string, unknown>, depth: number): string {
  const of = (member: unknown) => causeOfValue(member, depth + 1)
  const raw = isRecord(it.metadata) ? of(it.metadata.raw) : ""
  if (raw !== "") return raw
  if (typeof it.msg === "string") return fieldError(it.msg, it.loc)
  const error = isRecord(it.error) || Array.isArray(it.error) || typeof it.error === "string" ? of(it.error) : ""
  const message = of(it.message)
  // `{ error: "Not Found", message: "no such deployment" }`: both are wanted, the one word says little.
  if (typeof it.error === "string" && error !== "" && message !== "" && error !== message) return `${error}: ${message}`
  return (
    error ||
    message ||
    of(it.Message) ||
    of(it.detail) ||
    of(it.details) ||
    of(it.errors) ||
    of(it.error_message) ||
    of(it.error_msg) ||
    of(it.base_resp) ||
    of(it.status_msg) ||
    of(it.error_description) ||
    of(it.title) ||
    of(it.reason) ||
    codeOf(it)
  )
}

function fieldError(msg: string, loc: unknown): string {
  const path = Array.isArray(loc) ? loc.filter((part) => ["string", "number"].includes(typeof part)).join(".") : ""
  return path === "" ? msg : `${path}: ${msg}`
}

function codeOf(it: Record<string, unknown>): string {
  const named = [it.code, it.type, it.status].find((word) => typeof word === "string" && word !== "")
  return typeof named === "string" ? named : ""
}
