import type { RunEvent } from "../event/event.ts"
import { memoryJournal } from "../journal/memory.ts"
import type { RunJournal, Store } from "./options.ts"

/** Conversations that live as long as the process. */
export function memoryStore(): Store {
  const journals = new Map<string, RunJournal>()
  return {
    async open(id) {
      const journal = journals.get(id) ?? memoryJournal<RunEvent>()
      journals.set(id, journal)
      return { read: () => journal.read(), append: (...lines) => journal.append(...lines), close: async () => {} }
    },
  }
}
