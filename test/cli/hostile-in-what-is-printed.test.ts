import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { HOSTILE_TEXTS, type HostileText } from "../support/hostile-texts.ts"
import { replyCalls, replyText, type Step, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { type Place, place, type Ran } from "./command-line.ts"

/** What a terminal would do something for, or hide; the model's own text keeps what its letters are made of. */
const OBEYED = /(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/u

async function printed(t: TestContext, steps: Step[]) {
  const endpoint = await scriptedEndpoint(steps).listen()
  t.after(() => endpoint.close())
  const here = place(t)
  const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--file", "a.run.jsonl"]
  return { ...here, options }
}

function assertHarmless({ out, err }: Pick<Ran, "out" | "err">, what: string): void {
  assert.doesNotMatch(out, OBEYED, what)
  assert.doesNotMatch(err, OBEYED, what)
}

/** As JSON that came over the wire: lone halves of characters are none that a server can send. */
const wired = ({ text }: HostileText) => text.replace(/[\uD800-\uDFFF]/gu, "")

const onTerminal = { streamsAreTerminals: true }

async function looks(run: Place["run"], text: string): Promise<void> {
  const commands = [
    ["runs", "show", "a.run.jsonl"],
    ["runs", "show", "a.run.jsonl", "--verbose"],
    ["runs", "show", "a.run.jsonl", "--output", "json"],
    ["runs", "show", "a.run.jsonl", "--output", "jsonl"],
    ["runs", "list"],
    ["runs", "verify", "a.run.jsonl"],
    ["resume", `no-${text.replaceAll("\0", "")}`],
    ["policy", "test", "bash", JSON.stringify({ command: text })],
  ]
  for (const command of commands) assertHarmless(await run(command, onTerminal), command.slice(0, 2).join(" "))
}

describe("what is printed on a terminal", () => {
  for (const hostile of HOSTILE_TEXTS) {
    it(`${hostile.name}: obeyed nowhere, in calls, results, texts, errors and listings`, async (t) => {
      const text = wired(hostile)
      const calls = replyCalls([
        { id: "c1", name: "bash", arguments: { command: text } },
        { id: "c2", name: text === "" ? "x" : text, arguments: { [text]: text } },
        { id: "c3", name: "read", arguments: { path: text } },
      ])
      const { run, options } = await printed(t, [calls, replyText(text)])
      const flags = ["--deny", "bash", "--allow", "read", "--verbose"]
      const ran = await run(["run", `do ${text}`.replaceAll("\0", ""), ...options, ...flags], onTerminal)
      assert.equal(ran.code, 0)
      assertHarmless(ran, "run")
      await looks(run, text)
    })
    it(`${hostile.name}: obeyed nowhere, where a run halts with a question or fails`, async (t) => {
      const text = wired(hostile)
      const calls = replyCalls([{ id: "c1", name: "bash", arguments: { command: text } }])
      const failing: Step = { status: 400, body: { error: { message: text } } }
      const { run, options } = await printed(t, [calls, failing])
      const halted = await run(["run", "x", ...options], onTerminal)
      assert.equal(halted.code, 3)
      assertHarmless(halted, "halted")
      for (const output of ["text", "json", "jsonl"]) {
        const again = await run(["resume", "a.run.jsonl", "--output", output], onTerminal)
        assert.equal(again.code, 3)
        assertHarmless(again, `halted as ${output}`)
      }
      const failed = await run(["resume", "a.run.jsonl", "--decline", "--note", "no"], onTerminal)
      assert.equal(failed.code, 1)
      assertHarmless(failed, "failed")
      assertHarmless(await run(["resume", "a.run.jsonl", "--output", "json"], onTerminal), "failed as JSON")
      await looks(run, text)
    })
  }
  it("the model's text keeps tabs, lines, the spaces of other scripts and what joins letters", async (t) => {
    const text = "a\tb\nc\u00A0d\u3000e \u{1F469}\u200D\u{1F4BB} ❤\uFE0F نمی\u200Cخواهم\n"
    const { run, options } = await printed(t, [replyText(text)])
    assert.equal((await run(["run", "x", ...options], onTerminal)).out, text)
  })
  it("what a command and a tools module print while they run is obeyed nowhere", async (t) => {
    const all = HOSTILE_TEXTS.map((hostile) => wired(hostile)).join("\n")
    const calls = replyCalls([
      { id: "c1", name: "bash", arguments: { command: "cat a.txt; cat a.txt >&2" } },
      { id: "c2", name: "loud", arguments: {} },
    ])
    const { run, options, write } = await printed(t, [calls, replyText("done")])
    write("a.txt", all)
    const loud = `defineTool({ name: "loud", description: "", run: () => { console.log(text); console.error(text); throw new Error(text) } })`
    write("tools.mjs", `const text = ${JSON.stringify(all)}\nexport default ({ defineTool }) => [${loud}]`)
    const halted = await run(["run", "x", ...options, "--tools", "tools.mjs"], onTerminal)
    assert.equal(halted.code, 3)
    assertHarmless(halted, "halted")
    const ran = await run(["resume", "a.run.jsonl", "--approve"], onTerminal)
    assert.equal(ran.code, 0)
    assert.match(ran.err, /^bash \| ls<U\+001B>\[9Ax$/m)
    assertHarmless(ran, "resumed")
  })
  it("what goes to a program goes as it is", async (t) => {
    const text = "a\x1b[31mb\u202E\n"
    const { run, options } = await printed(t, [replyText(text)])
    assert.equal((await run(["run", "x", ...options])).out, text)
  })
  it("JSON on a terminal is the same JSON", async (t) => {
    const text = "a\x9b2J\u202E\u2028\u{E0041}é"
    const { run, options } = await printed(t, [replyText(text)])
    const ran = await run(["run", "x", ...options, "--output", "json"], onTerminal)
    assert.equal(ran.json.text, text)
    assert.match(ran.out, /a\\u009b2J\\u202e\\u2028\\udb40\\udc41é/)
  })
})
