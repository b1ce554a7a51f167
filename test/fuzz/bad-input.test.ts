import assert from "node:assert/strict"
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { test } from "node:test"
import fc from "fast-check"
import { place, type Ran } from "../cli/command-line.ts"
import { replyText, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { type Mutation, mutation, spoil } from "./mutation.ts"

const CASES = process.env.TOOLNEXUS_TEST_SIZE === "long" ? 5_000 : 300
const HANG_MS = 20_000
const FIXTURES = resolve(import.meta.dirname, "../fixtures/runs/v1")
const fixture = (name: string): string => readFileSync(join(FIXTURES, name), "utf8")

const NAMES = ["look", "pay", "deploy", "login"]
/** The tools of the fixtures, as code and as what the host carries out. */
const TOOLS = `export default ({ defineTool, relayTool }) => [
  ...${JSON.stringify(NAMES)}.map((name) =>
    defineTool({ name, description: "", inputSchema: { type: "object" }, run: () => name + " ran" })),
  relayTool("browse", "", { type: "object" }),
]
`
const RELAYED = [...NAMES, "browse"].map((name) => ({ name, description: "", inputSchema: { type: "object" } }))

const RUN_FILES = Object.fromEntries(
  readdirSync(FIXTURES)
    .filter((name) => name.endsWith(".run.jsonl"))
    .map((name) => [name, fixture(name)]),
)
const HALTED = fixture("halted-result.json")
const OPEN = (JSON.parse(HALTED) as { suspended: { id: string; kind: string }[] }).suspended
const idOf = (kind: string): string => OPEN.find((request) => request.kind === kind)?.id ?? ""
const ANSWERS = JSON.stringify([
  { id: idOf("input"), ok: true, data: { output: "staging" } },
  { id: idOf("approval"), ok: true, data: { note: "once", input: { amount: 1 }, grant: "run", by: "mia" } },
  { id: idOf("tool_call"), ok: true, data: { results: [{ id: "call_browse_3", output: "a page", isError: false }] } },
])
const PLACEHOLDERS = JSON.stringify({
  messages: [
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "on it" },
        { type: "tool_use", id: "t1", name: "deploy", input: { service: "api" } },
        { type: "tool_use", id: "t2", name: "look", input: { what: "x" } },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: "Which environment?", is_error: true },
        { type: "tool_result", tool_use_id: "t2", content: "seen" },
      ],
    },
  ],
  pending: { id: "r1", kind: "input", prompt: "Which environment?" },
  usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
  turns: 1,
})

const HALTED_RESULTS = { ours: HALTED, placeholders: PLACEHOLDERS }

/** What is spoilt: a run file, a file of answers, or a halted result as JSON. */
type Spoilt =
  | { what: "run"; file: string }
  | { what: "answers" }
  | { what: "halted"; from: keyof typeof HALTED_RESULTS }

const spoilt: fc.Arbitrary<Spoilt> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ what: fc.constant("run" as const), file: fc.constantFrom(...Object.keys(RUN_FILES)) }),
  },
  { weight: 1, arbitrary: fc.constant<Spoilt>({ what: "answers" }) },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant("halted" as const),
      from: fc.constantFrom("ours" as const, "placeholders" as const),
    }),
  },
)

test("whatever is wrong with a run file, a file of answers or a halted result: one clear line, or a correct run, and the input as it was", async (t) => {
  const here = place(t)
  const endpoint = await scriptedEndpoint([replyText("All done.")]).listen()
  t.after(() => endpoint.close())
  here.write("tools.mjs", TOOLS)
  here.write("relay.json", RELAYED)
  const equipment = ["--base-url", endpoint.baseUrl, "--model", "m", "--accept-recorded", "--in-doubt", "unknown"]

  const check = async (input: Spoilt, mutations: Mutation[]): Promise<void> => {
    const isPlain = input.what === "halted"
    const [file, answers] = [here.path(isPlain ? "it.json" : "it.run.jsonl"), here.path("answers.json")]
    const base =
      input.what === "run"
        ? RUN_FILES[input.file]
        : isPlain
          ? HALTED_RESULTS[input.from]
          : RUN_FILES["halted.run.jsonl"]
    const bytes = input.what === "answers" ? Buffer.from(base ?? "") : spoil(base ?? "", mutations)
    const answersBytes = input.what === "answers" ? spoil(ANSWERS, mutations) : Buffer.from(ANSWERS)
    writeFileSync(answers, answersBytes)
    const given = input.what === "answers" ? ["--answers", answers] : []
    // A tools module is loaded in a process of its own: that takes long, and every fourth will do.
    const tools = bytes.length % 4 === 0 ? ["--tools", "tools.mjs"] : ["--relay", "relay.json"]
    const commands = [
      ["runs", "show", file],
      ["runs", "verify", file],
      ["answer", file, "--no-input", ...given],
      ["resume", file, "--no-input", ...equipment, ...tools, ...given],
    ]
    for (const argv of commands) {
      rmSync(here.path("it.run.jsonl"), { force: true })
      writeFileSync(file, bytes)
      endpoint.requests.length = 0
      const ran = await withinTime(here.run(argv))
      requireClear(ran, argv)
      for (const { body } of endpoint.requests) requireBalanced(body.messages)
      const isRefused = ran.code === 2 || ran.code === 5
      if (isRefused || isPlain || argv[0] === "runs")
        assert.deepEqual(readFileSync(file), bytes, "the input is as it was")
      assert.deepEqual(readFileSync(answers), answersBytes, "the answers are as they were")
      if (isRefused) assert.deepEqual(endpoint.requests, [], "nothing is sent")
    }
    assert.equal((Object.prototype as { polluted?: unknown }).polluted, undefined)
  }
  const property = fc.asyncProperty(spoilt, fc.array(mutation, { minLength: 1, maxLength: 3 }), check)
  await fc.assert(property, { numRuns: CASES, includeErrorInReport: true })
})

const CODES = new Set([0, 2, 3, 4, 5])

function requireClear({ code, out, err }: Ran, argv: string[]): void {
  const said = `${argv.slice(0, 2).join(" ")} exit ${code}: ${err.slice(0, 2000)}`
  assert.ok(CODES.has(code), said)
  assert.doesNotMatch(err, /^\s+at /m, said)
  assert.doesNotMatch(err, NOT_FOR_PEOPLE, said)
  assert.doesNotMatch(out, /\[object Object\]/, said)
  if ((code !== 2 && code !== 5) || /^unsound /m.test(out)) return
  assert.match(err, /^toolnexus: .{10,}$/m, said)
}

const NOT_FOR_PEOPLE =
  /TypeError|RangeError|SyntaxError|Cannot (read|convert|set|destructure)|is not (a function|iterable|defined|a constructor)|\[object Object\]|Maximum call stack|could not be cloned|Invalid array length|undefined \(/

async function withinTime(ran: Promise<Ran>): Promise<Ran> {
  let timer: NodeJS.Timeout | undefined
  const hang = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("it hangs")), HANG_MS)
  })
  try {
    return await Promise.race([ran, hang])
  } finally {
    clearTimeout(timer)
  }
}

type Message = { role: string; tool_call_id?: string; tool_calls?: { id: string }[] }

/** One result for each call, in order, right after the message that made them. */
function requireBalanced(messages: readonly Message[]): void {
  const due: unknown[] = []
  for (const message of messages) {
    if (message.role === "tool") assert.equal(message.tool_call_id, due.shift(), "a result out of order, or of no call")
    else assert.deepEqual(due, [], "a call without a result")
    if (message.role === "assistant" && Array.isArray(message.tool_calls))
      due.push(...message.tool_calls.map(({ id }) => id))
  }
  assert.deepEqual(due, [], "a call without a result")
}
