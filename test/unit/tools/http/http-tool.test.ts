import assert from "node:assert/strict"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { after, test } from "node:test"
import { gzipSync } from "node:zlib"
import { createGate } from "../../../../src/permission/create-gate.ts"
import { createInProcessClient } from "../../../../src/run/client.ts"
import { memoryJournal } from "../../../../src/run/memory.ts"
import { createToolkit } from "../../../../src/tools/create-toolkit.ts"
import { type HttpToolDefinition, httpTool } from "../../../../src/tools/http/http-tool.ts"

interface Seen {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void
let seen: Seen[] = []
let answer: Answer = (response) => response.writeHead(200, { "content-type": "text/plain" }).end("fine")
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { method = "", url = "", headers } = request
  seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
  answer(response, request)
})
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
after(() => {
  server.closeAllConnections()
  server.close()
})
const { port } = server.address() as AddressInfo
const base = `http://127.0.0.1:${port}`

const answers = (body: string | Buffer, type = "text/plain", status = 200, headers: Record<string, string> = {}) => {
  answer = (response) => response.writeHead(status, { "content-type": type, ...headers }).end(body)
}

/** Calls a tool made from this, as a run would. */
async function call(
  definition: Partial<HttpToolDefinition>,
  args: Record<string, unknown> = {},
  ctx: { signal?: AbortSignal; idempotencyKey?: string } = {},
) {
  seen = []
  const tool = httpTool({ name: "t", description: "d", url: base, ...definition })
  return (await createToolkit({ extraTools: [tool] })).execute("t", args, ctx)
}

const SECRET = 's3cr3t/+"x"=='

test("arguments stand where the placeholders are: in the path, the query and the body, with their types there", async () => {
  answers('{"ok":true}', "application/json")
  const result = await call(
    {
      method: "POST",
      url: `${base}/repos/{repo}/issues?state={state}&fixed=1`,
      query: { "per page": "{count}", tag: "x-{tag}" },
      body: {
        title: "{title}",
        count: "{count}",
        deep: [{ all: "{labels}" }, "{missing}"],
        note: "by {repo}",
        no: "{missing}",
      },
      inputSchema: {
        type: "object",
        properties: { repo: {}, state: {}, count: {}, tag: {}, title: {}, labels: {}, missing: {} },
        required: ["repo"],
      },
    },
    { repo: "a b", count: 3, title: 'x"y', labels: ["l"], state: true },
  )
  assert.deepEqual(result, { output: '{"ok":true}', isError: false, metadata: { status: 200 } })
  const [request] = seen
  assert.equal(request?.url, "/repos/a%20b/issues?state=true&fixed=1&per%20page=3")
  assert.deepEqual(JSON.parse(request?.body ?? ""), {
    title: 'x"y',
    count: 3,
    deep: [{ all: ["l"] }],
    note: "by a b",
  })
  assert.equal(request?.headers["content-type"], "application/json")
})

const HOSTILE = [
  "a/b",
  "../x",
  "a?b=c",
  "a#b",
  "a&b=c",
  "a\r\nX: y",
  "a\\b",
  "%2e%2e",
  "@evil.test",
  "ä😀",
  "a%2Fb",
  ";x",
]
for (const value of HOSTILE) {
  test(`the value ${JSON.stringify(value)} stays one segment of the path and one value of the query`, async () => {
    answers("fine")
    const { isError } = await call({ url: `${base}/a/{x}/b?q={x}&r=1` }, { x: value })
    assert.equal(isError, false)
    const url = new URL(seen[0]?.url ?? "", base)
    const segments = url.pathname.split("/")
    assert.deepEqual([segments.length, segments[1], segments[3]], [4, "a", "b"])
    assert.equal(decodeURIComponent(segments[2] ?? ""), value)
    assert.deepEqual(
      [...url.searchParams],
      [
        ["q", value],
        ["r", "1"],
      ],
    )
    assert.equal(url.hash, "")
  })
}

for (const [value, reason] of [
  ["..", /x must not be "\.\.": it would lead elsewhere/],
  [".", /would lead elsewhere/],
  ["", /x must not be empty: it is a part of the address/],
  ["\ud800", /x holds half a character/],
  [["a"], /x must be a text, a number, true or false to stand there, got array/],
  [{ a: 1 }, /x must be a text/],
] as const) {
  test(`the value ${JSON.stringify(value)} in a path is refused, and nothing is sent`, async () => {
    const inputSchema = { type: "object", properties: { x: {} }, required: ["x"] }
    const { output, isError } = await call({ url: `${base}/a/{x}`, inputSchema }, { x: value })
    assert.match(output, reason)
    assert.deepEqual([isError, seen], [true, []])
  })
}

test("two placeholders cannot make a step upwards together either", async () => {
  const { output } = await call({ url: `${base}/a/.{x}/b` }, { x: "." })
  assert.match(output, /x must not be "\.\."/)
  assert.deepEqual(seen, [])
})

test("without a schema each placeholder is a text that a call must have", async () => {
  const tool = httpTool({ name: "t", description: "d", method: "PUT", url: `${base}/{a}?b={b}`, body: ["{c}", "{a}"] })
  assert.deepEqual(tool.inputSchema, {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "string" }, c: { type: "string" } },
    required: ["a", "b", "c"],
    additionalProperties: false,
  })
})

test("variables in headers are read at each call, and what they hold is in no result, whatever the server does with it", async () => {
  const env: Record<string, string> = { TOKEN: SECRET, PLAIN: "v1" }
  const definition = {
    headers: { Authorization: "Bearer ${TOKEN}", "x-version": "${PLAIN}-${TOKEN}", accept: "text/csv" },
    env,
  }
  answer = (response, { headers }) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(`${JSON.stringify(headers)} ${headers.authorization} ${encodeURIComponent(SECRET)}`)
  const { output } = await call(definition)
  assert.equal(seen[0]?.headers.authorization, `Bearer ${SECRET}`)
  assert.equal(seen[0]?.headers["x-version"], `v1-${SECRET}`)
  assert.equal(seen[0]?.headers.accept, "text/csv")
  assert.match(output, /"authorization":"Bearer \[TOKEN\]"/)
  assert.doesNotMatch(output, /s3cr3t/)
  env.TOKEN = "another-one"
  await call(definition)
  assert.equal(seen[0]?.headers.authorization, "Bearer another-one")
})

test("what a header holds is in no error either: not of a status, a redirect or a broken connection", async () => {
  const definition = { headers: { "x-api-key": "${TOKEN}" }, env: { TOKEN: SECRET } }
  const long = `${"x".repeat(1995)}${SECRET}`
  answers(long, "text/plain", 500)
  const failed = await call(definition)
  assert.deepEqual([failed.isError, failed.metadata], [true, { status: 500 }])
  assert.match(failed.output, /answered with status 500\nx{1995}\[TOKE\n\[\d+ more characters are left out\]$/)
  const encoded = encodeURIComponent(SECRET)
  answers("", "text/plain", 302, { location: `http://other.test/?key=${encoded}` })
  assert.match((await call(definition)).output, /redirects to another host, .*\/\?key=\[TOKEN\]/)
  answer = (response) => response.destroy()
  const broken = await call(definition)
  assert.match(broken.output, /: socket hang up\.$/)
  for (const { output } of [failed, broken]) assert.doesNotMatch(output, /s3cr3t/)
})

test("a key that a program put into a header itself is hidden too", async () => {
  answer = (response, { headers }) => response.writeHead(200).end(`${headers.authorization}`)
  const { output } = await call({ headers: { authorization: "Bearer from-the-program" } })
  assert.equal(output, "Bearer [authorization]")
})

test("all variables that are missing are named at once, and a default stands for one that is not set", async () => {
  answer = (response, { headers }) => response.writeHead(200).end(`${headers.a}`)
  const headers = { authorization: "Bearer ${TOKEN}", a: "${env:ONE} ${TWO:-two} ${TOKEN}" }
  assert.equal(
    (await call({ headers, env: {} })).output,
    "The request cannot be made: the environment variables TOKEN (the header authorization, the header a) and ONE (the header a) are not set. What is missing has to be set before toolnexus starts.",
  )
  assert.equal((await call({ headers, env: { TOKEN: "abcdef", ONE: "1" } })).output, "1 two [TOKEN]")
})

test("a variable that is missing, empty or cannot be sent is a clear error without its value, and nothing is sent", async () => {
  const headers = { authorization: "Bearer ${TOKEN}" }
  const missing =
    "The request cannot be made: the environment variable TOKEN (the header authorization) is not set. What is missing has to be set before toolnexus starts."
  assert.deepEqual(await call({ headers, env: {} }), { output: missing, isError: true })
  assert.equal((await call({ headers, env: { TOKEN: "" } })).output, missing)
  const broken = await call({ headers, env: { TOKEN: "abcdef\nghi" } })
  assert.equal(
    broken.output,
    "The variable TOKEN holds what the header authorization cannot: a line end, for instance.",
  )
  assert.deepEqual(seen, [])
})

test("the run file of a run with such a tool holds no key", async () => {
  answer = (response, { headers }) => response.writeHead(401).end(`wrong: ${headers.authorization}`)
  const tool = httpTool({
    name: "status",
    description: "d",
    url: `${base}/status`,
    headers: { authorization: "Bearer ${TOKEN}" },
    env: { TOKEN: "a-very-secret-token" },
  })
  const journal = memoryJournal()
  const client = createInProcessClient({
    model: "m",
    gate: createGate(),
    generate: ({ messages }) =>
      messages.some(({ role }) => role === "tool") ? { text: "done" } : { toolCalls: [{ name: "status", input: {} }] },
  })
  const { status } = await client.run("go", { toolkit: await createToolkit({ extraTools: [tool] }), journal })
  assert.equal(status, "done")
  const written = JSON.stringify(await journal.read())
  assert.match(written, /wrong: Bearer \[TOKEN\]/)
  assert.doesNotMatch(written, /a-very-secret-token/)
})

test("text and JSON come as they are, of anything else type and size, and nothing is said as such", async () => {
  answers(Buffer.from("\xe9", "latin1"), "text/plain; charset=iso-8859-1")
  assert.equal((await call({})).output, "é")
  answers("<p>x</p>", "text/html")
  assert.equal((await call({})).output, "<p>x</p>")
  answers(Buffer.from("89504e470d0a1a0a", "hex"), "image/png")
  assert.equal((await call({})).output, "[image/png, 8 bytes]")
  answers(gzipSync("packed"), "text/plain", 200, { "content-encoding": "gzip" })
  assert.equal((await call({})).output, "packed")
  answer = (response) => response.writeHead(204).end()
  assert.equal((await call({ method: "DELETE" })).output, "(status 204, no text)")
  answer = (response) => response.writeHead(200, { "content-encoding": "gzip", "content-length": "10" }).end()
  assert.equal((await call({ method: "HEAD" })).output, "(status 200, no text)")
})

test("a long answer is cut with a notice, and one without end is given up", async () => {
  answers("x".repeat(50_001))
  assert.match((await call({})).output, /^x{50000}\n\[1 more characters are left out\]$/)
  answer = (response) => {
    response.writeHead(200, { "content-type": "text/plain" })
    const more = () => {
      while (response.write("y".repeat(65_536)));
      response.once("drain", more)
    }
    more()
  }
  assert.match((await call({})).output, /^y{50000}\n\[The answer is longer than 5242880 bytes: the rest is left out\]$/)
})

test("a server that does not answer in time is an error result; a stop ends the call", async () => {
  answer = () => {}
  const { output, isError } = await call({ timeoutMs: 50 })
  assert.deepEqual([output, isError], [`${base}/ was not there within 50 ms.`, true])
  const stop = new AbortController()
  answer = () => stop.abort(new Error("stopped"))
  assert.equal((await call({}, {}, { signal: stop.signal })).isError, true)
})

test("a redirect on the same host is followed for GET with its headers, and for nothing else", async () => {
  answer = (response, { url }) =>
    url === "/moved" ? response.writeHead(200).end("there") : response.writeHead(307, { location: "/moved" }).end()
  const headers = { authorization: "Bearer ${TOKEN}" }
  const env = { TOKEN: "abcdefgh" }
  assert.equal((await call({ headers, env })).output, "there")
  assert.deepEqual(
    seen.map((it) => it.headers.authorization),
    ["Bearer abcdefgh", "Bearer abcdefgh"],
  )
  const { output, isError } = await call({ method: "POST", headers, env })
  assert.equal(
    output,
    `${base}/ redirects to ${base}/moved, which was not followed. The tool's declaration has to name that address.`,
  )
  assert.deepEqual([isError, seen.length], [true, 1])
})

test("a redirect to another host, port or scheme is not followed: the headers hold keys", async () => {
  for (const location of [
    `http://localhost:${port}/`,
    "http://127.0.0.1:1/",
    `https://127.0.0.1:${port}/`,
    "//evil.test/",
  ]) {
    answers("", "text/plain", 302, { location })
    const { output, isError } = await call({})
    assert.match(output, /redirects to another host, which was not followed/)
    assert.deepEqual([isError, seen.length], [true, 1])
  }
})

test("what writes is sent with the call's idempotency key, what reads is not", async () => {
  answers("fine")
  await call({ method: "POST" }, {}, { idempotencyKey: "run/1/0" })
  assert.equal(seen[0]?.headers["idempotency-key"], "run/1/0")
  await call({ method: "POST", headers: { "Idempotency-Key": "own" } }, {}, { idempotencyKey: "run/1/0" })
  assert.equal(seen[0]?.headers["idempotency-key"], "own")
  await call({}, {}, { idempotencyKey: "run/1/0" })
  assert.equal(seen[0]?.headers["idempotency-key"], undefined)
})

test("GET and HEAD run unasked, the others are asked about unless they are said to be read-only or a rule allows them", async () => {
  const decide = async (definition: Partial<HttpToolDefinition>, rules: Parameters<typeof createGate>[0] = {}) => {
    const tool = httpTool({ name: "t", description: "d", url: base, ...definition })
    return (await createGate(rules).decide({ name: "t", input: {}, tool })).decision
  }
  assert.equal(httpTool({ name: "t", description: "d", url: base }).annotations?.readOnly, true)
  assert.deepEqual([await decide({}), await decide({ method: "HEAD" })], ["allow", "allow"])
  for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) assert.equal(await decide({ method }), "ask")
  assert.equal(await decide({ method: "POST", annotations: { readOnly: true } }), "allow")
  assert.equal(await decide({ annotations: {} }), "ask")
  assert.equal(await decide({ method: "POST" }, { rules: [{ effect: "allow", rule: "t" }] }), "allow")
})

const WRONG: Record<string, [definition: Record<string, unknown>, reason: RegExp]> = {
  "no url": [{ url: undefined }, /its url must be a text, got undefined/],
  "a relative url": [{ url: "/x" }, /its url must begin with https:\/\/ or http:\/\//],
  "another scheme": [{ url: "file:///etc/passwd" }, /must begin with https/],
  "a placeholder for the host": [{ url: "https://{host}/x" }, /the host of its url must stand fast/],
  "a placeholder in the host": [{ url: "https://api.{zone}.test/x" }, /must stand fast/],
  "a placeholder for the port": [{ url: "https://a.test:{port}/x" }, /must stand fast/],
  "a placeholder for everything": [{ url: "{url}" }, /must begin with/],
  "a backslash behind the host": [{ url: "https://a.test\\{x}" }, /no backslash/],
  "a variable in the url": [{ url: "https://a.test/?key=${KEY}" }, /must hold no variable/],
  "a password in the url": [{ url: "https://me:pw@a.test/" }, /must hold no name or password/],
  "a part behind #": [{ url: "https://a.test/#x" }, /no part behind #/],
  "half a placeholder": [{ url: "https://a.test/{x" }, /has a bracket that is no placeholder \("\{x"\)/],
  "a placeholder as a query's name": [{ url: "https://a.test/?{x}=1" }, /no placeholder/],
  "a method that is none": [{ method: "get" }, /its method must be one of GET, HEAD, POST, .*, got "get"/],
  "a body for GET": [{ body: {} }, /it has a body, and GET sends none/],
  "a header that is no text": [{ headers: { a: 1 } }, /its headers must be an object of texts/],
  "a header of two lines": [{ headers: { a: "b\nc" } }, /its header "a" cannot be sent: Invalid character/],
  "a header's name that is none": [{ headers: { "a b": "c" } }, /its header "a b" cannot be sent/],
  "a header of the connection": [{ headers: { Host: "b.test" } }, /its header Host is not for a tool to say/],
  "a placeholder in a header": [{ headers: { a: "{x}" } }, /holds a placeholder: headers take variables only/],
  "a default that no header takes": [{ headers: { a: "${A:-x\ny}" } }, /its header "a" cannot be sent/],
  "a variable that is none": [{ headers: { a: "${a b}" } }, /holds "\$\{" and no variable: write \$\{NAME\}/],
  "a member that there is not": [{ header: {} }, /it has no member header: there are name, description/],
  "a placeholder that is not declared": [
    { url: `${base}/{x}`, inputSchema: { type: "object", properties: { y: {} } } },
    /\{x\} is no property of its inputSchema/,
  ],
  "a parameter without a place": [
    { inputSchema: { type: "object", properties: { y: {} } } },
    /nothing is done with y: write \{y\} into url/,
  ],
  "an optional part of the path": [
    { url: `${base}/{x}`, inputSchema: { type: "object", properties: { x: {} } } },
    /\{x\} is a part of its address: name it in required/,
  ],
  "a time that is none": [{ timeoutMs: 0 }, /its timeoutMs must be a number above 0/],
  "no description": [{ description: undefined }, /description of "t" must be a string/],
}

for (const [what, [definition, reason]] of Object.entries(WRONG)) {
  test(`an HTTP tool with ${what} is refused in one line that says why`, () => {
    const make = () => httpTool({ name: "t", description: "d", url: base, ...definition } as never)
    assert.throws(make, (error: Error & { code: string }) => {
      assert.equal(error.code, "usage")
      assert.match(error.message, reason)
      assert.match(error.message, /^(the HTTP tool "t"|a tool) cannot be defined like this: /)
      assert.doesNotMatch(error.message, /\n/)
      return true
    })
  })
}
