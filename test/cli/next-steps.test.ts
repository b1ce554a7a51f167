import assert from "node:assert/strict"
import { mkdirSync } from "node:fs"
import { describe, it, type TestContext } from "node:test"
import { replyCalls, replyText, type Step, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { place, TOOLS } from "./command-line.ts"

/** What was typed, and the next step that its one line ends with. */
type Case = readonly [argv: readonly string[], next: RegExp]

const ASK: Step = replyCalls([{ id: "c1", name: "deploy", arguments: {} }])

/** A place with a run that waits for an answer, and with files that are not what they should be. */
async function haltedPlace(t: TestContext, tools = TOOLS) {
  const endpoint = await scriptedEndpoint([ASK, replyText("done")]).listen()
  t.after(() => endpoint.close())
  const here = place(t)
  here.write("tools.mjs", tools)
  here.write("empty", "")
  here.write("text.txt", "hello\n")
  here.write("cut.json", "[1,")
  here.write("object.json", {})
  here.write("number.json", [1])
  here.write("halted.json", { messages: [], suspended: 5 })
  here.write("odd-request.json", { messages: [], suspended: [{ id: 5 }] })
  here.write("no-call.json", {
    messages: [{ role: "user", content: "x" }],
    pending: { id: "r", kind: "input", prompt: "p" },
  })
  mkdirSync(here.path("folder"))
  const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--tools", "tools.mjs"]
  const halted = await here.run(["run", "x", ...options, "--file", "h.run.jsonl", "--output", "json"])
  return { ...here, options, id: String(halted.json.pending.id) }
}

async function assertNextSteps(cases: readonly Case[], { run }: Pick<Awaited<ReturnType<typeof haltedPlace>>, "run">) {
  for (const [argv, next] of cases) {
    const { code, err, out } = await run([...argv])
    const what = `${argv.join(" ")}: ${err}`
    assert.ok(code === 2 || code === 5, what)
    assert.match(err, /^toolnexus: [^\n]+\n$/, what)
    assert.match(err.trimEnd(), next, what)
    assert.equal(out, "", what)
  }
}

describe("what failed, why and what to do next stand on one line", () => {
  it("of a command line that cannot be read", async (t) => {
    const here = await haltedPlace(t)
    await assertNextSteps(
      [
        [["rnu"], /Did you mean run\?$/],
        [["nothing-like-it"], /: to run a prompt: toolnexus run "\.\.\."$/],
        [["runs", "foo"], /'foo': see toolnexus runs --help$/],
        [["tools", "foo"], /'foo': see toolnexus tools --help$/],
        [["run", "a", "b"], /: put quotes around a text or name with spaces in it$/],
        [["run", "x", "--nope"], /: see --help$/],
        [["run", "x", "--max-turns"], /: it takes a value, put one behind it$/],
        [["run", "x", "--max-turns", "many"], /is invalid: it must be a whole number above 0: correct it$/],
        [["run", "x", "--timeout", "5"], /is invalid: it must be a duration above 0, such as .*: correct it$/],
        [["run", "x", "--style", "foo"], /is invalid: allowed choices are openai, anthropic: correct it$/],
        [["run", "x", "--model", ""], /is invalid: it must not be empty: correct it$/],
        [["run", "x", "--quiet", "--verbose"], /: leave one of them out$/],
        [["resume"], /: name it \(see --help\)$/],
      ],
      here,
    )
  })

  it("of what a run is to be made with", async (t) => {
    const here = await haltedPlace(t)
    const run = (...more: string[]) => ["run", "x", ...here.options, ...more]
    await assertNextSteps(
      [
        [["run", "x", "--profile", "p"], /: there is none: add it, or give --base-url and --model$/],
        [run("--agent", "a"), /: add it there, or leave --agent out$/],
        [run("--cwd", "nowhere"), /: name one with --cwd$/],
        [run("--relay", "none.json"), /no such file or folder: name another one$/],
        [run("--relay", "folder"), /it is a folder: name another one$/],
        [run("--mcp", "none.json"), /no such file or folder: name another one$/],
        [run("--mcp", "object.json"), /it holds no servers: write \{ "mcpServers": .*\}$/],
        [run("--skills", "none"), /no such file or folder: name one that holds folders with a SKILL\.md$/],
        [run("--allow", "bash("), /A rule is TOOL or TOOL\(PATTERN\), such as bash\(git status\*\)$/],
        [["tools", "call", "nope", "--no-builtins", "--args", "{}"], /: there is none: add some with --tools FILE$/],
        [["tools", "call", "nope", "--args", "{}"], /: name one of .*bash.*$/],
        [["tools", "call", "bash", "--args", "[]"], /: give one, such as \{"name":"value"\}$/],
        [["trust"], /; name a folder that has one$/],
      ],
      here,
    )
  })

  it("of what is no run", async (t) => {
    const here = await haltedPlace(t)
    const named = /: name a run file, or the id of a run that toolnexus runs lists$/
    const written = /; name (one|a file) that a run wrote$/
    const resume = (file: string) => ["resume", file, ...here.options]
    await assertNextSteps(
      [
        ...[["resume"], ["answer"], ["runs", "show"], ["runs", "verify"], ["runs", "unlock"]].map(
          (command): Case => [[...command, "nothing"], named],
        ),
        [resume("folder"), named],
        [["runs", "show", "/proc/self/mem"], named], // the system fails to read it
        [resume("text.txt"), written],
        [resume("empty"), written],
        [resume("object.json"), written],
        [resume("halted.json"), /; give the whole RunResult as JSON, unchanged$/],
        [resume("odd-request.json"), /request\.id must be a string, got number; give the whole RunResult/],
        [resume("no-call.json"), /; give its messages and requests as they were when it halted$/],
        [["answer", "halted.json"], /: toolnexus resume goes on with it$/],
      ],
      here,
    )
  })

  it("of an answer", async (t) => {
    const here = await haltedPlace(t)
    const { id } = here
    here.write("no-boolean.json", [
      { id, ok: true, data: { output: "x" } },
      { id, ok: "yes" },
    ])
    const given = (...options: string[]) => ["resume", "h.run.jsonl", ...options]
    const aList = /: write a list such as \[\{ "id": .*\}\]$/
    await assertNextSteps(
      [
        [given("--answer", ""), /; write --answer TEXT or --answer ID=TEXT$/],
        [given("--answer", `${id}=`), /; write one behind the =$/],
        [given("--answer", "nope=1"), /; if "nope=1" is the text of an answer, write --answer ID=nope=1$/],
        [given("--answer-env", "x"), /: write the id of a request and the name of a variable$/],
        [given("--answer-env", `${id}=HOME`), /: give it with --answer req_\S+=TEXT, not with --answer-env$/],
        [given("--answer-env", "nope=HOME"), /; give --answer-env the id of one that is open, as ID=VARIABLE$/],
        [given("--answers", "none.json"), /: give the path of a JSON list of answers$/],
        [given("--answers", "cut.json"), aList],
        [given("--answers", "object.json"), aList],
        [given("--answers", "number.json"), /entry 0 is no answer: .*; correct it$/],
        [
          given("--answers", "no-boolean.json"),
          /entry 1 is no answer: answer\.ok must be true or false, .*; correct it$/,
        ],
        [given("--approve"), new RegExp(`; answer what is open by --answer ID=TEXT \\(${id}\\)$`)],
      ],
      here,
    )
    await here.run(given("--answer", "staging"))
    await assertNextSteps(
      [
        [given("--approve"), /; leave it out$/],
        [given("--answer", "other"), /a second answer is not taken, leave it out$/],
        [given("--answer", "nope=1"), /\(no request is open\); leave the answer out$/],
      ],
      here,
    )
  })

  it("of a text for a question that asks for something else: what its JSON looks like", async (t) => {
    const TOOL = (schema: object) => `export default ({ defineTool, pending }) => [
      defineTool({ name: "deploy", description: "", run: (_args, { answer }) =>
        answer ? "ok" : pending({ kind: "input", prompt: "Where to?", data: { schema: ${JSON.stringify(schema)} } }) })]`
    for (const [schema, next] of [
      [
        { type: "object", properties: { a: {}, b: {} }, required: ["b"] },
        /; answer with the JSON text of an object, such as \{ "b": \.\.\. \}$/,
      ],
      [{ type: "integer" }, /; answer with a value that fits, written as JSON$/],
      [{ type: "string", minLength: 5 }, /; answer with a text that fits$/],
    ] as const) {
      const here = await haltedPlace(t, TOOL(schema))
      await assertNextSteps([[["resume", "h.run.jsonl", "--answer", "two"], next]], here)
    }
  })
})
