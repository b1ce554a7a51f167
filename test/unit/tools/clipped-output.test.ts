import assert from "node:assert/strict"
import { test } from "node:test"
import { clippedOutput } from "../../../src/tools/clipped-output.ts"

function clipped(text: string, maxChars: number, bytes: number): string {
  const output = clippedOutput(maxChars)
  const buffer = Buffer.from(text)
  for (let at = 0; at < buffer.length; at += bytes) output.write(buffer.subarray(at, at + bytes))
  return output.text()
}

test("output up to the limit is kept whole, whatever the pieces", () => {
  for (const bytes of [1, 2, 3, 7]) assert.equal(clipped("aé漢👍🏽z", 20, bytes), "aé漢👍🏽z")
  assert.equal(clipped("0123456789", 10, 3), "0123456789")
})

test("of longer output the head and the tail are kept", () => {
  for (const bytes of [1, 4, 100]) {
    assert.equal(clipped("0123456789abcdef", 10, bytes), "01234\n[... 6 characters left out ...]\nbcdef")
  }
})

test("a character is not cut in half", () => {
  assert.equal(clipped(`a${"👍".repeat(10)}z`, 4, 100), "a\n[... 18 characters left out ...]\nz")
})

test("bytes that are no text are shown as such", () => {
  const output = clippedOutput(10)
  output.write(Buffer.from([0x61, 0xff, 0x62]))
  assert.equal(output.text(), "a\ufffdb")
})
