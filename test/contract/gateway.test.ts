import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { toolnexus } from "../support/built-package.ts"
import { type Gateway, startGateway } from "../support/gateway.ts"
import {
  replyCalls,
  replyError,
  replyText,
  type ScriptedEndpoint,
  scriptedEndpoint,
} from "../support/scripted-endpoint.ts"

const { createClient, createToolkit, defineTool } = toolnexus

let gateway: Gateway
before(async () => {
  gateway = await startGateway()
})
after(() => gateway?.[Symbol.asyncDispose]())

const STYLES = {
  openai: { path: "/v1/chat/completions", keyHeader: "authorization", key: "Bearer key-1", result: "tool" },
  anthropic: { path: "/v1/messages", keyHeader: "x-api-key", key: "key-1", result: "user" },
} as const
type Style = keyof typeof STYLES

function clientThrough(style: Style, server: ScriptedEndpoint) {
  const headers = gateway.headersFor(style, `${server.baseUrl}/v1`)
  return createClient({ baseUrl: gateway.baseUrl, style, model: "m", apiKey: "key-1", headers, retries: 0 })
}

async function runThrough(style: Style, server: ScriptedEndpoint, form: "plain" | "streamed") {
  const ran: unknown[] = []
  const echo = defineTool({
    name: "echo",
    description: "Returns the text",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    run: ({ text }: { text: string }) => {
      ran.push(text)
      return `said ${text}`
    },
  })
  const shown: string[] = []
  const toolkit = await createToolkit({ extraTools: [echo] })
  const streaming = form === "streamed" ? { onText: (text: string) => void shown.push(text) } : {}
  const { status, text, messages, usage } = await clientThrough(style, server).run("go", { toolkit, ...streaming })
  return { ran, shown: shown.join(""), result: { status, text, messages, usage } }
}

for (const style of ["openai", "anthropic"] as const) {
  const { path, keyHeader, key, result: role } = STYLES[style]
  const script = () => [
    replyCalls([
      { id: "call_1", name: "echo", arguments: { text: "é 🙂" } },
      { id: "call_2", name: "echo", arguments: { text: "two" } },
    ]),
    replyText("It is done."),
  ]

  describe(`a third-party gateway between us and a server of style ${style}`, { timeout: 30_000 }, () => {
    it("passes a run with tool calls, streamed and plain alike", async () => {
      await using plainServer = await scriptedEndpoint(script()).listen()
      await using streamServer = await scriptedEndpoint(script()).listen()
      const plain = await runThrough(style, plainServer, "plain")
      const streamed = await runThrough(style, streamServer, "streamed")
      assert.deepEqual([plain.result.status, plain.result.text], ["done", "It is done."])
      assert.deepEqual(plain.ran, ["é 🙂", "two"])
      assert.deepEqual(streamed, { ...plain, shown: "It is done." })
      for (const [server, stream] of [
        [plainServer, undefined],
        [streamServer, true],
      ] as const) {
        const [, second] = server.requests
        assert.equal(server.requests.length, 2)
        assert.deepEqual([second?.url, second?.headers[keyHeader], second?.body.stream], [path, key, stream])
        assert.equal(second?.body.messages[2].role, role)
        const [, , ...results] = second?.body.messages ?? []
        assert.match(JSON.stringify(results), /"call_1".*"said é 🙂".*"call_2".*"said two"/)
      }
    })

    it("passes the server's own cause of an error", async () => {
      await using server = await scriptedEndpoint([replyError(400, "the moon is in the wrong house")]).listen()
      await assert.rejects(clientThrough(style, server).run("go"), {
        code: "provider",
        status: 400,
        message: /the moon is in the wrong house/,
      })
    })
  })
}
