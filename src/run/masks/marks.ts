import type { RunState } from "../fold/state.ts"
import type { Mask, Masker } from "./masks.ts"

/** Finds a mark in arguments: it stands for something that the model was not given, and would be taken literally. */
export type FindMark = (input: unknown) => string | undefined

/** The marks of this process's masks, and those that ever came up in the run. */
export function findMark({ marks, requests }: RunState, masks: Masker): FindMark {
  return findIn((kind, name) =>
    kind === "masked" ? masks.names.has(name) || marks.has(name) : requests.get(name)?.request.kind === "secret",
  )
}

/**
 * The mark of a mask that arguments hold, in keys or values at any depth: a call with it is not run.
 *
 * @param masks those of the run
 * @returns the mark as it stands there, or `undefined`
 * @example markIn({ header: "Bearer [masked API_KEY]" }, [{ name: "API_KEY", value: "..." }]) // "[masked API_KEY]"
 */
export function markIn(input: unknown, masks: readonly Mask[]): string | undefined {
  const names = new Set(masks.map(({ name }) => name))
  return findIn((kind, name) => kind === "masked" && names.has(name))(input)
}

type IsMark = (kind: string, name: string) => boolean

function findIn(isMark: IsMark): FindMark {
  const find: FindMark = (value) => {
    if (typeof value === "string") return markOf(value, isMark)
    if (typeof value !== "object" || value === null) return undefined
    for (const [key, member] of Object.entries(value)) {
      const mark = markOf(key, isMark) ?? find(member)
      if (mark !== undefined) return mark
    }
    return undefined
  }
  return find
}

const MARK = /\[(masked|secret) ([^[\]]+)\]/g

function markOf(text: string, isMark: IsMark): string | undefined {
  for (const [mark, kind = "", name = ""] of text.matchAll(MARK)) if (isMark(kind, name)) return mark
  return undefined
}
