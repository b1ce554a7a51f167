import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createLiveOutput } from "../../../../src/cli/output/live-output.ts"
import { createOutput } from "../../../../src/cli/output/output.ts"
import { createPrinter } from "../../../../src/cli/output/printer.ts"
import type { CommandOutput, Mask } from "../../../../src/index.ts"
import { manualClock } from "../../../../src/testing/index.ts"

const KEY = "correct-horse-battery"
const first = { id: "c1", name: "bash", turn: 1 }
const second = { id: "c2", name: "bash", turn: 1 }

function watched(masks: Mask[] = [{ name: "API_KEY", value: KEY }]) {
  const lines: string[] = []
  const stream = (write: (text: string) => void) => ({ isTTY: true, write, onError() {}, flush: async () => {} })
  const printer = createPrinter(
    stream(() => {}),
    stream((text) => lines.push(text.replace(/\n$/, ""))),
  )
  const clock = manualClock(0)
  const output = createOutput({ output: "text" }, printer)
  const live = createLiveOutput({ output, masks, clock })
  const take = (text: string, call: CommandOutput["call"] = first) => live.take({ text, ...(call ? { call } : {}) })
  return { live, take, lines, clock, output }
}

describe("what a command prints while it runs", () => {
  it("is shown line by line, as the lines end, and the rest when the command does", () => {
    const { take, lines, live } = watched()
    take("one\ntw")
    assert.deepEqual(lines, ["bash | one"])
    take("o\r\nthree\n\nfour")
    assert.deepEqual(lines, ["bash | one", "bash | two", "bash | three"])
    assert.equal(live.end(first), true)
    assert.deepEqual(lines.at(-1), "bash | four")
  })

  it("says which call it is of where several run", () => {
    const { take, lines, live } = watched()
    take("a\n")
    take("b\n", second)
    take("a\n")
    live.end(first)
    take("c\n", { ...first, turn: 2 })
    assert.deepEqual(lines, ["bash | a", "bash 2 | b", "bash | a", "bash | c"])
  })

  it("is shown and not obeyed", () => {
    const { take, lines } = watched()
    take("\x1b[2K\x1b]52;c;aGk=\x07 \u202E\tx\n")
    assert.deepEqual(lines, ["bash | <U+001B>[2K<U+001B>]52;c;aGk=<U+0007> <U+202E>    x"])
  })

  it("holds nothing that is masked, wherever it is cut into pieces", () => {
    for (let at = 1; at < KEY.length; at++) {
      const { take, lines, live } = watched()
      take(`key=${KEY.slice(0, at)}`)
      take(`${KEY.slice(at)}\nnext ${KEY.slice(0, at)}`)
      take(KEY.slice(at))
      live.end(first)
      assert.deepEqual(lines, ["bash | key=[masked API_KEY]", "bash | next [masked API_KEY]"])
    }
  })

  it("holds no secret that was typed, also where it stands at the end of what is shown of a line", () => {
    const { take, lines, output } = watched([])
    output.withhold(
      [{ id: "s1", kind: "secret", prompt: "?" }],
      [{ id: "s1", ok: true, data: { output: "hunter2hunter2" } }],
    )
    take(`${"x".repeat(390)}hunter2hunter2\n`)
    assert.equal(lines[0], `bash | ${"x".repeat(390)}[secret s1…`)
  })

  it("begins anew at a carriage return, as a progress bar does", () => {
    const { take, lines } = watched()
    take("10%\r20%\r")
    take("\n30%\r")
    take("40%")
    assert.deepEqual(lines, ["bash | 10%", "bash | 20%", "bash | 30%"])
  })

  it("is cut where a line does not end, and goes on with the next", () => {
    const { take, lines } = watched()
    for (let i = 0; i < 40; i++) take("x".repeat(1000))
    take("y\nnext\n")
    assert.deepEqual(lines, [`bash | ${"x".repeat(400)}…`, "bash | next"])
  })

  it("is no flood: so many lines at once, then a few a second, and it says how many are not shown", () => {
    const { take, lines, clock, live } = watched()
    take("line\n".repeat(100_000))
    assert.equal(lines.length, 500)
    clock.advance(1000)
    take("line\n".repeat(100))
    assert.deepEqual(lines.slice(500), ["bash | [99500 lines are not shown]", ...Array<string>(10).fill("bash | line")])
    live.end(first)
    assert.equal(lines.at(-1), "bash | [90 lines are not shown]")
  })

  it("is told of by its end only where there was any", () => {
    const { live } = watched()
    assert.equal(live.end(first), false)
  })
})
