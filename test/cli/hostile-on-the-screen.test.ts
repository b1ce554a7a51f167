import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Request } from "../../src/index.ts"
import { type FakeTerminal, fakeTerminal } from "../support/fake-terminal.ts"
import { HOSTILE_TEXTS, type HostileText } from "../support/hostile-texts.ts"

/** Where a text from elsewhere stands in a request. */
interface Place {
  name: string
  /** How it is shown: `lines` as it is, `line` on one line, `json` as a value, `deep` within one. */
  shown: "lines" | "line" | "json" | "deep"
  request(text: string): Request
}

const gate = (name: string, input: unknown, data: object = {}): Request => ({
  id: "r",
  kind: "approval",
  prompt: `Allow ${name}?`,
  data: { ...data, call: { id: "c", name, input, by: "gate" } },
})
const question = (one: object): Request => ({ id: "r", kind: "question", prompt: "?", data: { questions: [one] } })

const PLACES: Place[] = [
  { name: "a command", shown: "lines", request: (command) => gate("bash", { command }) },
  { name: "a path", shown: "json", request: (path) => gate("write", { path, content: "x" }) },
  { name: "a file's content", shown: "json", request: (content) => gate("write", { path: "x", content }) },
  { name: "an argument's name", shown: "line", request: (name) => gate("deploy", { [name]: 1 }) },
  { name: "a list of arguments", shown: "deep", request: (text) => gate("deploy", { all: [text, { text }] }) },
  { name: "a tool's name", shown: "line", request: (name) => gate(name, {}) },
  { name: "a diff", shown: "lines", request: (diff) => gate("edit", { path: "a" }, { diff, basis: "b" }) },
  {
    name: "a file's name in a diff",
    shown: "line",
    request: (name) =>
      gate("edit", { path: "a" }, { diff: `--- a/${name.replaceAll("\n", "\x85")}\n-a\n+b`, basis: "b" }),
  },
  { name: "why a call cannot be done", shown: "lines", request: (problem) => gate("edit", {}, { problem }) },
  { name: "the rule that asks", shown: "lines", request: (rule) => gate("bash", { command: "ls" }, { rule }) },
  {
    name: "an MCP server's name",
    shown: "line",
    request: (server) => ({
      ...gate("pay", {}),
      data: { call: { id: "c", name: "pay", input: {}, by: "gate", origin: { server, tool: "pay" } } },
    }),
  },
  { name: "an agent's name", shown: "line", request: (agent) => gate("deploy", {}, { agent: ["root", agent] }) },
  { name: "a prompt", shown: "lines", request: (prompt) => ({ id: "r", kind: "input", prompt }) },
  { name: "an unknown kind", shown: "line", request: (kind) => ({ id: "r", kind: `x${kind}`, prompt: "?" }) },
  { name: "an address", shown: "line", request: (url) => ({ id: "r", kind: "authorization", prompt: "?", url }) },
  { name: "a question", shown: "lines", request: (text) => question({ question: text }) },
  {
    name: "an option",
    shown: "line",
    request: (label) => question({ question: "Which?", options: [{ label }, { label: "no" }] }),
  },
  {
    name: "an option's description",
    shown: "lines",
    request: (description) => question({ question: "Which?", options: [{ label: "a", description }, { label: "b" }] }),
  },
  {
    name: "a choice of a schema",
    shown: "line",
    request: (text) => ({
      id: "r",
      kind: "input",
      prompt: "?",
      data: { schema: { type: "string", enum: [text, "b"] } },
    }),
  },
  {
    name: "a relayed call",
    shown: "deep",
    request: (text) => ({
      id: "r",
      kind: "tool_call",
      prompt: "?",
      data: { calls: [{ id: "1", name: "weather", input: { of: [text] }, arguments: "" }] },
    }),
  },
  {
    name: "what was answered before",
    shown: "deep",
    request: (output) => ({
      id: "r",
      kind: "approval",
      prompt: "?",
      data: {
        call: { id: "c", name: "pay", input: {}, by: "tool", answers: [{ id: "q", ok: true, data: { output } }] },
      },
    }),
  },
]

function expected({ text, shown }: HostileText, how: Place["shown"], name: string): string {
  const quoted = shown.replace(/["\\]/g, "\\$&")
  if (name === "a file's name in a diff") return shown.replaceAll("\n", "<U+0085>")
  if (how === "line") return shown.replaceAll("\n", "<U+000A>")
  if (how === "deep") return quoted.replaceAll("\n", "\\n")
  return how === "json" && !text.includes("\n") ? quoted : shown
}

/** Shows the next screenful until all of it was on the screen. */
async function readOn(terminal: FakeTerminal): Promise<void> {
  terminal.settle()
  while (/^-- \d+/m.test(await terminal.screen())) {
    terminal.type(" ")
    terminal.settle()
  }
}

/** What a person reads, one row after the other: without the margins that our rows have, and without spaces. */
function readable(scrollback: string): string {
  return scrollback
    .split("\n")
    .map((row) => row.replace(/^ *(\| )?/, "").replaceAll(" ", ""))
    .join("")
}

const OUR_SEQUENCES = /\x1b\[(?:\?2004[hl]|\?25h|\d*[AC]|J)|\r\n|\r/g

function assertNothingObeyed(terminal: FakeTerminal): void {
  const written = terminal.log.join("").replace(OUR_SEQUENCES, "")
  assert.doesNotMatch(written, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
}

async function shownOf(request: Request, size: { columns: number; rows: number }) {
  const terminal = fakeTerminal(size)
  const asked = terminal.ask(request)
  await terminal.untilScreen(/\S/)
  await readOn(terminal)
  const seen = readable(await terminal.scrollback())
  assertNothingObeyed(terminal)
  assert.equal(await asked.now(), "waiting")
  terminal.asker.close()
  return seen
}

const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 20, rows: 10 },
]

for (const place of PLACES) {
  describe(`in ${place.name}`, () => {
    for (const hostile of HOSTILE_TEXTS) {
      it(`${hostile.name}: every character is on the screen, in order, and none is obeyed`, async () => {
        const wanted = expected(hostile, place.shown, place.name).replace(/[ \n]/g, "")
        for (const size of SIZES) {
          const seen = await shownOf(place.request(hostile.text), size)
          assert.ok(seen.includes(wanted), `${size.columns} columns: ${JSON.stringify(seen)} holds no ${wanted}`)
        }
      })
    }
  })
}

describe("long commands", () => {
  const lines = Array.from({ length: 10_000 }, (_, at) => `echo ${at} && \\`).join("\n")
  const line = Array.from({ length: 8_000 }, (_, at) => `x${at}`).join(" ")
  for (const size of SIZES) {
    it(`10,000 lines are shown whole, a screenful at a time, in ${size.columns} columns`, async () => {
      const seen = await shownOf(gate("bash", { command: lines }), size)
      assert.ok(seen.includes(lines.replace(/[ \n]/g, "")))
    })
    it(`a line of ${line.length} characters is shown whole in ${size.columns} columns`, async () => {
      const seen = await shownOf(gate("bash", { command: line }), size)
      assert.ok(seen.includes(line.replaceAll(" ", "")))
    })
  }
  it("no key but Space and Enter, one for each screenful, leads to the choices", async () => {
    const terminal = fakeTerminal()
    terminal.ask(gate("bash", { command: lines }))
    terminal.settle()
    for (const key of ["q", "G", "\x1b", "\x1b[F", "\x1b[6~", "1", "y", "\x1b[B"]) terminal.type(key)
    terminal.settle()
    assert.match(await terminal.screen(), /\n-- 9\d\d\d more lines/)
    terminal.type("   ")
    terminal.settle()
    assert.doesNotMatch(await terminal.screen(), /Approve once/)
    terminal.asker.close()
  })
})

describe("a window that changes while a question is up", () => {
  for (const { name, text, shown } of HOSTILE_TEXTS) {
    it(`${name}: what was shown stays, and nothing is obeyed`, async () => {
      const terminal = fakeTerminal()
      terminal.ask(gate("bash", { command: text }))
      await readOn(terminal)
      for (const [columns, rows] of [
        [30, 24],
        [100, 5],
        [20, 40],
        [80, 24],
      ] as const) {
        terminal.resize(columns, rows)
        await terminal.screen()
      }
      assert.ok(readable(await terminal.scrollback()).includes(shown.replace(/[ \n]/g, "")))
      assertNothingObeyed(terminal)
      terminal.asker.close()
    })
  }
})

describe("windows of hardly any size", () => {
  for (const size of [
    { columns: 80, rows: 2 },
    { columns: 20, rows: 2 },
    { columns: 10, rows: 4 },
  ]) {
    it(`${size.columns} columns and ${size.rows} rows: every character was there, and a choice can be made`, async () => {
      const terminal = fakeTerminal(size)
      const command = 'curl "http://a.test/x" -o y\x1b[2K\rls -l; rm -rf z'
      const asked = terminal.ask(gate("bash", { command }))
      await readOn(terminal)
      const wanted = 'curl "http://a.test/x" -o y<U+001B>[2K<U+000D>ls -l; rm -rf z'
      assert.ok(readable(await terminal.scrollback()).includes(wanted.replaceAll(" ", "")))
      assertNothingObeyed(terminal)
      terminal.type("4")
      terminal.type("\r")
      assert.equal((await asked.answer)?.ok, false)
    })
  }
})
