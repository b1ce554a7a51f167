// A small MCP server that does what servers do wrong. Over its standard input and output, or over HTTP:
//   node mcp-server.mjs [--http] MODE...
// Each thing that happens to it is a line of the file in $LOG, so that a test sees it from outside.
import { appendFileSync, writeSync } from "node:fs"
import { createServer } from "node:http"

const modes = new Set(process.argv.slice(2))
const log = (line) => process.env.LOG && appendFileSync(process.env.LOG, `${line}\n`)
const text = (value) => ({ content: [{ type: "text", text: String(value) }] })
const form = (message, properties = { value: { type: "string" } }) => ({
  mode: "form",
  message,
  requestedSchema: { type: "object", properties, required: Object.keys(properties) },
})

const asked = new Map()
let lastId = 0
/** Asks on the line that a call came on, and gives what the client said. */
function ask(send, params) {
  const id = `ask-${++lastId}`
  send({ jsonrpc: "2.0", id, method: "elicitation/create", params })
  return new Promise((resolve) => asked.set(id, resolve))
}
const said = ({ action, content, error }) =>
  error ? `error ${error.message}` : [action, ...(content ? [JSON.stringify(content)] : [])].join(" ")

let released = () => {}
const release = new Promise((resolve) => {
  released = resolve
})
let extra = []
let addressDone = false
let gaveUp = false

const TOOLS = {
  echo: async ({ value = "" }) => text(value),
  "dotted.name here": async () => text("dotted"),
  "dotted name.here": async () => text("dotted too"),
  ask: async ({ message = "Which?", answers = 1 }, send) => {
    const all = []
    for (let n = 0; n < answers; n++) all.push(said(await ask(send, form(message))))
    return text(all.join(", "))
  },
  ask_two: async (_args, send) => {
    const first = said(await ask(send, form("First?")))
    return text(`${first}, ${said(await ask(send, form("Second?", { n: { type: "integer" } })))}`)
  },
  ask_at_once: async (_args, send) => {
    const all = await Promise.all([ask(send, form("Left?")), ask(send, form("Right?"))])
    return text(all.map(said).join(", "))
  },
  ask_for_ever: async (_args, send) => {
    for (let n = 1; ; n++)
      if ((await ask(send, form(`Question ${n}?`))).action !== "accept") return text(`left at ${n}`)
  },
  ask_and_give_up: async ({ having = "failed" }, send) => {
    const answer = ask(send, form("Still there?"))
    const id = `ask-${lastId}`
    if (!gaveUp) await Promise.race([answer, release])
    if (gaveUp) return text(said(await answer))
    gaveUp = true
    send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } })
    return { ...text(`nobody answered, ${having}`), isError: having === "failed" }
  },
  ask_and_die: async (_args, send) => {
    ask(send, form("Last words?"))
    await release
    process.exit(9)
  },
  confirm: async (_args, send) => text(said(await ask(send, form("Really?", {})))),
  sign_in: async (_args, send) =>
    text(
      said(await ask(send, { mode: "url", message: "Sign in", url: "https://example.test/in", elicitationId: "e" })),
    ),
  odd_question: async ({ url }, send) =>
    text(said(await ask(send, { mode: "url", message: "Go", url, elicitationId: "e" }))),
  sign_in_first: async () => {
    if (addressDone) return text("signed in")
    addressDone = !modes.has("--never-done")
    const elicitations = [{ mode: "url", message: "Sign in", url: "https://example.test/in", elicitationId: "e" }]
    throw Object.assign(new Error("sign in first"), { code: -32042, data: { elicitations } })
  },
  wait: async () => {
    await release
    return text("waited")
  },
  release: async () => {
    released()
    return text("released")
  },
  hang: () => new Promise(() => {}),
  steady: async (_args, send, token) => {
    for (let n = 1; n <= 5; n++) {
      await new Promise((resolve) => setTimeout(resolve, 60))
      send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: token, progress: n } })
    }
    return text("done at last")
  },
  die: () => {
    console.error("a first line\nboom \u001b[2J\u202e")
    process.exit(7)
  },
  fail: async () => {
    throw Object.assign(new Error("no such thing"), { code: -32602 })
  },
  env: async ({ name }) => text(String(process.env[name])),
  argv: async () => text(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), pid: process.pid })),
  image: async () => ({
    content: [
      { type: "text", text: "a cat" },
      { type: "image", data: Buffer.alloc(300).toString("base64"), mimeType: "image/png" },
      { type: "audio", data: Buffer.alloc(20).toString("base64"), mimeType: "audio/\nwav" },
      { type: "resource_link", uri: "file:///a", name: "a", mimeType: "text/plain", size: 12 },
      { type: "resource", resource: { uri: "file:///b", mimeType: "text/plain", text: "inside" } },
      { type: "resource", resource: { uri: "file:///c", blob: "AAAA" } },
      { type: "hologram" },
      null,
    ],
  }),
  structured: async () => ({ content: [], structuredContent: { n: 1 } }),
  garbage_result: async () => ({ content: "no list", isError: "yes" }),
  large: async () => text("x".repeat(100_000)),
  change: async (_args, send) => {
    extra = [{ name: "fresh", inputSchema: { type: "object" } }]
    delete TOOLS.echo
    send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" })
    return text("changed")
  },
  fresh: async () => text("fresh"),
}

const HINTS = { echo: { readOnlyHint: true }, image: { idempotentHint: true } }

function listed() {
  if (modes.has("--many"))
    return Array.from({ length: 500 }, (_, n) => ({ name: `tool ${n}`, inputSchema: { type: "object" } }))
  const tools = Object.keys(TOOLS)
    .filter((name) => name !== "fresh")
    .map((name) => ({ name, description: `does ${name}`, inputSchema: { type: "object" }, annotations: HINTS[name] }))
  const odd = modes.has("--odd-list")
    ? [
        null,
        { name: "no_schema" },
        { name: "echo", inputSchema: { type: "object" } },
        { name: "list", inputSchema: { type: "array" } },
        { inputSchema: {} },
      ]
    : []
  return [...tools, ...extra, ...odd]
}

/** A page of 100. */
function page(cursor = "0") {
  if (modes.has("--endless-pages")) return { tools: [], nextCursor: "0" }
  const from = Number(cursor)
  const tools = listed()
  return {
    tools: tools.slice(from, from + 100),
    ...(from + 100 < tools.length ? { nextCursor: String(from + 100) } : {}),
  }
}

async function resultOf({ method, params = {} }, send) {
  switch (method) {
    case "initialize":
      log("initialize")
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "test", version: "1" },
      }
    case "tools/list":
      return page(params.cursor)
    case "tools/call": {
      log(`call ${params.name}`)
      const result = await TOOLS[params.name](params.arguments ?? {}, send, params._meta?.progressToken)
      log(`result ${params.name} ${result.content?.[0]?.text ?? ""}`)
      return result
    }
    case "ping":
      return {}
    default:
      throw Object.assign(new Error("Method not found"), { code: -32601 })
  }
}

async function receive(message, send) {
  if (message.method === undefined) return asked.get(message.id)?.({ ...message.result, error: message.error })
  if (message.method === "notifications/cancelled") log("cancelled")
  if (message.id === undefined) return
  try {
    send({ jsonrpc: "2.0", id: message.id, result: await resultOf(message, send) })
  } catch ({ code = -32603, message: why, data }) {
    send({ jsonrpc: "2.0", id: message.id, error: { code, message: why, data } })
  }
}

function overStdio() {
  if (modes.has("--garbage")) writeSync(1, 'Welcome!\n{\n\u0000\u0001\n[1, 2]\n"text"\n\n')
  const send = (message) => writeSync(1, `${JSON.stringify(message)}\n`)
  let begun = ""
  process.stdin.setEncoding("utf8").on("data", (chunk) => {
    const lines = (begun + chunk).split("\n")
    begun = lines.pop()
    for (const line of lines) receive(JSON.parse(line), send)
  })
  if (modes.has("--stays")) {
    process.on("SIGTERM", () => log("SIGTERM"))
    setInterval(() => {}, 1000)
  }
}

function overHttp() {
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += chunk
    log(`${request.method} ${request.headers.authorization ?? "without a token"}`)
    if (modes.has("--locked")) return response.writeHead(401).end("who is there?")
    if (request.method !== "POST") return response.writeHead(405).end()
    const message = JSON.parse(body)
    if (modes.has("--forgets") && message.method === "tools/call") {
      modes.delete("--forgets")
      return response.writeHead(404).end("no such session")
    }
    if (message.id === undefined || message.method === undefined) {
      receive(message, () => {})
      return response.writeHead(202).end()
    }
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.flushHeaders()
    if (modes.has("--cuts") && message.method === "tools/call") return response.destroy()
    await receive(message, (out) => response.write(`event: message\ndata: ${JSON.stringify(out)}\n\n`))
    response.end()
  })
  server.listen(0, "127.0.0.1", () => console.log(server.address().port))
}

if (modes.has("--hangs")) {
  log(`hangs as ${process.pid}`)
  setInterval(() => {}, 1000)
} else if (modes.has("--refuses")) {
  console.error("no configuration found")
  process.exit(2)
} else if (modes.has("--http")) overHttp()
else overStdio()
