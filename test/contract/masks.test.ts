import assert from "node:assert/strict"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import {
  type Answer,
  answerOutput,
  answerResults,
  type ClientOptions,
  createClient,
  createGate,
  createToolkit,
  defineTool,
  type Mask,
  memoryJournal,
  openRun,
  pending,
  type Request,
  readRun,
  recordAnswers,
  relayTool,
  type Tool,
} from "../../src/index.ts"
import { replyCalls, replyText, type Step, scriptedEndpoint } from "../support/scripted-endpoint.ts"

const VALUE = "correct-horse-battery"
const MARK = "[masked API_KEY]"
const masks: Mask[] = [
  { name: "API_KEY", value: VALUE },
  { name: "TICKET", pattern: /TICKET-\d+/ },
]

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), "toolnexus-masks-"))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

async function setUp(t: TestContext, steps: readonly Step[], options: Partial<ClientOptions> = {}) {
  const endpoint = await scriptedEndpoint(steps).listen()
  t.after(() => endpoint.close())
  const file = join(folder(t), "it.run.jsonl")
  const client = createClient({ baseUrl: endpoint.baseUrl, style: "openai", model: "m", masks, ...options })
  return {
    endpoint,
    client,
    file,
    written: () => readFileSync(file, "utf8"),
    sent: () => endpoint.requests.map(({ text }) => text).join("\n"),
  }
}

const tool = (name: string, run: Parameters<typeof defineTool>[0]["run"], inputSchema?: Tool["inputSchema"]) =>
  defineTool({ name, description: "", run, ...(inputSchema ? { inputSchema } : {}) })
const call = (name: string, input: unknown = {}, id = "c1") => ({ id, name, arguments: input })

/** Texts of 6 characters of the value, any of which says too much. */
const PIECES = Array.from({ length: VALUE.length - 5 }, (_, at) => VALUE.slice(at, at + 6))

describe("what a built-in tool cuts", () => {
  it("leaves no piece of a value, wherever the cut goes through it", async (t) => {
    const work = folder(t)
    const paddings = [...VALUE].map((_, length) => `${length}.txt`)
    for (const [length, path] of paddings.entries())
      writeFileSync(join(work, path), `${"x".repeat(length)}${VALUE.repeat(4000)}`)
    const calls = paddings.flatMap((path, at) => [
      call("read", { path }, `a${at}`),
      call("read", { path, column: 2001 }, `b${at}`),
      call("grep", { pattern: "horse", path }, `c${at}`),
      ...(at % 5 === 0 ? [call("bash", { command: `cat ${path}` }, `d${at}`)] : []),
    ])
    const gate = createGate({ rules: [{ effect: "allow", rule: "bash" }], cwd: work })
    const { client, file, sent, written } = await setUp(t, [replyCalls(calls), replyText("ok")], { gate })
    const toolkit = await createToolkit({ builtins: true, cwd: work })
    const journal = await openRun(file)
    const { toolCalls } = await client.run("look", { toolkit, journal })
    await journal.close()
    for (const { name, output } of toolCalls) assert.match(String(output), /left out|column|go on/, name)
    for (const piece of PIECES) {
      assert.ok(!sent().includes(piece), `${piece} was sent`)
      assert.ok(!written().includes(piece), `${piece} was stored`)
    }
  })

  it("leaves no piece of a secret that a person gave either", async (t) => {
    const ask = tool("ask", (_args, { answer }) =>
      answer
        ? `${VALUE.slice(0, 15)}\n[... 20 characters left out ...]\n${VALUE.slice(9)}`
        : pending({ kind: "secret", prompt: "?" }),
    )
    const waitFor = async ({ id }: Request) => answerOutput(id, VALUE)
    const { client, sent } = await setUp(t, [replyCalls([call("ask")]), replyText("ok")], { masks: [], waitFor })
    await client.run("go", { toolkit: await createToolkit({ extraTools: [ask] }) })
    for (const piece of PIECES) assert.ok(!sent().includes(piece), piece)
  })
})

describe("what tools and hooks say", () => {
  it("holds marks in results, errors, metadata, prompts and reasons, wherever it is stored, sent or told", async (t) => {
    const { client, file, written, sent } = await setUp(
      t,
      [
        replyCalls([call("say"), call("fail", {}, "c2"), call("asks", {}, "c3"), call("forbidden", {}, "c4")]),
        replyText("done"),
      ],
      {
        waitFor: (request) => {
          log(request)
          return answerOutput(request.id, "staging")
        },
        hooks: {
          beforeTool: ({ name }) =>
            name === "forbidden" ? { decision: "refuse", reason: `never with ${VALUE}` } : undefined,
          afterTool: (told) => log(told),
        },
      },
    )
    const logged: unknown[] = []
    const log = (entry: unknown) => void logged.push(structuredClone(entry))
    const toolkit = await createToolkit({
      extraTools: [
        tool("say", () => ({
          output: `{"key":"${VALUE}"} TICKET-77`,
          isError: false,
          metadata: { of: [VALUE], [VALUE]: 1 },
        })),
        tool("fail", () => {
          throw new Error(`refused: ${VALUE}`)
        }),
        tool("asks", (_args, ctx) =>
          ctx.answer
            ? `on ${VALUE}`
            : pending({
                kind: "input",
                prompt: `Where does ${VALUE} go?`,
                url: `https://x.test/?k=${VALUE}`,
                data: { hint: VALUE },
              }),
        ),
        tool("forbidden", () => "no"),
      ],
    })
    const journal = await openRun(file)
    const result = await client.run("go", { toolkit, journal, onEvent: log })
    await journal.close()
    assert.equal(result.status, "done")
    assert.deepEqual(
      result.toolCalls.map(({ output }) => output),
      [
        `{"key":"${MARK}"} [masked TICKET]`,
        `refused: ${MARK}`,
        `on ${MARK}`,
        `refused by never with ${MARK}. It was not run. Do not try it again.`,
      ],
    )
    for (const text of [written(), sent(), JSON.stringify(logged), JSON.stringify(result)]) {
      assert.ok(
        !text.includes(VALUE) && !text.includes("TICKET-77"),
        text.slice(text.indexOf(VALUE) - 300).slice(0, 600),
      )
    }
    assert.ok(logged.some((entry) => (entry as Request).prompt === `Where does ${MARK} go?`))
  })

  it("is asked once where the same question comes again with the value in it", async (t) => {
    const { client } = await setUp(t, [replyCalls([call("asks")]), replyText("done")], {
      waitFor: ({ id }) => answerOutput(id, "x"),
    })
    const toolkit = await createToolkit({
      extraTools: [tool("asks", () => pending({ kind: "input", prompt: `With ${VALUE}?` }))],
    })
    const result = await client.run("go", { toolkit })
    assert.equal(result.toolCalls[0]?.output, `unresolved: With ${MARK}?`)
  })

  it("is masked in the answer to relayed calls too, by resume and by recordAnswers, and the same answer twice changes nothing", async (t) => {
    const relays = replyCalls([call("carry"), call("carry", {}, "c2")])
    const { client, file, written, sent } = await setUp(t, [relays, replyText("done")])
    const toolkit = await createToolkit({ extraTools: [relayTool("carry", "")] })
    const journal = await openRun(file)
    const { pending: asked } = await client.run("go", { toolkit, journal })
    const answer = answerResults(asked?.id ?? "", [
      { id: "c1", output: `got ${VALUE}` },
      { id: "c2", output: "fine" },
    ])
    await recordAnswers(journal, [answer], { masks })
    assert.ok(!written().includes(VALUE))
    await recordAnswers(journal, [answer], { masks })
    const result = await client.resume(journal, [answer], { toolkit })
    await journal.close()
    assert.equal(result.toolCalls[0]?.output, `got ${MARK}`)
    assert.ok(!written().includes(VALUE) && !sent().includes(VALUE))
  })

  it("holds no secret that was typed either, where a relayed call gives it back", async (t) => {
    const login = tool("login", (_args, { answer }) => (answer ? "in" : pending({ kind: "secret", prompt: "Token?" })))
    const { client, file, written, sent } = await setUp(
      t,
      [replyCalls([call("login")]), replyCalls([call("carry")]), replyText("done")],
      { waitFor: ({ id, kind }) => answerOutput(id, kind === "secret" ? "hunter2hunter2" : "it was hunter2hunter2") },
    )
    const journal = await openRun(file)
    const result = await client.run("go", {
      toolkit: await createToolkit({ extraTools: [login, relayTool("carry", "")] }),
      journal,
    })
    await journal.close()
    assert.match(String(result.toolCalls[1]?.output), /^it was \[secret req_/)
    assert.ok(!written().includes("hunter2") && !sent().includes("hunter2"))
  })

  it("is masked in the error that ends a run", async (t) => {
    const { client, file, written } = await setUp(t, [replyCalls([call("say")])], {
      hooks: {
        beforeLLM: () => {
          throw new Error(`no luck with ${VALUE}`)
        },
      },
    })
    const journal = await openRun(file)
    await assert.rejects(
      client.run("go", { journal }),
      (error: Error) => error.message.includes(MARK) && !error.message.includes(VALUE),
    )
    await journal.close()
    assert.ok(written().includes(MARK) && !written().includes(VALUE))
  })

  it("is not the model's: what the model says, and what a person answers, stays as it was said", async (t) => {
    const { client, file, written } = await setUp(
      t,
      [
        replyCalls([call("take", { text: VALUE }), call("asks", {}, "c2")], `I use ${VALUE}`),
        replyText(`it was ${VALUE}`),
      ],
      { waitFor: ({ id }) => answerOutput(id, VALUE) },
    )
    const given: unknown[] = []
    const toolkit = await createToolkit({
      extraTools: [
        tool("take", (args) => void given.push(args), { type: "object" }),
        tool("asks", (_args, { answer }) =>
          answer ? void given.push(answer.data) : pending({ kind: "input", prompt: "?" }),
        ),
      ],
    })
    const journal = await openRun(file)
    const result = await client.run("go", { toolkit, journal })
    await journal.close()
    assert.equal(result.text, `it was ${VALUE}`)
    assert.deepEqual(given, [{ text: VALUE }, { output: VALUE }])
    assert.ok(written().includes(`I use ${VALUE}`))
  })
})

describe("a call whose arguments hold a mark", () => {
  const noGate = createGate({ rules: [{ effect: "ask", rule: "take" }] })
  const never = () => assert.fail("nobody is asked")
  const take = tool("take", never, { type: "object" })

  it("is an error result that says so, before anything is asked, and nothing runs", async (t) => {
    const inputs = [{ text: `x${MARK}` }, { deep: [{ er: MARK }] }, { [MARK]: 1 }, { text: "[masked TICKET]" }]
    const steps = [replyCalls(inputs.map((input, at) => call("take", input, `c${at}`))), replyText("done")]
    const { client } = await setUp(t, steps, { gate: noGate, waitFor: never, hooks: { beforeTool: never } })
    const result = await client.run("go", { toolkit: await createToolkit({ extraTools: [take] }) })
    assert.equal(result.status, "done")
    for (const { output, isError } of result.toolCalls) {
      assert.match(
        String(output),
        /^The arguments hold \[masked (API_KEY|TICKET)\]\. .* It was not run, and nobody was asked\./,
      )
      assert.equal(isError, true)
    }
  })

  it("is found however the model spells it, and for a relayed call too", async (t) => {
    const raw = '{"text":"\\u005bmasked\\u0020API_KEY\\u005d"}'
    const { client } = await setUp(t, [replyCalls([call("carry", raw)]), replyText("done")])
    const toolkit = await createToolkit({ extraTools: [relayTool("carry", "", { type: "object" })] })
    assert.match(
      String((await client.run("go", { toolkit })).toolCalls[0]?.output),
      /^The arguments hold \[masked API_KEY\]/,
    )
  })

  it("is one that this run could have made: the words of a file about marks can be written", async (t) => {
    const { client } = await setUp(t, [
      replyCalls([call("take", { text: "[masked NAME], [secret ID] and [masked OTHER_KEY]" })]),
      replyText("done"),
    ])
    const toolkit = await createToolkit({ extraTools: [tool("take", () => "written", { type: "object" })] })
    assert.equal((await client.run("go", { toolkit })).toolCalls[0]?.output, "written")
  })

  it("is one in every process that goes on with the run, also where the variable is not set", async (t) => {
    const steps = [replyCalls([call("say")]), replyCalls([call("take", { text: MARK })]), replyText("done")]
    const { client, endpoint } = await setUp(t, steps, { maxTurns: 1 })
    const say = tool("say", () => VALUE)
    const journal = memoryJournal()
    const toolkit = await createToolkit({ extraTools: [say, take] })
    await client.run("go", { toolkit, journal })
    const elsewhere = createClient({ baseUrl: endpoint.baseUrl, style: "openai", model: "m" })
    const result = await elsewhere.resume(journal, [], { toolkit, limits: { maxTurns: 9 } })
    assert.match(String(result.toolCalls[1]?.output), /^The arguments hold \[masked API_KEY\]/)
  })

  it("may hold a secret's mark just as little", async (t) => {
    const login = tool("login", (_args, { answer }) =>
      answer ? `as ${answer.data?.output}` : pending({ id: "s1", kind: "secret", prompt: "Token?" }),
    )
    const steps = [
      replyCalls([call("login")]),
      replyCalls([call("take", { text: "with [secret s1]" })]),
      replyText("done"),
    ]
    const { client } = await setUp(t, steps, { waitFor: ({ id }) => answerOutput(id, "hunter2hunter2") })
    const result = await client.run("go", { toolkit: await createToolkit({ extraTools: [login, take] }) })
    assert.equal(result.toolCalls[0]?.output, "as [secret s1]")
    assert.match(String(result.toolCalls[1]?.output), /^The arguments hold \[secret s1\]/)
  })

  it("is no better when a person edits it in: an error to the host, and nothing changes", async (t) => {
    const { client } = await setUp(t, [replyCalls([call("take", { text: "x" })]), replyText("done")], { gate: noGate })
    const journal = memoryJournal()
    const toolkit = await createToolkit({
      extraTools: [tool("take", (args) => `took ${(args as { text: string }).text}`, { type: "object" })],
    })
    const { pending: asked } = await client.run("go", { toolkit, journal })
    const lines = (await journal.read()).length
    const edited: Answer = { id: asked?.id ?? "", ok: true, data: { input: { text: MARK } } }
    await assert.rejects(client.resume(journal, [edited], { toolkit }), {
      code: "invalid_answer",
      message: /The edited arguments of take hold \[masked API_KEY\]/,
    })
    assert.equal((await journal.read()).length, lines)
    const done = await client.resume(journal, [{ id: edited.id, ok: true }], { toolkit })
    assert.equal(done.toolCalls[0]?.output, "took x")
  })
})

describe("what a person is shown for approval", () => {
  const edit = call("edit", { path: "a.env", oldText: "DEBUG=0", newText: `DEBUG=${VALUE}` })

  async function editing(t: TestContext, waitFor?: ClientOptions["waitFor"]) {
    const work = folder(t)
    writeFileSync(join(work, "a.env"), `KEY=${VALUE}\nDEBUG=0\n`)
    const toolkit = await createToolkit({ builtins: ["edit"], cwd: work })
    const here = await setUp(t, [replyCalls([edit]), replyText("done")], { ...(waitFor ? { waitFor } : {}) })
    return { ...here, toolkit, text: () => readFileSync(join(work, "a.env"), "utf8") }
  }

  it("is not masked, while the file holds marks, and what was shown is what is done", async (t) => {
    const asked: Request[] = []
    const { client, toolkit, file, written, text } = await editing(t, (request) => {
      asked.push(request)
      return { id: request.id, ok: true }
    })
    const journal = await openRun(file)
    const result = await client.run("go", { toolkit, journal })
    await journal.close()
    assert.deepEqual([result.status, asked.length], ["done", 1])
    assert.match(String(asked[0]?.data?.diff), new RegExp(` KEY=${VALUE}\\n-DEBUG=0\\n\\+DEBUG=${VALUE}`))
    assert.equal(text(), `KEY=${VALUE}\nDEBUG=${VALUE}\n`)
    // The model's own words are in the reply; the line that the diff shows of the file is masked.
    assert.ok(!written().includes(`KEY=${VALUE}`) && written().includes(`KEY=${MARK}`))
  })

  it("is not masked after a halt either, in another process", async (t) => {
    const first = await editing(t)
    const journal = await openRun(first.file)
    assert.equal((await first.client.run("go", { toolkit: first.toolkit, journal })).status, "pending")
    await journal.close()
    assert.match(String((await readRun(first.file)).result.pending?.data?.diff), /KEY=\[masked API_KEY\]/)
    const asked: Request[] = []
    const second = createClient({
      baseUrl: first.endpoint.baseUrl,
      style: "openai",
      model: "m",
      masks,
      waitFor: (request) => {
        asked.push(request)
        return { id: request.id, ok: true }
      },
    })
    const again = await openRun(first.file)
    const result = await second.resume(again, [], { toolkit: first.toolkit })
    await again.close()
    assert.deepEqual([result.status, asked.length], ["done", 1])
    assert.match(String(asked[0]?.data?.diff), new RegExp(`KEY=${VALUE}`))
    assert.match(first.text(), /DEBUG=correct/)
  })
})
