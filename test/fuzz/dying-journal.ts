import assert from "node:assert/strict"
import type { RunEvent, RunJournal } from "../../src/index.ts"

/** How a journal in a process ends that is killed. */
export class Killed extends Error {}

/**
 * A journal of a process that is killed after some lines: what is written before stays, also half of an append.
 *
 * @param file the lines of all processes
 * @param lines how many this one writes
 * @param delays how many turns of the event loop each append takes; they begin anew at the end
 * @param onAppend told of each append when it is asked for, with the number of lines that the file will hold then
 */
export function dyingJournal(
  file: RunEvent[],
  lines: number,
  delays: readonly number[] = [0],
  onAppend: (count: number) => void = () => {},
): RunJournal {
  let left = lines
  let appends = 0
  let expected = file.length
  let last: Promise<void> = Promise.resolve()
  const write = async (events: RunEvent[], delay: number): Promise<void> => {
    for (let turn = 0; turn < delay; turn++) await new Promise(setImmediate)
    for (const event of events) {
      if (left-- <= 0) throw new Killed("killed")
      file.push(event)
    }
  }
  return {
    read: async () => structuredClone(file),
    async append(events, { at }) {
      assert.equal(at, expected)
      expected += events.length
      onAppend(expected)
      const copies = JSON.parse(JSON.stringify(events)) as RunEvent[]
      const delay = delays[appends++ % delays.length] ?? 0
      last = last.then(() => write(copies, delay))
      await last
    },
    close: async () => {},
  }
}
