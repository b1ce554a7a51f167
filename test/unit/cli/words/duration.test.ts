import assert from "node:assert/strict"
import { it } from "node:test"
import { durationText, parseDuration } from "../../../../src/cli/words/duration.ts"

it("reads durations with units", () => {
  assert.equal(parseDuration("90s"), 90_000)
  assert.equal(parseDuration("1h30m"), 5_400_000)
  assert.equal(parseDuration("1.5m"), 90_000)
  assert.equal(parseDuration("250ms"), 250)
})

it("guesses no unit, and takes no rubbish", () => {
  for (const text of ["10", "", "m", "-5s", "5 s", "5s!", "0s", "1x", "5sm"])
    assert.equal(parseDuration(text), undefined, text)
})

it("writes durations so that they are read again", () => {
  for (const [ms, text] of [
    [90_000, "1m30s"],
    [5_400_000, "1h30m"],
    [1_002, "1s2ms"],
    [250, "250ms"],
  ] as const) {
    assert.equal(durationText(ms), text)
    assert.equal(parseDuration(text), ms)
  }
})
