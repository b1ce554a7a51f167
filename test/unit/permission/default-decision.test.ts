import assert from "node:assert/strict"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { createGate } from "../../../src/permission/create-gate.ts"
import type { Rule } from "../../../src/permission/rules.ts"
import { temporaryFolder } from "../../support/folder.ts"

const outer = temporaryFolder()
const cwd = outer.at("work")
mkdirSync(join(cwd, "src"), { recursive: true })
writeFileSync(outer.at("secret"), "s")
symlinkSync("../secret", join(cwd, "to-secret"))
symlinkSync("..", join(cwd, "up"))
symlinkSync("/etc", join(cwd, "src/etc"))
symlinkSync("../later", join(cwd, "dangling"))
symlinkSync("src", join(cwd, "to-src"))
symlinkSync("work", outer.at("work-link"))

const decided = async (name: string, input: Record<string, unknown>, rules: Rule[] = [], folder: string = cwd) => {
  const tool = { name, description: "", inputSchema: {}, source: "builtin" as const }
  const { decision, rule } = await createGate({ rules, cwd: folder }).decide({ name, input, tool })
  return rule === undefined ? decision : `${decision}: ${rule}`
}
const leaves = (name: string) => `ask: ask ${name} outside the working folder (default)`

const INSIDE = [
  "a.txt",
  "src/b.ts",
  "./src/../a",
  ".",
  "",
  "src/new/deep",
  "to-src/x",
  "..a",
  "src/..a/b",
  join(cwd, "src/x"),
]
const OUTSIDE = [
  "..",
  "../secret",
  "src/../../secret",
  "to-secret",
  "up/secret",
  "up/work/../secret",
  "src/etc/passwd",
  "src/etc/not-there",
  "dangling",
  "dangling/x",
  "to-src/etc/passwd",
  "/etc/passwd",
  "~/x",
  "~",
  "https://a.test/../../../../../../../../etc/passwd",
  "file:///../../../../../../../../../etc/passwd",
  outer.at("work-other/x"),
  outer.at("work/../secret"),
]

test("reading inside the working folder is allowed, by whatever path", async () => {
  for (const path of INSIDE) {
    assert.equal(await decided("read", { path }), "allow", path)
    assert.equal(await decided("grep", { pattern: "x", path }), "allow", path)
  }
  assert.equal(await decided("glob", { pattern: "**" }), "allow")
  assert.equal(await decided("todo", { items: [] }), "allow")
  assert.equal(await decided("question", { questions: [] }), "allow")
})

for (const path of OUTSIDE) {
  test(`${path.replace(outer.path, "OUTER")} leaves the working folder, which is asked about`, async () => {
    for (const name of ["read", "glob", "grep", "write", "edit"])
      assert.equal(await decided(name, { path }), leaves(name))
    const patch = `--- a/src/x\n+++ b/src/x\n@@ -1 +1 @@\n-a\n+b\n--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-a\n+b\n`
    assert.equal(await decided("apply_patch", { patch }), leaves("apply_patch"))
  })
}

test("what changes anything, or tells another machine something, is asked about inside of it too", async () => {
  for (const name of ["write", "edit"]) assert.equal(await decided(name, { path: "a" }), `ask: ask ${name} (default)`)
  assert.equal(await decided("bash", { command: "ls" }), "ask: ask bash (default)")
  assert.equal(await decided("webfetch", { url: "https://a.test/" }), "ask: ask webfetch (default)")
  assert.equal(await decided("apply_patch", { patch: "not one" }), "ask: ask apply_patch (default)")
})

test("a working folder that is reached through a link is the same folder", async () => {
  const folder = outer.at("work-link")
  for (const path of ["a.txt", join(folder, "a.txt"), join(cwd, "a.txt")]) {
    assert.equal(await decided("read", { path }, [], folder), "allow")
    assert.match(await decided("write", { path }, [{ effect: "allow", rule: `write(${folder}/*)` }], folder), /^allow/)
  }
  assert.equal(await decided("read", { path: "../secret" }, [], folder), leaves("read"))
})

test("a rule counts instead of the defaults", async () => {
  assert.match(await decided("read", { path: "/etc/passwd" }, [{ effect: "allow", rule: "read(/etc/*)" }]), /^allow/)
  assert.match(await decided("read", { path: "a" }, [{ effect: "deny", rule: "read" }]), /^refuse/)
  assert.match(
    await decided("webfetch", { url: "https://a.test/x" }, [{ effect: "allow", rule: "webfetch(https://a.test/*)" }]),
    /^allow/,
  )
})

test("an allow of a folder does not follow a link out of it, and a deny does", async () => {
  const allow: Rule[] = [{ effect: "allow", rule: "edit(src/**)" }]
  assert.match(await decided("edit", { path: "src/a" }, allow), /^allow/)
  assert.match(await decided("edit", { path: "to-src/a" }, allow), /^allow/)
  assert.equal(
    await decided("edit", { path: "src/etc/passwd" }, allow),
    `${leaves("edit")}; allow edit(src/**) does not count: "src/etc/passwd" leads to "/etc/passwd"`,
  )
  const deny: Rule[] = [{ effect: "deny", rule: "read(/etc/*)" }]
  for (const path of ["src/etc/passwd", "to-src/etc/passwd", "x://../../../../../../../../etc/passwd"]) {
    assert.match(await decided("read", { path }, deny), /^refuse/, path)
  }
})

test("an allow of a patch must cover every file that it names, under both names", async () => {
  const rules: Rule[] = [{ effect: "allow", rule: "apply_patch(src/*)" }]
  const patch = (from: string, to: string) => `--- ${from}\n+++ ${to}\n@@ -1 +1 @@\n-a\n+b\n`
  const rename = (from: string, to: string) => `diff --git a/${from} b/${to}\nrename from ${from}\nrename to ${to}\n`
  assert.match(
    await decided("apply_patch", { patch: patch("a/src/x", "b/src/x") + rename("src/y", "src/z") }, rules),
    /^allow/,
  )
  assert.match(await decided("apply_patch", { patch: patch("/dev/null", "b/src/x") }, rules), /^allow/)
  for (const text of [
    patch("a/lib/x", "b/lib/x"),
    patch("a/src/x", "b/src/x") + patch("a/x", "b/x"),
    rename("src/x", "x"),
    "src/x",
  ]) {
    assert.match(await decided("apply_patch", { patch: text }, rules), /^ask/, text)
  }
  const deny: Rule[] = [{ effect: "deny", rule: "apply_patch(.env)" }]
  assert.match(await decided("apply_patch", { patch: patch("a/x", "b/x") + rename("y", ".env") }, deny), /^refuse/)
})

test("where a tool is said to come from changes nothing: that stands in the run file", async () => {
  const tool = { name: "edit", description: "", inputSchema: {}, source: "native" as const }
  assert.equal((await createGate({ cwd }).decide({ name: "edit", input: { path: "a" }, tool })).decision, "ask")
})

test("a path that no system takes is decided about quickly", async () => {
  const started = performance.now()
  assert.match(await decided("read", { path: "a/".repeat(500_000) }), /^allow|^ask/)
  assert.match(await decided("read", { path: "\0" }), /^allow|^ask/)
  assert.ok(performance.now() - started < 5_000)
})

test("a tool of a server or of another machine is asked about unless it is marked as only reading", async () => {
  const gate = createGate({ cwd })
  for (const source of ["mcp", "http"] as const) {
    const tool = { name: "pay", description: "", inputSchema: {}, source }
    assert.equal((await gate.decide({ name: "pay", input: {}, tool })).decision, "ask")
    const reading = { ...tool, annotations: { readOnly: true } }
    assert.equal((await gate.decide({ name: "pay", input: {}, tool: reading })).decision, "allow")
  }
  const own = { name: "pay", description: "", inputSchema: {}, source: "native" as const }
  assert.equal((await gate.decide({ name: "pay", input: {}, tool: own })).decision, "allow")
})
