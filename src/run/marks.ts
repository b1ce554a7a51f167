import type { Masker } from "./masks.ts"
import type { RunState } from "./state.ts"

/** Finds a mark in arguments: it stands for something that the model was not given, and would be taken literally. */
export type FindMark = (input: unknown) => string | undefined

/** The marks of this process's masks, and those that ever came up in the run. */
export function findMark({ marks, requests }: RunState, masks: Masker): FindMark {
  const isMark = (kind: string, name: string) =>
    kind === "masked" ? masks.names.has(name) || marks.has(name) : requests.get(name)?.request.kind === "secret"
  const find: FindMark = (value) => {
    if (typeof value === "string") return markIn(value, isMark)
    if (typeof value !== "object" || value === null) return undefined
    for (const [key, member] of Object.entries(value)) {
      const mark = markIn(key, isMark) ?? find(member)
      if (mark !== undefined) return mark
    }
    return undefined
  }
  return find
}

const MARK = /\[(masked|secret) ([^[\]]+)\]/g

function markIn(text: string, isMark: (kind: string, name: string) => boolean): string | undefined {
  for (const [mark, kind = "", name = ""] of text.matchAll(MARK)) if (isMark(kind, name)) return mark
  return undefined
}
