import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { createInProcessClient, type RunEvent, type RunResult } from "../../src/index.ts"
import { resultsIn } from "../support/agent.ts"
import { dyingJournal } from "./dying-journal.ts"
import { equipmentOf, eventsOf, type Scenario, scenario, type World, worldOf } from "./scenario.ts"

const CASES = process.env.TOOLNEXUS_TEST_SIZE === "long" ? 20_000 : 1_000

test("whatever is asked, answered, declined, left, too late and killed: every call gets one result, in order, and runs as often as it should", async () => {
  await fc.assert(fc.asyncProperty(scenario, survives), { numRuns: CASES, includeErrorInReport: true })
})

async function survives(it: Scenario): Promise<void> {
  const world = worldOf(it)
  for (const life of [...it.lives, Number.POSITIVE_INFINITY]) {
    await live(world, life).catch((error: Error) => {
      if (!error.message.includes("killed")) throw error
    })
  }
  world.reactions = []
  const result = await live(world, Number.POSITIVE_INFINITY)
  assert.equal(result.status, "done")
  const calls = it.turns.flatMap((names, turn) => names.map((name, index) => ({ name, turn, index })))
  assert.deepEqual(
    resultsIn(result.messages).map(([id]) => id),
    calls.map(({ turn, index }) => `c${turn}_${index}`),
  )
  for (const { name, turn, index } of calls) requireJustified(world, name, turn + 1, index)
}

async function live(world: World, life: number): Promise<RunResult> {
  const { options, toolkit } = await equipmentOf(world, () => world.reactions.shift() ?? "answer")
  const client = createInProcessClient(options)
  const journal = dyingJournal(world.file, life, world.scenario.delays)
  const isBegun = world.file.some(({ type }) => type === "user.said")
  return isBegun ? client.resume(journal, [], { toolkit }) : client.run("go", { toolkit, journal })
}

/** Each start has its own reason: that the call was let go, an answer, or for a safe call that a process ended. */
function requireJustified({ file, runs }: World, name: string, turn: number, index: number): void {
  let reasons = 0
  let starts = 0
  const asked = new Map<string, string>()
  const mine = new Set<RunEvent>(eventsOf(file, turn, index))
  for (const event of file) {
    if (event.type === "run.resumed" && name === "safe" && starts > 0) reasons = 1
    if (event.type === "request.answered") {
      const isDoubt = event.answer.id.startsWith(`in_doubt:root:${turn}:${index}:`)
      if (event.answer.ok && (isDoubt || asked.has(event.answer.id))) reasons = 1
    }
    if (!mine.has(event)) continue
    if (event.type === "call.suspended") asked.set(event.request.id, event.by)
    if (event.type === "call.decided" && event.decision === "allow") reasons = 1
    if (event.type !== "call.started") continue
    assert.ok(reasons-- > 0, `${name} ${turn}/${index} was started without a reason`)
    starts++
  }
  assert.ok(
    (runs.get(`${turn}/${index}`) ?? 0) <= starts,
    `${name} ${turn}/${index} ran more often than it was started`,
  )
  assert.equal([...mine].filter(({ type }) => type === "call.finished").length, 1)
}
