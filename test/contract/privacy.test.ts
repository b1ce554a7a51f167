import assert from "node:assert/strict"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { answerOutput, createClient, createToolkit, defineTool, openRun, outputOf, pending } from "../../src/index.ts"
import { replyCalls, replyError, replyText, scriptedEndpoint } from "../support/scripted-endpoint.ts"

const KEY = "sk-key-that-nobody-may-see"
const HEADER = "header-value-that-nobody-may-see"
const VARIABLE = "environment-value-that-nobody-may-see"
const SECRET = "correct-horse-battery-staple"

test("keys, headers, the environment and secrets are in no file and no log; a secret is in no request either", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "toolnexus-private-"))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  process.env.TOOLNEXUS_TEST_PRIVATE = VARIABLE
  t.after(() => {
    delete process.env.TOOLNEXUS_TEST_PRIVATE
  })
  const endpoint = await scriptedEndpoint([
    replyCalls([
      { id: "c1", name: "login", arguments: {} },
      { id: "c2", name: "fail", arguments: {} },
    ]),
    replyError(500, `no luck with Bearer ${KEY}`),
    replyText("done"),
  ]).listen()
  t.after(() => endpoint.close())
  const tool = (name: string, use: (secret: string) => unknown) =>
    defineTool({
      name,
      description: "",
      run: (_args, { answers = [] }) => {
        const [secret, confirmed] = answers
        if (!secret) return pending({ kind: "secret", prompt: "Token?" })
        if (!confirmed)
          return pending({ kind: "input", prompt: `Is ${outputOf(secret)} right?`, data: { of: outputOf(secret) } })
        return use(outputOf(secret) ?? "")
      },
    })
  const fail = (secret: string) => {
    throw new Error(`refused: ${secret}`)
  }
  const toolkit = await createToolkit({
    extraTools: [
      tool("login", (secret) => ({ output: secret, isError: false, metadata: { secret } })),
      tool("fail", fail),
    ],
  })
  const logged: unknown[] = []
  const log = (entry: unknown) => void logged.push(structuredClone(entry))
  const client = createClient({
    baseUrl: endpoint.baseUrl,
    style: "openai",
    model: "m",
    apiKey: KEY,
    headers: { "x-private": HEADER },
    retryBaseMs: 1,
    onMetric: log,
    onRetry: log,
    onWarning: log,
    waitFor: (request) => {
      log(request)
      return answerOutput(request.id, request.kind === "secret" ? SECRET : "yes")
    },
    hooks: { afterTool: log, beforeTool: log, beforeLLM: log, afterLLM: log },
  })
  const file = join(folder, "it.run.jsonl")
  const journal = await openRun(file)
  const result = await client.run("log in", { toolkit, journal, onEvent: log })
  await journal.close()
  assert.equal(result.status, "done")
  assert.match(result.toolCalls[0]?.output ?? "", /^\[secret req_/)
  const written = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))
  const sent = endpoint.requests.map(({ text }) => text)
  for (const value of [KEY, HEADER, VARIABLE, SECRET]) {
    for (const text of [...written, ...sent, JSON.stringify(logged), JSON.stringify(result)]) {
      assert.ok(
        !text.includes(value),
        `${value} in ${text.slice(Math.max(0, text.indexOf(value) - 300), text.indexOf(value) + 60)}`,
      )
    }
  }
  for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name)
})
