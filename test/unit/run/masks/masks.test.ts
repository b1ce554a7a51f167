import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { type Mask, maskText } from "../../../../src/index.ts"
import { createMasker } from "../../../../src/run/masks/masks.ts"

const KEY = "correct-horse-battery"
const key: Mask = { name: "API_KEY", value: KEY }

describe("a value that is masked", () => {
  it("becomes its mark wherever it stands, also many times", () => {
    assert.equal(maskText(`a ${KEY}${KEY} b\n${KEY}`, [key]), "a [masked API_KEY][masked API_KEY] b\n[masked API_KEY]")
    assert.equal(maskText("nothing of it", [key]), "nothing of it")
  })

  it("is found as JSON writes it, and line by line where it has several", () => {
    const value = 'quote " back\\slash\nsecond line of it\nshort'
    const masks: Mask[] = [{ name: "PEM", value }]
    assert.equal(maskText(`{"key":${JSON.stringify(value)}}`, masks), '{"key":"[masked PEM]"}')
    assert.equal(maskText(value, masks), "[masked PEM]")
    assert.equal(
      maskText('1\tquote " back\\slash\n2\tsecond line of it\n3\tshort', masks),
      "1\t[masked PEM]\n2\t[masked PEM]\n3\tshort",
    )
  })

  it("leaves nothing of another one that it overlaps, and gives way to a longer one", () => {
    const long: Mask = { name: "LONG", value: "battery-staple-is-right" }
    for (const masks of [
      [key, long],
      [long, key],
    ]) {
      assert.equal(maskText("x correct-horse-battery-staple-is-right y", masks), "x [masked LONG] y")
    }
    const part: Mask = { name: "PART", value: "horse-battery" }
    assert.equal(maskText(`${KEY} horse-battery`, [part, key]), "[masked API_KEY] [masked PART]")
    const repeated: Mask = { name: "A", value: "aaaaaaaaaaaa" }
    assert.equal(maskText("a".repeat(31), [repeated]), "[masked A]")
  })

  it("leaves marks that stand there as they are", () => {
    const masks: Mask[] = [key, { name: "WORD", pattern: /API_\w+/ }]
    const once = maskText(`${KEY} API_THING`, masks)
    assert.equal(once, "[masked API_KEY] [masked WORD]")
    assert.equal(maskText(once, masks), once)
  })

  it("leaves nothing of any value, whatever stands around it", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "\\", '"', "\n", " ", "[masked X]"), maxLength: 60 })
    const value = fc.string({ unit: fc.constantFrom("a", "b", "\\", '"', " "), minLength: 6, maxLength: 12 })
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 4 }),
        fc.array(text, { maxLength: 4 }),
        (values, texts) => {
          const masks = values.map((each, at) => ({ name: `M${at}`, value: each }))
          const all = texts.flatMap((each, at) => [each, values[at % values.length] ?? ""]).join("")
          const left = maskText(all, masks).split(/\[masked M\d\]/)
          for (const each of values) for (const piece of left) assert.ok(!piece.includes(each), `${each} in ${piece}`)
        },
      ),
    )
  })
})

describe("a pattern that is masked", () => {
  it("is matched anywhere, with its own flags", () => {
    const masks: Mask[] = [{ name: "JIRA", pattern: /jira-[0-9]+/i }]
    assert.equal(maskText("JIRA-12 and jira-7", masks), "[masked JIRA] and [masked JIRA]")
  })

  it("masks the whole text where it does not come to an end, and says so", () => {
    const warnings: string[] = []
    const masker = createMasker([{ name: "SLOW", pattern: /(ab|ab)*c/ }], (warning) => warnings.push(warning))
    assert.equal(masker.mask("ab".repeat(50)).text, "[masked SLOW]")
    assert.match(
      warnings.join("\n"),
      /^the mask SLOW failed on a text of 100 characters, all of which is masked: .*timed out/,
    )
  })
})

describe("a mask that cannot be used is refused with its name", () => {
  const refused: [unknown, RegExp][] = [
    [{ name: "A", value: "short" }, /the mask A cannot be used: its value has fewer than 6/],
    [{ name: "A", value: 7 }, /its value must be a text, got number/],
    [{ name: "A" }, /neither a value nor a regular expression/],
    [{ name: "A", pattern: "x" }, /neither a value nor a regular expression/],
    [{ name: "A", pattern: /x*/ }, /its pattern matches the empty text/],
    [{ name: "A", pattern: /(x+)+y/ }, /its pattern takes too long on a short text/],
    [{ name: "A", pattern: /([0-9]+)*$/ }, /matches the empty text|takes too long/],
    [{ name: "a]b", value: KEY }, /a mask's name must be .* without brackets/],
    [{ name: "", value: KEY }, /a mask's name must be/],
    [undefined, /a mask must be an object, got undefined/],
  ]
  for (const [mask, message] of refused) {
    it(`${message}`, () => {
      assert.throws(() => maskText("x", [mask as Mask]), { code: "usage", message })
    })
  }
})

it("a mebibyte with thirty values in it is masked without a scan for each occurrence", () => {
  const masks = Array.from({ length: 30 }, (_, at) => ({ name: `KEY_${at}`, value: `value-number-${at}-of-thirty` }))
  const line = `${"some output that nobody minds ".repeat(30)}${masks[7]?.value}\n`
  const text = line.repeat(Math.ceil((1 << 20) / line.length))
  assert.ok(maskText(text, masks).endsWith("[masked KEY_7]\n"))
})
