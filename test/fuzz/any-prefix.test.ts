import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { createInProcessModel } from "../../src/endpoint/local/in-process.ts"
import { stateFrom } from "../../src/run/fold/read-events.ts"
import type { RunState } from "../../src/run/fold/state.ts"
import { begin, driven, goOn, type Loop, seated } from "../../src/run/loop.ts"
import { NO_MASKS } from "../../src/run/masks/masks.ts"
import { createSchemaCheck } from "../../src/tools/schema-check.ts"
import { dyingJournal, Killed } from "./dying-journal.ts"
import { normalForm } from "./normal-form.ts"
import { equipmentOf, type Scenario, scenario, type World, worldOf } from "./scenario.ts"

const CASES = process.env.TOOLNEXUS_TEST_SIZE === "long" ? 20_000 : 1_000

test("what any prefix of a run's lines says is what the process that wrote them had at that point", async () => {
  await fc.assert(fc.asyncProperty(scenario, agrees), { numRuns: CASES, includeErrorInReport: true })
})

async function agrees(it: Scenario): Promise<void> {
  const world = worldOf(it)
  const had = new Map<number, string>()
  for (const life of [...it.lives, Number.POSITIVE_INFINITY]) {
    await live(world, life, had)
    for (const count of had.keys()) if (count > world.file.length) had.delete(count) // it was killed before it wrote them
  }
  assert.ok(had.size > 0)
  stateFrom(world.file)
  for (const [count, state] of had) assert.equal(normalForm(stateFrom(world.file.slice(0, count))), state)
}

/** A process whose state is looked at whenever it writes. */
async function live(world: World, life: number, had: Map<number, string>): Promise<void> {
  const { options, toolkit } = await equipmentOf(world, () => world.reactions.shift() ?? "answer")
  const model = createInProcessModel(options)
  const loop: Loop = { ...options, model, schemas: createSchemaCheck(() => {}), secrets: new Map(), masks: NO_MASKS }
  const half = world.scenario.delays.length % 2 // each case looks at every other line
  let state: RunState | undefined
  const look = (count: number) => {
    if (state && count % 2 === half) had.set(count, normalForm(state))
  }
  const journal = dyingJournal(world.file, life, world.scenario.delays, look)
  const lines = await journal.read()
  const opened = lines.length === 0 ? begin(loop, journal, { toolkit }) : goOn(loop, journal, lines, {})
  state = opened.state
  const engine = seated(loop, opened, { toolkit })
  const isBegun = lines.some(({ type }) => type === "user.said")
  const prompt = { type: "user.said" as const, message: model.style.renderUser("go") }
  await driven(engine, isBegun ? Promise.resolve() : engine.emit([prompt], { flush: false })).catch(
    (error: unknown) => {
      if (!(error instanceof Killed)) throw error
    },
  )
}
