import type { SseEvent } from "./sse.ts"

/**
 * Recognises events that differ from an earlier one in their text only, as nearly all of a stream do: of those nothing
 * else is read. What is around the text is the same, character by character, so that parsing all of it says the same.
 */
export interface TextTemplate {
  /**
   * Takes the events that it recognises, from a place in the stream on.
   *
   * @param at where an event begins
   * @param show told of each text that they add
   * @returns where the first begins that must be parsed
   */
  take(stream: string, at: number, show: (text: string) => void): number
  /**
   * Notes an event whose only effect was that it added a text.
   *
   * @param key of the member that holds the text
   * @param add does that for another text
   */
  note(event: SseEvent, key: string, add: (text: string) => string): void
}

interface Template {
  /** Up to the quotation mark before the text, and from the one behind it to the blank line. */
  before: string
  after: string
  add: (text: string) => string
}

/** What is longer is worth its parsing, in characters. */
const MAX_NOTED = 4096
/** After so many events in a row that no template was any good for, the stream is of another kind. */
const MAX_NOTED_IN_VAIN = 16

export function openTextTemplate(): TextTemplate {
  let template: Template | undefined
  let notedInVain = 0
  return {
    take(stream, at, show) {
      if (template === undefined) return at
      const { before, after, add } = template
      let next = at
      while (stream.startsWith(before, next)) {
        const start = next + before.length
        const end = stream.indexOf("\n\n", start) + 2 - after.length
        const text = end >= start && stream.startsWith(after, end) ? textOf(stream.slice(start, end)) : undefined
        if (text === undefined) break
        const added = add(text)
        if (added !== "") show(added)
        next = end + after.length
      }
      if (next > at) notedInVain = 0
      return next
    },
    note({ raw }, key, add) {
      if (raw === undefined || raw.length > MAX_NOTED || notedInVain++ >= MAX_NOTED_IN_VAIN) return
      template = templateOf(raw, key, add)
    },
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has none of them in a string
const NOT_PLAIN = /["\\\u0000-\u001f]/

/** The text that is written so between quotation marks; `undefined` where more than the text differs. */
function textOf(written: string): string | undefined {
  if (!NOT_PLAIN.test(written)) return written
  try {
    return JSON.parse(`"${written}"`)
  } catch {
    return undefined // there is more between them than a text
  }
}

function templateOf(raw: string, key: string, add: Template["add"]): Template | undefined {
  const place = new RegExp(`"${key}"\\s*:\\s*"`, "g")
  const start = place.exec(raw) ? place.lastIndex : 0
  const end = start + (/^(?:[^"\\]|\\.)*/.exec(raw.slice(start))?.[0].length ?? 0)
  const [before, after] = [raw.slice(0, start), raw.slice(end)]
  // The key once and nothing spelt with escapes: then what was found is the member that was read.
  const isCertain = start > 0 && !`${before}${after}`.includes("\\") && !after.includes(`"${key}"`)
  return isCertain && before.indexOf(`"${key}"`) === before.lastIndexOf(`"${key}"`) ? { before, after, add } : undefined
}
