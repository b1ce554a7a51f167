import { type Context, createContext, Script } from "node:vm"
import { messageOf } from "../../tool/error.ts"

/** Where something is to be masked. */
export interface Place {
  start: number
  end: number
  name: string
  /** Characters of the longest that is part of it. */
  longest: number
}

/** How long a pattern may take on one text. What needs more would need for ever. */
const TOO_LONG_MS = 1000

export function findValue(text: string, value: string, name: string): Place[] {
  const places: Place[] = []
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const end = at + value.length
    const last = places.at(-1)
    // One that begins within the one before it makes that one longer.
    if (last && at < last.end) last.end = end
    else places.push({ start: at, end, name, longest: value.length })
  }
  return places
}

/** What a pattern matches; where it takes too long or fails, that is the whole text. */
export function findPattern(
  text: string,
  pattern: RegExp,
  name: string,
  onWarning: (message: string) => void,
): Place[] {
  try {
    return matchesIn(text, pattern).map(([start, end]) => ({ start, end, name, longest: end - start }))
  } catch (error) {
    onWarning(
      `the mask ${name} failed on a text of ${text.length} characters, all of which is masked: ${messageOf(error)}`,
    )
    return text === "" ? [] : [{ start: 0, end: text.length, name, longest: text.length }]
  }
}

/** Why a pattern cannot be used, as far as that shows before there is a text. */
export function problemOfPattern(pattern: RegExp): string | undefined {
  if (new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")).test(""))
    return "its pattern matches the empty text"
  try {
    for (const probe of probesOf(pattern)) matchesIn(probe, pattern)
    return undefined
  } catch (error) {
    return `its pattern takes too long on a short text (${messageOf(error)}): a repetition within a repetition is the usual cause`
  }
}

/** On so little text only a pattern whose time doubles with each character takes long. */
const PROBE_LENGTH = 40

function probesOf({ source }: RegExp): string[] {
  const characters = new Set([..."aA0 _-./=", ...(source.match(/[\w ./=-]/g) ?? [])])
  return [...characters].map((character) => `${character.repeat(PROBE_LENGTH)}\0`)
}

type Match = readonly [start: number, end: number]

/** @throws Error when it takes too long */
function matchesIn(text: string, pattern: RegExp): Match[] {
  const global = new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, "")}g`)
  return inTime(() => {
    const matches: Match[] = []
    for (const { index, 0: match } of text.matchAll(global))
      if (match !== "") matches.push([index, index + match.length])
    return matches
  })
}

let guard: { context: Context; script: Script } | undefined

/** Only code in a context of its own can be stopped: a regular expression gives nobody else a turn. */
function inTime<T>(work: () => T): T {
  guard ??= { context: createContext({}), script: new Script("work()") }
  guard.context.work = work
  try {
    return guard.script.runInContext(guard.context, { timeout: TOO_LONG_MS }) as T
  } finally {
    guard.context.work = undefined
  }
}
