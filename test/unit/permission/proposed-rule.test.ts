import assert from "node:assert/strict"
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import type { GatedCall } from "../../../src/permission/gate.ts"
import { proposeRule } from "../../../src/permission/propose-rule.ts"
import { tryRule } from "../../../src/permission/try-rule.ts"
import type { ToolSpec } from "../../../src/tool/tool.ts"

const CWD = "/srv/project"

function call(name: string, input: Record<string, unknown>, tool: Partial<ToolSpec> = {}): GatedCall {
  return { name, input, tool: { name, description: "", inputSchema: {}, source: "native", ...tool } }
}

const bash = (command: string) => call("bash", { command })
const text = { inputSchema: { type: "object", properties: { query: { type: "string" } } } }
const patch = (...files: string[]) =>
  call("apply_patch", { patch: files.map((file) => `--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-a\n+b\n`).join("") })

const PROPOSED: [what: string, call: GatedCall, rule: string][] = [
  ["a command", bash("git status"), "bash(git status)"],
  ["a command with brackets and quotes", bash("echo '(a)'"), "bash(echo '(a)')"],
  ["a file", call("edit", { path: "src/../src/a.ts" }), "edit(/srv/project/src/a.ts)"],
  ["a file elsewhere", call("write", { path: "/etc/hosts" }), "write(/etc/hosts)"],
  ["the file of a patch", patch("src/a.ts"), "apply_patch(/srv/project/src/a.ts)"],
  ["an address", call("webfetch", { url: "https://example.test/a?b=1" }), "webfetch(https://example.test/a?b=1)"],
  ["a text", call("search", { query: "otters" }, text), "search(otters)"],
  ["a call without anything to compare", call("deploy", { force: true }), "deploy"],
  [
    "a tool of an MCP server",
    call("pay_refund", { id: 3 }, { source: "mcp", origin: { server: "pay", tool: "refund" } }),
    "mcp:pay/refund",
  ],
  [
    "one whose server no rule can name",
    call("a_b_refund", {}, { source: "mcp", origin: { server: "a b*", tool: "refund" } }),
    "a_b_refund",
  ],
]

for (const [what, its, rule] of PROPOSED) {
  test(`the rule for ${what} is ${rule}, and allows it`, () => {
    assert.equal(proposeRule(its, CWD), rule)
    assert.equal(tryRule(rule, its, CWD).allows, true)
  })
}

test("a file behind a symbolic link is proposed as where it leads", (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolnexus-rule-")))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, "real.txt"), "")
  symlinkSync(join(folder, "real.txt"), join(folder, "link.txt"))
  const its = call("edit", { path: "link.txt" })
  assert.equal(proposeRule(its, folder), `edit(${join(folder, "real.txt")})`)
  assert.equal(tryRule(`edit(${join(folder, "link.txt")})`, its, folder).allows, false)
})

const REFUSED: [why: string, rule: string, call: GatedCall, said: RegExp][] = [
  ["cannot be read", "bash(ls", bash("ls"), /closing bracket is missing/],
  ["is empty", " ", bash("ls"), /it is empty/],
  ["is for another tool", "edit(/a)", bash("ls"), /not about the tool bash/],
  ["does not fit the command", "bash(cat *)", bash("ls"), /^cat \* does not fit this command$/],
  ["is for more than one simple command", "bash(ls && rm x)", bash("ls && rm x"), /not one simple command/],
  ["has no pattern, for more than one simple command", "bash", bash("ls && rm x"), /not one simple command/],
  ["leaves out a file of a patch", "apply_patch(/srv/project/a)", patch("a", "b"), /a does not fit "b"$/],
  [
    "has a pattern where there is nothing to compare",
    "deploy(x)",
    call("deploy", {}),
    /nothing in this call that a pattern could fit/,
  ],
  ["does not fit the text", "search(cats)", call("search", { query: "otters" }, text), /^cats does not fit its text$/],
]

for (const [why, rule, its, said] of REFUSED) {
  test(`a rule that ${why} allows nothing, and the reason is said: ${rule}`, () => {
    const trial = tryRule(rule, its, CWD)
    assert.match(trial.allows ? "" : trial.why, said)
  })
}

function schema(...names: string[]): Pick<ToolSpec, "inputSchema"> {
  return { inputSchema: { type: "object", properties: Object.fromEntries(names.map((name) => [name, {}])) } }
}

const LETS: [rule: string, call: GatedCall, said: RegExp][] = [
  [
    "bash(git status)",
    call("bash", { command: "git status" }, schema("command", "timeoutMs")),
    /^bash for the simple command git status, with any timeoutMs$/,
  ],
  [
    "sh(ls)",
    call("sh", { command: "ls" }, schema("command", "args", "cwd")),
    /^sh for the simple command ls, with any cwd$/,
  ],
  ["sh(ls)", call("sh", { command: "ls" }, schema("command")), /^sh for the simple command ls alone$/],
  ["sh(ls)", call("sh", { command: "ls" }), /^sh for the simple command ls, whatever else it is given$/],
  [
    "edit(/srv/a)",
    call("edit", { path: "/srv/a" }, schema("path", "oldText", "newText")),
    /^edit for the place \/srv\/a, with any oldText, newText$/,
  ],
  [
    "apply_patch(/srv/project/a)",
    { ...patch("a"), tool: { ...patch("a").tool, ...schema("patch") } },
    /a, with any patch$/,
  ],
  ["search(otters)", call("search", { query: "otters" }, text), /^search for the text otters alone$/],
  [
    "search(ot*)",
    call("search", { query: "otters" }, schema("limit", "query", "x, nothing")),
    /^search for every text that fits ot\* \(\* is any characters\), with any limit, "x, nothing"$/,
  ],
  [
    "search(a)",
    call("search", { p0: "a" }, schema(...Array.from({ length: 12 }, (_, at) => `p${at}`))),
    /^search for the text a, with any p1, p2, p3, p4, p5, p6, p7, p8, 3 more$/,
  ],
  [
    "bash(git *)",
    bash("git status"),
    /^bash for every simple command that fits git \* \(\* is any characters\), whatever/,
  ],
  ["bash", bash("git status"), /^bash for every simple command$/],
  ["edit(/srv/*)", call("edit", { path: "/srv/a" }), /^edit for every place that fits \/srv\/\*/],
  ["*", call("deploy", {}), /^every call of every tool that fits \*$/],
  ["deploy", call("deploy", {}), /^every call of deploy$/],
]

for (const [rule, its, said] of LETS) {
  test(`what a rule lets through is said, and nothing that it does not: ${said}`, () => {
    const trial = tryRule(rule, its, CWD)
    assert.match(trial.allows ? trial.lets : "", said)
  })
}
