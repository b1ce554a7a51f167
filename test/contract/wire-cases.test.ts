import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { failuresOf, loadWireCases, playWireCase } from "./wire-case.ts"

/** Cases that we believe to be wrong, each with its reason. */
const SKIPPED: Record<string, string> = {}

const cases = loadWireCases()

describe("what endpoints really send", () => {
  it("all the cases are here", () => assert.equal(cases.length, 107))

  for (const wireCase of cases) {
    const skip = SKIPPED[wireCase.id]
    const options = { timeout: 10_000, concurrency: true, ...(skip ? { skip } : {}) }
    it(`${wireCase.id} ${wireCase.style}: ${wireCase.title}`, options, async () => {
      const played = await playWireCase(wireCase)
      assert.deepEqual(failuresOf(wireCase, played), [])
    })
  }
})

describe("what endpoints really send, over a fetch of the caller's", () => {
  for (const wireCase of cases) {
    const skip = SKIPPED[wireCase.id]
    it(`${wireCase.id} ${wireCase.style}: ${wireCase.title}`, {
      timeout: 10_000,
      ...(skip ? { skip } : {}),
    }, async () => {
      const played = await playWireCase(wireCase, { fetch })
      assert.deepEqual(failuresOf(wireCase, played), [])
    })
  }
})
