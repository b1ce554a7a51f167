import type { RunEvent } from "../event/event.ts"
import { memoryJournal as memoryLines } from "../journal/memory.ts"
import { inUse } from "./one-at-a-time.ts"
import type { RunJournal, Store } from "./options.ts"

/**
 * A run's journal in this process.
 *
 * @param events what it holds at first
 * @example const result = await client.run("Say hello", { journal: memoryJournal() })
 */
export function memoryJournal(events: readonly RunEvent[] = []): RunJournal {
  return memoryLines(events)
}

/** Conversations that live as long as the process. */
export function memoryStore(): Store {
  const journals = new Map<string, RunJournal>()
  const open = new Set<string>()
  return {
    async open(id) {
      if (open.has(id)) throw inUse(`The conversation ${id}`)
      open.add(id)
      const journal = journals.get(id) ?? memoryJournal()
      journals.set(id, journal)
      return {
        read: () => journal.read(),
        append: (...lines) => journal.append(...lines),
        close: async () => void open.delete(id),
      }
    },
  }
}
