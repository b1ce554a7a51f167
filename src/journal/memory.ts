import type { Journal } from "./journal.ts"
import { closedError, positionError } from "./journal-error.ts"

/**
 * A journal in this process. It keeps copies, as a file would.
 *
 * @param lines what it holds at first
 * @example const journal = memoryJournal()
 */
export function memoryJournal<E extends object = object>(lines: readonly E[] = []): Journal<E> {
  const held = lines.map(copy)
  let closed = false
  return {
    async read() {
      return held.map(copy)
    },
    async append(events, { at }) {
      if (closed) throw closedError("the journal in memory")
      if (at !== held.length) throw positionError("the journal in memory", at, held.length)
      held.push(...events.map(copy))
    },
    async close() {
      closed = true
    },
  }
}

function copy<E>(line: E): E {
  return JSON.parse(JSON.stringify(line))
}
