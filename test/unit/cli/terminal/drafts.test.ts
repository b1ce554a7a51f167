import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { parseDrafts, renderDrafts } from "../../../../src/cli/terminal/drafts.ts"

test("the draft of the only field is the text itself", () => {
  assert.equal(renderDrafts({ text: "stag" }), "stag")
  assert.deepEqual(parseDrafts("stag"), { text: "stag" })
})

test("nothing typed is no draft", () => {
  assert.equal(renderDrafts({ text: "", note: "" }), "")
  assert.deepEqual(parseDrafts(undefined), {})
})

test("what is kept comes back, whatever was typed in whichever field", () => {
  const typed = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('{"fields":{"note":"x"}}', '{"fields":{', "{}"))
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("text", "note", "edit", "0", "1"), typed), (fields) => {
      assert.deepEqual(parseDrafts(renderDrafts(fields)), { ...fields })
    }),
  )
})
