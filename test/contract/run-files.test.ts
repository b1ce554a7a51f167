import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe, it } from "node:test"
import { type RunRecord, readRun } from "../../src/index.ts"

const RUNS = resolve(import.meta.dirname, "../fixtures/runs")

/** What each file is about; `says.json` beside them holds what `readRun` says of each. */
const SHAPES: Record<string, string> = {
  agents: "a tree: one agent answered and done, one that still asks",
  answered: "answers recorded by `answer` and not used yet, one request left open",
  finished: "the same run to its end",
  halted: "open at once: a question (with a draft), an approval, a relayed call; a finished sibling",
  imported: "a halted result that was resumed as plain data",
  "in-doubt": "the process ended while a call with effects ran",
  limited: "stopped at a limit, style anthropic, with thinking",
  "new-prompt": "declined, edited, granted; then a new prompt",
  relayed: "the answer to two relayed calls was used for one of them",
  secret: "a secret was given and not used: its value is in no file",
  "secret-used": "a secret was used by the process that was given it",
  torn: "the last line was cut off while it was written",
  "unknown-event": "an event of a later release among the lines",
}

for (const version of readdirSync(RUNS)) {
  const folder = join(RUNS, version)
  const says = JSON.parse(readFileSync(join(folder, "says.json"), "utf8")) as Record<string, unknown>

  describe(`run files of format ${version} are read as they always were`, () => {
    for (const [name, about] of Object.entries(SHAPES)) {
      it(`${name}: ${about}`, async () => {
        assert.deepEqual(summary(await readRun(join(folder, `${name}.run.jsonl`))), says[name])
      })
    }
    it("every file has a shape", () => {
      const files = readdirSync(folder).flatMap((file) => /^(.*)\.run\.jsonl$/.exec(file)?.[1] ?? [])
      assert.deepEqual(files.sort(), Object.keys(SHAPES).sort())
    })
  })
}

function summary({ status, result, prompt, drafts, recorded, grants, error, warnings }: RunRecord): unknown {
  const { text, turns, usage, limit, toolCalls, messages, suspended = [] } = result
  const calls = toolCalls.map(({ name, input, output, isError }) => ({ name, input, output, isError }))
  const roles = messages.map(({ role }) => role).join(" ")
  const open = suspended.map(({ id, kind, prompt: asked, data }) => ({ id, kind, prompt: asked, data }))
  const torn = warnings.map((warning) => warning.replace(/^.*: /, ""))
  const said = { status, text, prompt, turns, usage, limit, calls, roles, open, drafts, recorded, grants, error, torn }
  return JSON.parse(JSON.stringify(said)) // without members that are undefined
}
