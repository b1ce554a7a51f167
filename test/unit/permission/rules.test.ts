import assert from "node:assert/strict"
import { test } from "node:test"
import { parseRule, renderRule } from "../../../src/permission/rules.ts"

test("a rule is a tool, with or without a pattern", () => {
  assert.deepEqual(parseRule("bash"), { tool: { name: "bash" } })
  assert.deepEqual(parseRule(" bash( git status* ) "), { tool: { name: "bash" }, pattern: "git status*" })
  assert.deepEqual(parseRule("edit(src/**)"), { tool: { name: "edit" }, pattern: "src/**" })
  assert.deepEqual(parseRule("bash(echo (a))"), { tool: { name: "bash" }, pattern: "echo (a)" })
})

test("an MCP tool is named by server and tool", () => {
  assert.deepEqual(parseRule("mcp:github/create_issue"), { tool: { server: "github", name: "create_issue" } })
  assert.deepEqual(parseRule("mcp:files/read(src/*)"), { tool: { server: "files", name: "read" }, pattern: "src/*" })
})

const WRONG: Record<string, RegExp> = {
  "": /it is empty/,
  "bash(git": /closing bracket is missing/,
  "bash()": /the pattern is empty: bash alone means every call/,
  "(x)": /the tool's name is missing/,
  "git status": /"git status" is no tool's name; for a command write bash\(git status\)/,
  "a/b": /"a\/b" is no tool's name/,
  "mcp:github": /mcp:SERVER\/TOOL, all of a server's mcp:SERVER\/\*/,
  "mcp:/x": /mcp:SERVER\/TOOL/,
  "mcp:x/": /mcp:SERVER\/TOOL/,
}

for (const [text, message] of Object.entries(WRONG)) {
  test(`the rule ${JSON.stringify(text)} is refused in one line that says why`, () => {
    assert.throws(() => parseRule(text), { code: "usage", message })
  })
}

test("a rule is said with its effect and where it comes from", () => {
  assert.equal(renderRule({ effect: "deny", rule: "bash(rm*)", source: "flag" }), "deny bash(rm*) (flag)")
  assert.equal(renderRule({ effect: "ask", rule: " bash " }), "ask bash")
})
