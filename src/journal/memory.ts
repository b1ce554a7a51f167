import type { Journal } from "./journal.ts"
import { closedError, positionError } from "./journal-error.ts"
import { renderLines } from "./render-lines.ts"

const NAME = "the journal in memory"

/**
 * A journal in this process. It keeps copies, as a file would.
 *
 * @param lines what it holds at first
 * @example const journal = memoryJournal()
 */
export function memoryJournal<E extends object = object>(lines: readonly E[] = []): Journal<E> {
  const held = lines.map(rendered)
  let closed = false
  return {
    async read() {
      return held.map((line): E => JSON.parse(line))
    },
    async append(events, { at }) {
      if (closed) throw closedError(NAME)
      if (at !== held.length) throw positionError(NAME, at, held.length)
      held.push(...events.map(rendered))
    },
    async close() {
      closed = true
    },
  }
}

function rendered(line: object): string {
  return renderLines(NAME, [line])
}
