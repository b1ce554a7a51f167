import assert from "node:assert/strict"
import { test } from "node:test"
import { readServers, type ServerSettings } from "../../../../src/tools/mcp/read-servers.ts"

const around = { cwd: "/srv", env: { TOKEN: "t-123456", EMPTY: "", HOME: "/home/me" } }

function read(entry: unknown): { settings?: ServerSettings; problem?: string } {
  const [server] = readServers({ mcpServers: { s: entry } }, around)
  if (server?.is === "usable") return { settings: server.settings }
  return { problem: server?.is === "unusable" ? `${server.fact}: ${server.next}` : String(server?.is) }
}

test("a program's command, arguments, folder and environment take variables", () => {
  const { settings } = read({
    command: "${HOME}/bin/server",
    args: ["--token", "${env:TOKEN}", "${NONE:-plain}", "${UNSET:-}", "$TOKEN ${1}"],
    cwd: "sub",
    env: { A: "a${TOKEN}b" },
  })
  assert.deepEqual(settings?.reach, {
    via: "stdio",
    command: "/home/me/bin/server",
    args: ["--token", "t-123456", "plain", "", "$TOKEN ${1}"],
    cwd: "/srv/sub",
    env: { A: "at-123456b" },
  })
})

test("an address is http unless it says sse, and its headers take variables", () => {
  const types: [string | undefined, string][] = [
    [undefined, "http"],
    ["http", "http"],
    ["streamable-http", "http"],
    ["sse", "sse"],
  ]
  for (const [type, via] of types) {
    const { settings } = read({ ...(type ? { type } : {}), url: "https://h.test/mcp", headers: { X: "${TOKEN}" } })
    assert.deepEqual(settings?.reach, { via, url: new URL("https://h.test/mcp"), headers: { X: "t-123456" } })
  }
})

for (const [entry, problem] of [
  [{}, "it has neither a command nor a url: give one"],
  [null, "it must be an object, got null: give a command or a url"],
  [{ command: "" }, 'its command must be a filled text, got "": correct it'],
  [{ command: "x", args: [1] }, 'its args must be a list of texts, got array: write ["...", "..."]'],
  [{ command: "x", env: { A: 1 } }, "env.A must be a text, got number: put it in quotes"],
  [
    { command: "x", env: { A: "${NOPE}${ALSO}" } },
    "the environment variables NOPE (env.A) and ALSO (env.A) are not set: set what is missing, and start again",
  ],
  [
    { command: "${EMPTY}" },
    "the environment variable EMPTY (command) is not set: set what is missing, and start again",
  ],
  [
    { command: "${A}", args: ["${B}", "${B}"], cwd: "${B}/x", env: { T: "${C}" } },
    "the environment variables B (cwd, args), A (command) and C (env.T) are not set: set what is missing, and start again",
  ],
  [
    { url: "${HOST}/mcp", headers: { Authorization: "Bearer ${KEY}" } },
    "the environment variables HOST (url) and KEY (headers.Authorization) are not set: set what is missing, and start again",
  ],
  [{ url: "h.test/mcp" }, "its url is no address: write it whole: https://HOST/PATH"],
  [{ url: "file:///etc/passwd" }, "its url is no address: write it whole: https://HOST/PATH"],
  [{ type: "ws", url: "ws://h" }, 'its type is "ws": a type is stdio, http or sse'],
  [{ command: "x", url: "https://h.test" }, "it has both a command and a url: keep the one by which it is reached"],
  [
    { type: "http", command: "x", url: "https://h.test" },
    "it has both a command and a url: keep the one by which it is reached",
  ],
  [
    { type: "stdio", url: "https://h.test" },
    "its type is stdio, and it has a url and no command: a url goes with the type http or sse",
  ],
  [
    { type: "sse", command: "x" },
    "its type is sse, and it has a command and no url: a command goes with the type stdio",
  ],
  [{ command: "x", headers: { A: "b" } }, "it has a command and also headers, for a url only: leave headers out"],
  [
    { url: "https://h.test", args: ["x"], env: { A: "b" } },
    "it has a url and also args and env, for a command only: leave args and env out",
  ],
  [{ url: "https://h.test", cwd: "." }, "it has a url and also cwd, for a command only: leave cwd out"],
  [{ command: "x", excludeTool: ["a"] }, "it has no member excludeTool: did you mean excludeTools?"],
  [{ command: "x", disabeldTools: ["a"] }, "it has no member disabeldTools: did you mean disabledTools?"],
  [{ Command: "x" }, "it has no member Command: did you mean command?"],
  [{ command: "x", envs: { A: "b" } }, "it has no member envs: did you mean env?"],
  [{ uri: "https://h.test" }, "it has no member uri: did you mean url?"],
  [{ command: "x", disabled: "yes" }, 'its disabled must be true or false, got "yes": correct it'],
  [
    { command: "x", callTimeoutMs: 0 },
    "its callTimeoutMs must be a number of milliseconds above 0, got number: correct it",
  ],
  [{ command: "x", disabled: true }, "disabled"],
] as const) {
  test(`what cannot be used is said of that server: ${problem}`, () => {
    assert.equal(read(entry).problem, problem)
  })
}

test("members of other tools that mean nothing here, and empty ones beside what they do not fit, are no reason to refuse", () => {
  assert.equal(
    read({ url: "https://h.test/mcp", args: [], env: {}, alwaysAllow: ["a"], timeout: 3 }).problem,
    undefined,
  )
  assert.equal(read({ command: "x", headers: {}, description: "d" }).problem, undefined)
  assert.equal(read({ command: "x", url: "https://h.test", disabled: true }).problem, "disabled")
})

test("values that look like secrets are taken out of what is said, and no others", () => {
  const { settings } = read({
    url: "https://h.test/mcp",
    headers: { Authorization: "Bearer ${TOKEN}", "X-Api-Key": "literal-key", Accept: "application/json" },
  })
  assert.equal(
    settings?.hide("Bearer t-123456, literal-key, application/json"),
    "Bearer [TOKEN], [X-Api-Key], application/json",
  )
  const stdio = read({
    command: "x",
    args: ["${TOKEN}", "${HOME}/data"],
    env: { DB_PASSWORD: "hunter22", MODE: "production" },
  })
  assert.equal(
    stdio.settings?.hide("t-123456 hunter22 /home/me/data production"),
    "[TOKEN] [DB_PASSWORD] /home/me/data production",
  )
})
