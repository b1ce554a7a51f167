import assert from "node:assert/strict"
import { symlinkSync } from "node:fs"
import { describe, it } from "node:test"
import { createGate } from "../../../src/permission/create-gate.ts"
import { explainCall, outlookOf } from "../../../src/permission/explain-call.ts"
import type { Rule } from "../../../src/permission/rules.ts"
import type { ToolSpec } from "../../../src/tool/tool.ts"
import { temporaryFolder } from "../../support/folder.ts"

const folder = temporaryFolder({ "src/a.ts": "", "other/b.ts": "" })
symlinkSync("../other", folder.at("src/link"))
const cwd = folder.path

const tool = (name: string, more: Partial<ToolSpec> = {}): ToolSpec => ({
  name,
  description: "d",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  source: "builtin",
  ...more,
})
const rules = (...said: string[]): Rule[] =>
  said.map((text) => {
    const [effect, rule = ""] = text.split(/ (.*)/s)
    return { effect: effect as Rule["effect"], rule, source: "flag" }
  })
const explain = (name: string, input: Record<string, unknown>, given: Rule[]) =>
  explainCall({ name, input, tool: tool(name) }, { rules: given, cwd })

describe("what is said of a call", () => {
  it("is what the gate decides, with the rule that did", async () => {
    const given = rules("allow bash(git *)", "deny bash(rm*)", "ask read(src/*)")
    const calls: [string, Record<string, unknown>, string, number | undefined][] = [
      ["bash", { command: "git status" }, "allow", 0],
      ["bash", { command: "rm -rf x" }, "refuse", 1],
      ["bash", { command: "ls" }, "ask", undefined],
      ["read", { path: "src/a.ts" }, "ask", 2],
      ["read", { path: "other/b.ts" }, "allow", undefined],
    ]
    for (const [name, input, decision, at] of calls) {
      const explained = await explain(name, input, given)
      const gate = await createGate({ rules: given, cwd }).decide({ name, input, tool: tool(name) })
      assert.deepEqual([explained.decision.decision, gate.decision], [decision, decision], JSON.stringify(input))
      assert.equal(explained.rule, at === undefined ? undefined : given[at])
    }
  })
  it("names allow rules whose text fits, and why they do not count", async () => {
    const cases: [string, Record<string, unknown>, string, RegExp][] = [
      ["bash", { command: "git status && rm x" }, "allow bash(git *)", /not one simple command/],
      ["bash", { command: "find . -delete" }, "allow bash(find *)", /"-delete"/],
      ["edit", { path: "src/link/b.ts" }, "allow edit(src/*)", /leads to/],
    ]
    for (const [name, input, rule, why] of cases) {
      const { decision, passedOver } = await explain(name, input, rules(rule, "allow webfetch", "allow bash(nothing)"))
      assert.deepEqual([decision.decision, decision.rule], ["ask", `ask ${name} (default)`])
      assert.deepEqual(
        passedOver.map((it) => it.rule.rule),
        [rule.slice("allow ".length)],
      )
      assert.match(passedOver[0]?.why ?? "", why)
    }
  })
  it("names rules that fit and that a stricter one comes before", async () => {
    const given = rules("allow write", "ask write", "deny write(*.lock)", "allow read")
    const { passedOver, rule } = await explain("write", { path: "a.lock" }, given)
    assert.equal(rule, given[2])
    assert.deepEqual(
      passedOver.map((it) => [it.rule, it.why]),
      [
        [given[0], "deny comes before allow"],
        [given[1], "deny comes before ask"],
      ],
    )
  })
  it("tells of a condition", async () => {
    const given: Rule[] = [
      { effect: "deny", rule: "write", when: () => false },
      { effect: "allow", rule: "write", when: () => Promise.reject(new Error("broken")) },
    ]
    const { decision, rule, passedOver } = await explain("write", { path: "a" }, given)
    assert.deepEqual([decision.decision, rule], ["refuse", given[1]])
    assert.match(passedOver[0]?.why ?? "", /its condition does not hold/)
  })
})

describe("what rules say of a tool before there is a call", () => {
  const outlook = (name: string, given: Rule[], more: Partial<ToolSpec> = {}) =>
    outlookOf(tool(name, more), { rules: given, cwd })
  it("is the default where no rule is about it", () => {
    assert.deepEqual(outlook("bash", []), { outlook: "ask", because: ["ask bash (default)"] })
    assert.deepEqual(outlook("todo", []), { outlook: "allow", because: ["allow todo (default)"] })
    assert.deepEqual(outlook("read", []), {
      outlook: "depends",
      because: ["allow read in the working folder, ask read outside the working folder (default)"],
    })
    assert.equal(outlook("weather", [], { source: "http" }).outlook, "ask")
  })
  it("is what a rule without a pattern says, where none is stricter", () => {
    assert.equal(outlook("write", rules("allow write")).outlook, "allow")
    assert.equal(outlook("write", rules("allow write", "deny *")).outlook, "deny")
    assert.equal(outlook("write", rules("allow write", "deny write(*.lock)")).outlook, "depends")
    assert.equal(outlook("write", rules("ask write", "allow write(x)")).outlook, "ask")
    assert.equal(outlook("write", rules("allow write(x)")).outlook, "depends")
  })
  it("of a shell depends even where it is allowed: only simple commands are", () => {
    assert.deepEqual(outlook("bash", rules("allow bash")), {
      outlook: "depends",
      because: ["allow bash (flag)", "ask bash (default)"],
    })
  })
  it("of a server's tool is what is said of it by its name there", () => {
    const origin = { server: "files", tool: "delete" }
    assert.equal(outlook("files_delete", rules("deny mcp:files/*"), { source: "mcp", origin }).outlook, "deny")
    assert.equal(outlook("files_delete", rules("deny mcp:other/*"), { source: "mcp", origin }).outlook, "ask")
  })
})
