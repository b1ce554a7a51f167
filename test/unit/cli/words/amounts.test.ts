import assert from "node:assert/strict"
import { it } from "node:test"
import { ageText, bytesText } from "../../../../src/cli/words/amounts.ts"

it("a number of bytes is said in the unit that fits, with a digit behind the point only where it is below ten", () => {
  const cases: [number, string][] = [
    [0, "0 bytes"],
    [1, "1 byte"],
    [1023, "1023 bytes"],
    [1024, "1.0 KiB"],
    [1536, "1.5 KiB"],
    [10 * 1024, "10 KiB"],
    [1023 * 1024, "1.0 MiB"],
    [5 * 2 ** 30, "5.0 GiB"],
    [5000 * 2 ** 40, "5000 TiB"],
  ]
  for (const [bytes, text] of cases) assert.equal(bytesText(bytes), text)
})

it("an age is said in one unit, rounded down, and what is to come has none", () => {
  const cases: [number, string][] = [
    [-5000, "0s"],
    [999, "0s"],
    [59_999, "59s"],
    [3_599_999, "59m"],
    [86_399_999, "23h"],
    [86_400_000 * 400, "400d"],
  ]
  for (const [ms, text] of cases) assert.equal(ageText(ms), text)
})
