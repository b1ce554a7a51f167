import assert from "node:assert/strict"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { matchesRule } from "../../../src/permission/match.ts"
import { parseRule } from "../../../src/permission/rules.ts"
import type { JSONSchema } from "../../../src/tool/tool.ts"

const CWD = "/srv/project"

function allows(rule: string, name: string, input: Record<string, unknown>, inputSchema: JSONSchema = {}): boolean {
  const tool = { name, description: "", inputSchema, source: "native" as const }
  return matchesRule("allow", parseRule(rule), { name, input, tool }, CWD)
}

test("an allow of a folder does not reach out of it", () => {
  assert.equal(allows("edit(src/**)", "edit", { path: "src/a.ts" }), true)
  assert.equal(allows("edit(src/**)", "edit", { path: "./lib/../src/a.ts" }), true)
  assert.equal(allows("edit(src/**)", "edit", { path: "src/../../../etc/passwd" }), false)
  assert.equal(allows("edit(src/**)", "edit", { path: "/etc/passwd" }), false)
})

test("a relative pattern is about the working folder, and an absolute one about the places that it names", () => {
  for (const pattern of ["**", "*", "*.ts", "*/x*"]) {
    for (const path of ["../x/x.ts", "/etc/x.ts", "~/x/x.ts"]) {
      assert.equal(allows(`edit(${pattern})`, "edit", { path }), false, `${pattern} ${path}`)
    }
  }
  assert.equal(allows("edit(**)", "edit", { path: "a/b" }), true)
  assert.equal(allows("edit(../other/*)", "edit", { path: "../other/x" }), true)
  assert.equal(allows("edit(../other/*)", "edit", { path: "../x" }), false)
  assert.equal(allows("edit(/etc/*)", "edit", { path: "/etc/x" }), true)
  assert.equal(allows("edit(/*)", "edit", { path: "a" }), true)
  assert.equal(allows("edit", "edit", { path: "/etc/x" }), true)
})

test("a star does not stand for a .git folder that a call would change", () => {
  for (const path of [".git/config", ".git", "sub/.git/hooks/post-commit", ".GIT/config"]) {
    assert.equal(allows("edit(*)", "edit", { path }), false, path)
    assert.equal(allows("save_file(*)", "save_file", { path }), false, path)
    assert.equal(allows("read(*)", "read", { path }), true, path)
  }
  assert.equal(allows("edit(*)", "edit", { path: ".gitignore" }), true)
  assert.equal(allows("edit(.git/*)", "edit", { path: ".git/config" }), true)
  assert.equal(allows("edit", "edit", { path: ".git/config" }), true)
})

test("a command in words, in pieces or under several names is one command", () => {
  assert.equal(allows("run(git status*)", "run", { command: "git", args: ["status", "-s"] }), true)
  assert.equal(allows("run(git status*)", "run", { command: ["git", "status"] }), true)
  assert.equal(allows("run(git status*)", "run", { argv: ["git", "status"] }), true)
  assert.equal(allows("run(git)", "run", { command: "git", args: ["push"] }), false)
  assert.equal(allows("run(git*)", "run", { command: "git", args: ["status; rm x"] }), true)
  assert.equal(allows("run(git*)", "run", { command: "git", args: "status; rm x" }), false)
  assert.equal(allows("run(git status*)", "run", { command: "git status", script: "rm x" }), false)
})

test("an allow must cover every place that a call names", () => {
  assert.equal(allows("move(src/*)", "move", { from: "src/a", to: "src/b" }), true)
  assert.equal(allows("move(src/*)", "move", { from: "src/a", to: "/etc/b" }), false)
  assert.equal(allows("edit(src/*)", "edit", { paths: ["src/a", "x"] }), false)
  assert.equal(allows("edit(src/*)", "edit", { path: "src/a", more: { path: "x" } }), false)
})

test("an allow of an address is compared with where it leads", () => {
  assert.equal(allows("get(https://a.test/*)", "get", { url: "https://a.test/x/y" }), true)
  assert.equal(allows("get(https://a.test/pub/*)", "get", { url: "https://a.test/pub/../key" }), false)
  assert.equal(allows("get(https://a.test/*)", "get", { url: "https://a.test@b.test/" }), false)
})

test("without a place the first declared text counts, in the schema's order and not in the model's", () => {
  const schema = { type: "object", properties: { channel: { type: "string" }, text: { type: "string" } } }
  assert.equal(allows("post(dev*)", "post", { channel: "dev", text: "hi" }, schema), true)
  assert.equal(allows("post(dev*)", "post", { text: "dev", channel: "all" }, schema), false)
})

test("an allow with a pattern does not match a call that has nothing to compare", () => {
  assert.equal(allows("post(*)", "post", { n: 1 }), false)
  assert.equal(allows("post", "post", { n: 1 }), true)
})

test("an allow of the shell does not match a call without a command", () => {
  assert.equal(allows("bash", "bash", { path: "x" }), false)
})

test("an inherited name is no argument", () => {
  const schema = { type: "object", properties: { constructor: { type: "string" } } }
  assert.equal(allows("post(*)", "post", {}, schema), false)
})

test("a deny of a folder by the name of a link to it holds for its files by any name", (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolnexus-match-")))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, "real/work/secret"), { recursive: true })
  symlinkSync("real", join(folder, "link"))
  symlinkSync("secret", join(folder, "real/work/alias"))
  const cwd = join(folder, "real/work")
  const tool = { name: "read", description: "", inputSchema: {}, source: "builtin" as const }
  const catches = (pattern: string, path: string) =>
    matchesRule("deny", parseRule(`read(${pattern})`), { name: "read", input: { path }, tool }, cwd)
  for (const pattern of [`${folder}/link/work/secret/*`, `${folder}/link/work/sec*`, "alias/*", "./alias/*"]) {
    for (const path of ["secret/key", "alias/key", join(cwd, "secret/key"), join(folder, "link/work/alias/key")]) {
      assert.equal(catches(pattern, path), true, `${pattern} ${path}`)
    }
    assert.equal(catches(pattern, "public/key"), false, pattern)
  }
  assert.equal(catches(`${folder}/link/work/alias`, "secret"), true)
})
