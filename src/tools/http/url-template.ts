import { Refusal } from "../refusal.ts"
import { argumentText, namesIn, parseTemplate, type Template } from "./placeholder.ts"

/** An address with places for arguments in its path and in the values of its query. Who is asked stands fast. */
export interface UrlTemplate {
  origin: string
  /** What stands between the slashes. */
  segments: readonly Template[]
  pairs: readonly Pair[]
}

interface Pair {
  /** Encoded. */
  name: string
  /** Texts in it are encoded. */
  value: Template
}

/**
 * Takes an address apart.
 *
 * @param query more of its query, not encoded
 * @throws Refusal what is wrong with it: the fact and the next step
 */
export function parseUrlTemplate(url: string, query: Readonly<Record<string, string>> = {}): UrlTemplate {
  const [, origin = "", rest = ""] = /^(https?:\/\/[^/?#\\]*)(.*)$/is.exec(url) ?? []
  if (origin === "") throw new Refusal("its url must begin with https:// or http://")
  if (/[{}$]/.test(origin)) {
    throw new Refusal("the host of its url must stand fast: placeholders go behind it, variables into headers")
  }
  if (origin.includes("@")) throw new Refusal("its url must hold no name or password: put them into a header")
  if (url.includes("${"))
    throw new Refusal("its url must hold no variable, as addresses are shown: put it into a header")
  if (url.includes("\\")) throw new Refusal("its url must have no backslash: write /")
  if (rest.includes("#")) throw new Refusal("its url must have no part behind #: servers never see it")
  const [path = "", ...queries] = rest.split("?")
  const written = queries.join("?")
  const template = {
    origin,
    segments: path.replace(/^\//, "").split("/").map(parseTemplate),
    pairs: [...(written === "" ? [] : written.split("&").map(pairOf)), ...Object.entries(query).map(encodedPair)],
  }
  requireUsable(template)
  return template
}

function pairOf(text: string): Pair {
  const at = text.indexOf("=")
  return at < 0 ? { name: text, value: [] } : { name: text.slice(0, at), value: parseTemplate(text.slice(at + 1)) }
}

function encodedPair([name, text]: [string, string]): Pair {
  const value = parseTemplate(text).map((part) => (typeof part === "string" ? encodeURIComponent(part) : part))
  return { name: encodeURIComponent(name), value }
}

function requireUsable({ origin, segments, pairs }: UrlTemplate): void {
  const texts = [...segments, ...pairs.map(({ value }) => value)].flat().filter((part) => typeof part === "string")
  const braced = [...texts, ...pairs.map(({ name }) => name)].find((text) => /[{}]/.test(text))
  if (braced !== undefined) {
    throw new Refusal(
      `its url has a bracket that is no placeholder (${JSON.stringify(braced)}): write {name} in the path or as a query's value`,
    )
  }
  if (!URL.canParse(origin)) throw new Refusal(`${JSON.stringify(origin)} is no address`)
}

/** The arguments without which there is no address. */
export function pathArguments({ segments }: UrlTemplate): string[] {
  return segments.flatMap(namesIn)
}

export function queryArguments({ pairs }: UrlTemplate): string[] {
  return pairs.flatMap(({ value }) => namesIn(value))
}

/**
 * The address for a call: whatever an argument holds, it stays one segment of the path or one value of the query. A pair of the query
 * whose argument the call has not is left out.
 *
 * @throws Refusal where an argument would lead elsewhere
 */
export function fillUrl({ origin, segments, pairs }: UrlTemplate, args: Readonly<Record<string, unknown>>): URL {
  const path = segments.map((segment) => fillSegment(segment, args)).join("/")
  const query = pairs.flatMap((pair) => fillPair(pair, args)).join("&")
  return new URL(`${origin}/${path}${query === "" ? "" : `?${query}`}`)
}

function fillSegment(segment: Template, args: Readonly<Record<string, unknown>>): string {
  const filled = segment.map((part) => {
    if (typeof part === "string") return part
    const text = argumentText(args, part.argument) ?? ""
    if (text === "") throw new Refusal(`${part.argument} must not be empty: it is a part of the address`)
    return encoded(text, part.argument)
  })
  const text = filled.join("")
  const isStep = /^(?:\.|%2e){1,2}$/i.test(text)
  const [first] = segment.filter((part) => typeof part !== "string")
  if (isStep && first)
    throw new Refusal(`${first.argument} must not be ${JSON.stringify(text)}: it would lead elsewhere`)
  return text
}

function fillPair({ name, value }: Pair, args: Readonly<Record<string, unknown>>): string[] {
  const filled = value.map((part) => {
    if (typeof part === "string") return part
    const text = argumentText(args, part.argument)
    return text === undefined ? undefined : encoded(text, part.argument)
  })
  return filled.includes(undefined) ? [] : [value.length === 0 ? name : `${name}=${filled.join("")}`]
}

function encoded(text: string, argument: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    throw new Refusal(`${argument} holds half a character`) // a lone surrogate
  }
}
