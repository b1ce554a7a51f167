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
  const held = copies(lines)
  let closed = false
  return {
    async read() {
      return copies(held)
    },
    async append(events, { at }) {
      if (closed) throw closedError(NAME)
      if (at !== held.length) throw positionError(NAME, at, held.length)
      held.push(...copies(events))
    },
    async close() {
      closed = true
    },
  }
}

function copies<E>(lines: readonly E[]): E[] {
  return JSON.parse(`[${lines.map((line) => renderLines(NAME, [line])).join(",")}]`)
}
