import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { OutStream } from "../../../../src/cli/io.ts"
import { createOutput, outputModeIn } from "../../../../src/cli/output/output.ts"
import { createPrinter } from "../../../../src/cli/output/printer.ts"
import type { Report } from "../../../../src/cli/output/report.ts"

function stream(isTTY: boolean, log: string[]): OutStream & { fail(code: string): void } {
  const listeners: ((error: NodeJS.ErrnoException) => void)[] = []
  return {
    isTTY,
    write: (text) => log.push(text),
    onError: (listener) => listeners.push(listener),
    flush: async () => {},
    fail: (code) => {
      for (const listener of listeners) listener(Object.assign(new Error(code), { code }))
    },
  }
}

function outputOn(isTTY: boolean, flags: Partial<Parameters<typeof createOutput>[0]> = {}) {
  const [out, err]: [string[], string[]] = [[], []]
  const stdout = stream(isTTY, out)
  const printer = createPrinter(stdout, stream(isTTY, err))
  return {
    output: createOutput({ output: "text", ...flags }, printer),
    printer,
    stdout,
    out: () => out.join(""),
    err: () => err.join(""),
  }
}

const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 }
const done = (text: string): Report => ({ status: "done", text, turns: 1, toolCallCount: 0, usage })
const replied = { type: "model.replied", at: "", workMs: 0, style: "openai", message: {} } as const
const where = { runId: "r", file: "f" }

describe("the model's text", () => {
  it("is shown once when it was streamed, and ends with a line end", () => {
    const { output, out } = outputOn(true)
    for (const piece of ["Hel", "lo"]) output.text(piece)
    output.event(replied, where)
    output.result(done("Hello"))
    assert.equal(out(), "Hello\n")
  })
  it("of several turns is on lines of its own", () => {
    const { output, out } = outputOn(true)
    output.text("first")
    output.event(replied, where)
    output.text("second")
    output.event(replied, where)
    output.result(done("second"))
    assert.equal(out(), "first\nsecond\n")
  })
  it("is shown at the end where the last turn was not streamed", () => {
    const { output, out } = outputOn(true)
    output.text("first")
    output.event(replied, where)
    output.event(replied, where)
    output.result(done("second"))
    assert.equal(out(), "first\nsecond\n")
  })
  it("keeps a character whose halves come apart", () => {
    const { output, out } = outputOn(true)
    for (const piece of ["\ud83d", "\ude00"]) output.text(piece)
    output.event(replied, where)
    assert.equal(out(), "\u{1F600}\n")
  })
  it("is raw where stdout is no terminal, and escaped where it is one", () => {
    const raw = outputOn(false)
    raw.output.result(done("\x1b[2K\r\u202Ex"))
    assert.equal(raw.out(), "\x1b[2K\r\u202Ex\n")
    const shown = outputOn(true)
    shown.output.result(done("\x1b[2K\r\u202Ex\ty"))
    assert.equal(shown.out(), "<U+001B>[2K<U+000D><U+202E>x\ty\n")
  })
})

describe("what is said on stderr", () => {
  it("stands on lines of its own beside streamed text", () => {
    const { output, out, err } = outputOn(true)
    output.text("half a line")
    output.say("note")
    assert.deepEqual([out(), err()], ["half a line", "\nnote\n"])
  })
  it("is one line, whatever is in it", () => {
    const { output, err } = outputOn(false)
    output.say("a\nb\x1b")
    assert.equal(err(), "a<U+000A>b<U+001B>\n")
  })
  it("is as much as was asked for", () => {
    for (const [flags, expected] of [
      [{ quiet: true }, "say\n"],
      [{}, "say\nnotice\n"],
      [{ verbose: true }, "say\nnotice\ndetail\n"],
    ] as const) {
      const { output, err } = outputOn(false, flags)
      output.say("say")
      output.notice("notice")
      output.detail("detail")
      assert.equal(err(), expected)
    }
  })
})

describe("stdout that cannot be written", () => {
  it("is no problem when its reader went away, and one when the disk is full", async () => {
    const gone = outputOn(false)
    gone.stdout.fail("EPIPE")
    assert.equal(await gone.printer.problem(), undefined)
    const full = outputOn(false)
    full.stdout.fail("ENOSPC")
    assert.equal((await full.printer.problem())?.code, "ENOSPC")
  })
})

it("the output form is found on a command line that cannot be parsed", () => {
  assert.equal(outputModeIn(["rnu", "--output", "json"]), "json")
  assert.equal(outputModeIn(["--output=jsonl", "rnu"]), "jsonl")
  assert.equal(outputModeIn(["run", "--", "--output", "json"]), "text")
  assert.equal(outputModeIn(["run", "--output"]), "text")
})
