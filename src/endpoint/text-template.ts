import type { SseEvent } from "./sse.ts"

/**
 * Recognises events that differ from an earlier one in their text only, as nearly all of a stream do: of those only
 * the text is parsed. What is around it is the same, character by character, so that parsing all of it says the same.
 */
export interface TextTemplate {
  /** @returns the text that the event adds; `undefined` where it must be parsed */
  read(event: SseEvent): string | undefined
  /**
   * Notes an event whose only effect was that it added a text.
   *
   * @param key of the member that holds the text
   * @param add does that for another text
   */
  note(event: SseEvent, key: string, add: (text: string) => string): void
}

interface Template {
  name: string | undefined
  /** Up to the quotation mark before the text, and from the one behind it. */
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
    read(event) {
      if (template === undefined) return undefined
      const text = textIn(event, template)
      if (text === undefined) return undefined
      notedInVain = 0
      return template.add(text)
    },
    note(event, key, add) {
      if (event.data.length > MAX_NOTED || notedInVain++ >= MAX_NOTED_IN_VAIN) return
      template = templateOf(event, key, add)
    },
  }
}

function textIn({ event, data }: SseEvent, { name, before, after }: Template): string | undefined {
  if (event !== name || data.length < before.length + after.length) return undefined
  if (!data.startsWith(before) || !data.endsWith(after)) return undefined
  try {
    return JSON.parse(data.slice(before.length - 1, data.length - after.length + 1))
  } catch {
    return undefined // more than the text differs
  }
}

function templateOf({ event: name, data }: SseEvent, key: string, add: Template["add"]): Template | undefined {
  const place = new RegExp(`"${key}"\\s*:\\s*"`, "g")
  const start = place.exec(data) ? place.lastIndex : 0
  const end = start + (/^(?:[^"\\]|\\.)*/.exec(data.slice(start))?.[0].length ?? 0)
  const [before, after] = [data.slice(0, start), data.slice(end)]
  // The key once and nothing spelt with escapes: then what was found is the member that was read.
  const isCertain = start > 0 && !`${before}${after}`.includes("\\") && !after.includes(`"${key}"`)
  return isCertain && before.indexOf(`"${key}"`) === before.lastIndexOf(`"${key}"`)
    ? { name, before, after, add }
    : undefined
}
