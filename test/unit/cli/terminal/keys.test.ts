import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { createKeyDecoder, type Key } from "../../../../src/cli/terminal/keys.ts"

const press = (name: string) => ({ type: "press", name })
const text = (typed: string) => ({ type: "text", text: typed })
const paste = (typed: string, by: "read" | "bracketed" = "read") => ({ type: "paste", text: typed, by })

function decode(...reads: string[]): Key[] {
  const decoder = createKeyDecoder()
  return reads.flatMap((read) => decoder.push(read))
}

test("one character in a read is a key", () => {
  assert.deepEqual(decode("a", "ä", "日", "🎉"), [text("a"), text("ä"), text("日"), text("🎉")])
  assert.deepEqual(
    decode("\r", "\x7f", "\x03", "\x04", "\x1a"),
    ["enter", "backspace", "ctrl-c", "ctrl-d", "ctrl-z"].map(press),
  )
})

test("a key's sequence is one key, also when it comes in pieces", () => {
  assert.deepEqual(decode("\x1b[A", "\x1bOB", "\x1b[3~"), ["up", "down", "delete"].map(press))
  assert.deepEqual(decode("\x1b", "[", "A"), [press("up")])
  assert.deepEqual(decode("\x1b[1;5D", "\x1b[15~"), ["word left", "unknown"].map(press))
})

test("Esc alone is known after a silence", () => {
  const decoder = createKeyDecoder()
  assert.deepEqual(decoder.push("\x1b"), [])
  assert.equal(decoder.incomplete(), "sequence")
  assert.deepEqual(decoder.expire(), [press("escape")])
  assert.equal(decoder.incomplete(), undefined)
})

test("several keys without a character in one read are those keys", () => {
  assert.deepEqual(decode("\x03\x03"), ["ctrl-c", "ctrl-c"].map(press))
  assert.deepEqual(decode("\x1b[B\x1b[B\x7f"), ["down", "down", "backspace"].map(press))
})

test("more than one character in one read is one insertion, and no Enter inside it is a key", () => {
  assert.deepEqual(decode("ab"), [paste("ab")])
  assert.deepEqual(decode("one\rtwo\r\nthree\n"), [paste("one\ntwo\nthree\n")])
  assert.deepEqual(decode("a\r"), [paste("a\n")])
  assert.deepEqual(decode("a\x03\x1b[Ab\tc"), [paste("abc")])
})

test("Left Left C-a X in one read are those keys, and so are Backspace or Ctrl-C beside one letter", () => {
  assert.deepEqual(decode("\x1b[D\x1b[D\x01X"), [press("left"), press("left"), press("home"), text("X")])
  assert.deepEqual(decode("\x7fb"), [press("backspace"), text("b")])
  assert.deepEqual(decode("x\x03"), [text("x"), press("ctrl-c")])
  assert.deepEqual(decode("\x1b[D", "é\x1b[3~"), [press("left"), text("é"), press("delete")])
})

test("Enter in one read with a letter or another key is a line end, never the key that sends or confirms", () => {
  assert.deepEqual(decode("y\r"), [paste("y\n")])
  assert.deepEqual(decode("\r\r"), [paste("\n\n")])
  assert.deepEqual(decode("\x1b[B\r"), [press("down"), paste("\n")])
  assert.deepEqual(decode("\x1bOM\x1b[B"), [paste("\n"), press("down")])
})

test("whatever comes in one read with something else, no Enter among it is a key", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("\r", "\n", "a", "1", " ", "\x1b[B", "\x7f", "\x1bOM"), { minLength: 2 }),
      (all) => {
        assert.ok(decode(all.join("")).every((key) => !(key.type === "press" && key.name === "enter")))
      },
    ),
  )
})

test("a bracketed paste is one insertion, in whatever pieces it comes", () => {
  assert.deepEqual(decode("\x1b[200~one\rtwo\x1b[201~"), [paste("one\ntwo", "bracketed")])
  assert.deepEqual(decode("\x1b[200~one", "\r", "\x03two\x1b[20", "1~"), [paste("one\ntwo", "bracketed")])
  assert.deepEqual(decode("\x1b[20", "0~x\x1b[201~"), [paste("x", "bracketed")])
})

test("what stands around a bracketed paste is typed", () => {
  assert.deepEqual(decode("a\x1b[200~b\x1b[201~\r"), [text("a"), paste("b", "bracketed"), press("enter")])
})

test("a paste without its end is taken as it is after a silence, and a late end means nothing", () => {
  const decoder = createKeyDecoder()
  assert.deepEqual(decoder.push("\x1b[200~half\r"), [])
  assert.equal(decoder.incomplete(), "paste")
  assert.deepEqual(decoder.expire(), [paste("half\n", "bracketed")])
  assert.deepEqual(decoder.push("\x1b[201~"), [press("unknown")])
  assert.deepEqual(decoder.push("\r"), [press("enter")])
})

test("whatever is pasted in brackets gives no key, and no control character but the newline", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(), (pasted, at) => {
      fc.pre(!pasted.includes("\x1b[201~"))
      const all = `\x1b[200~${pasted}\x1b[201~`
      const cut = at % all.length
      const keys = decode(all.slice(0, cut), all.slice(cut))
      assert.ok(keys.length <= 1)
      for (const key of keys) {
        assert.equal(key.type, "paste")
        assert.doesNotMatch((key as { text: string }).text.replaceAll("\n", ""), /\p{Cc}/u)
      }
    }),
  )
})

test("the same bytes give the same keys, wherever a sequence is cut", () => {
  const sequences = ["\x1b[A", "\x1bOB", "\x1b[3~", "\x1b[1;5C", "\x1bb"]
  for (const sequence of sequences) {
    for (let cut = 1; cut < sequence.length; cut++) {
      assert.deepEqual(decode(sequence.slice(0, cut), sequence.slice(cut)), decode(sequence))
    }
  }
})
