import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { failuresOf, generatedOf, loadWireCases, playInProcess, playWireCase } from "./wire-case.ts"

/** Cases that we believe to be wrong, each with its reason. */
const SKIPPED: Record<string, string> = {}

function optionsFor({ id }: { id: string }): { timeout: number; skip?: string } {
  const skip = SKIPPED[id]
  return { timeout: 10_000, ...(skip ? { skip } : {}) }
}

const cases = loadWireCases()

describe("what endpoints really send", () => {
  it("all the cases are here", () => assert.equal(cases.length, 107))

  for (const wireCase of cases) {
    it(`${wireCase.id} ${wireCase.style}: ${wireCase.title}`, optionsFor(wireCase), async () => {
      const played = await playWireCase(wireCase)
      assert.deepEqual(failuresOf(wireCase, played), [])
    })
  }
})

describe("what endpoints really send, over a fetch of the caller's", () => {
  for (const wireCase of cases) {
    it(`${wireCase.id} ${wireCase.style}: ${wireCase.title}`, optionsFor(wireCase), async () => {
      const played = await playWireCase(wireCase, { fetch })
      assert.deepEqual(failuresOf(wireCase, played), [])
    })
  }
})

describe("what is not about the wire holds for a model in this process", () => {
  const applying = cases.flatMap((wireCase) => {
    const replies = generatedOf(wireCase)
    return replies ? [{ wireCase, replies }] : []
  })
  it("some cases apply", () => assert.ok(applying.length >= 7, String(applying.length)))

  for (const { wireCase, replies } of applying) {
    it(`${wireCase.id}: ${wireCase.title}`, async () => {
      const { ran, result } = await playInProcess(replies)
      assert.equal(result?.text, wireCase.expect.text)
      if (wireCase.expect.toolCalls) assert.deepEqual(ran, wireCase.expect.toolCalls)
    })
  }
})
