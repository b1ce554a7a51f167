/** A journal of any lines: a store of runs knows no event by name. */
export interface LineJournal {
  read(): Promise<object[]>
  append(lines: readonly object[], options: { at: number; flush: boolean }): Promise<void>
  close(): Promise<void>
}

/** What {@link journalSuite} needs: a store, and a test runner. */
export interface JournalSuiteOptions {
  /** Of the store, put before each title. */
  name: string
  /** Opens a journal that is new and empty. */
  open(): Promise<LineJournal>
  /** Opens the journal that was opened last once more, after it was closed; without it nothing outlives a close. */
  reopen?(): Promise<LineJournal>
  /** Declares a test, for instance `test` of `node:test`. */
  test(title: string, work: () => Promise<void>): void
  /** For instance `node:assert/strict`. */
  assert: SuiteAssert
}

/** The checks that the suite makes. */
export interface SuiteAssert {
  deepEqual(actual: unknown, expected: unknown): void
  equal(actual: unknown, expected: unknown): void
  rejects(promise: Promise<unknown>, expected: object): Promise<void>
}

/**
 * What every store of runs promises, as tests: reading, appending at an expected position, opening and closing.
 *
 * @example
 * import assert from "node:assert/strict"
 * import { test } from "node:test"
 * import { memoryJournal } from "toolnexus"
 * import { journalSuite } from "toolnexus/testing"
 *
 * journalSuite({ name: "memory", open: async () => memoryJournal(), test, assert })
 */
export function journalSuite(options: JournalSuiteOptions): void {
  for (const [title, work] of Object.entries(CASES)) {
    options.test(`${options.name}: ${title}`, async () => {
      const journal = await options.open()
      try {
        await work(journal, options)
      } finally {
        await journal.close()
      }
    })
  }
  if (options.reopen) declareReopening(options, options.reopen)
}

type Case = (journal: LineJournal, { assert }: JournalSuiteOptions) => Promise<void>

const CASES: Record<string, Case> = {
  "a new journal holds nothing": async (journal, { assert }) => {
    assert.deepEqual(await journal.read(), [])
  },
  "lines are read in the order in which they were appended, one at a time or several": async (journal, { assert }) => {
    await journal.append([{ n: 1 }], { at: 0, flush: false })
    await journal.append([{ n: 2 }, { n: 3 }], { at: 1, flush: true })
    assert.deepEqual(await journal.read(), [{ n: 1 }, { n: 2 }, { n: 3 }])
  },
  "appends that do not wait for each other keep their order": async (journal, { assert }) => {
    const numbers = [...Array(50).keys()]
    await Promise.all(numbers.map((n) => journal.append([{ n }], { at: n, flush: n % 7 === 0 })))
    assert.deepEqual(
      await journal.read(),
      numbers.map((n) => ({ n })),
    )
  },
  "an append at another position than the end is refused, and nothing is written": async (journal, { assert }) => {
    await journal.append([{ n: 1 }], { at: 0, flush: true })
    for (const at of [0, 2, -1, Number.NaN]) {
      await assert.rejects(journal.append([{ n: 2 }], { at, flush: true }), { code: "journal" })
    }
    assert.deepEqual(await journal.read(), [{ n: 1 }])
    await journal.append([{ n: 2 }], { at: 1, flush: true })
    assert.deepEqual(await journal.read(), [{ n: 1 }, { n: 2 }])
  },
  "of two appends at one position one is written": async (journal, { assert }) => {
    const both = [
      journal.append([{ n: 1 }], { at: 0, flush: true }),
      journal.append([{ n: 2 }], { at: 0, flush: true }),
    ]
    const written = (await Promise.allSettled(both)).filter(({ status }) => status === "fulfilled")
    assert.equal(written.length, 1)
    assert.equal((await journal.read()).length, 1)
  },
  "an append of no lines changes nothing": async (journal, { assert }) => {
    await journal.append([], { at: 0, flush: true })
    assert.deepEqual(await journal.read(), [])
  },
  "a line comes back as its JSON says, whatever is in it": async (journal, { assert }) => {
    const line = {
      text: 'line\nend, \r, tab\t, "quotes", \\, \u0000, \u2028, é, 漢字, 👍🏽, \ud800',
      deep: { list: [1, 0.5, -0, 1e300, null, true, {}, []] },
      "": "",
      left: undefined,
    }
    await journal.append([line], { at: 0, flush: true })
    assert.deepEqual(await journal.read(), [JSON.parse(JSON.stringify(line))])
  },
  "a line of several megabytes comes back whole": async (journal, { assert }) => {
    const line = { text: "漢".repeat(1_500_000) }
    await journal.append([line, { n: 2 }], { at: 0, flush: true })
    assert.deepEqual(await journal.read(), [line, { n: 2 }])
  },
  "what JSON cannot hold is refused, and the journal goes on": async (journal, { assert }) => {
    await assert.rejects(journal.append([{ n: 1n }], { at: 0, flush: true }), { code: "journal" })
    await journal.append([{ n: 1 }], { at: 0, flush: true })
    assert.deepEqual(await journal.read(), [{ n: 1 }])
  },
  "what happens to a line afterwards does not change what was appended": async (journal, { assert }) => {
    const line = { list: [1] }
    const appended = journal.append([line], { at: 0, flush: true })
    line.list.push(2)
    await appended
    const [read] = (await journal.read()) as { list: number[] }[]
    read?.list.push(3)
    assert.deepEqual(await journal.read(), [{ list: [1] }])
  },
  "after a close nothing can be appended, and closing again is fine": async (journal, { assert }) => {
    await journal.close()
    await journal.close()
    await assert.rejects(journal.append([{ n: 1 }], { at: 0, flush: true }), { code: "journal" })
  },
}

function declareReopening({ name, open, test, assert }: JournalSuiteOptions, reopen: () => Promise<LineJournal>): void {
  test(`${name}: what was appended is there when it is opened again, flushed or not, and goes on`, async () => {
    const first = await open()
    await first.append([{ n: 1 }], { at: 0, flush: true })
    const unawaited = first.append([{ n: 2 }], { at: 1, flush: false })
    await first.close()
    await unawaited
    const second = await reopen()
    assert.deepEqual(await second.read(), [{ n: 1 }, { n: 2 }])
    await second.append([{ n: 3 }], { at: 2, flush: true })
    await second.close()
    const third = await reopen()
    assert.deepEqual(await third.read(), [{ n: 1 }, { n: 2 }, { n: 3 }])
    await third.close()
  })
}
