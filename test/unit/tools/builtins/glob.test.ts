import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { symlinkSync } from "node:fs"
import { test } from "node:test"
import { workingFolder } from "../../../support/folder.ts"

const folder = await workingFolder({
  "a.ts": "",
  "src/b.ts": "",
  "src/deep/c.tsx": "",
  "src/.hidden": "",
  ".git/config": "",
  ".gitignore": "dist/\n",
  "dist/out.js": "",
  "src/.gitignore": "*.tsx\n",
  "odd\nname": "",
})
symlinkSync("..", folder.at("src/up"))
execFileSync("mkfifo", [folder.at("pipe")])
const glob = async (pattern: string, more: object = {}) =>
  (await folder.call("glob", { pattern, ...more })).output.split("\n")

test("a star lists a folder: folders with a slash, links marked", async () => {
  assert.deepEqual(await glob("*"), [".gitignore", "a.ts", '"odd\\nname"', "pipe", "src/"])
  assert.deepEqual(await glob("*", { path: "src" }), [
    "src/.gitignore",
    "src/.hidden",
    "src/b.ts",
    "src/deep/",
    "src/up@",
  ])
})

test("two stars go into folders, not through links and not where git looks away", async () => {
  assert.deepEqual(await glob("**/*.{ts,tsx}"), ["a.ts", "src/b.ts"])
  assert.deepEqual(await glob("**/out.js"), ["(nothing found)"])
  assert.deepEqual(await glob("*.js", { path: "dist" }), ["dist/out.js"])
})

test("more than the limit is told, and offset goes on", async () => {
  assert.deepEqual(await glob("*", { limit: 1 }), [
    ".gitignore",
    "[There are more: go on with offset 1, or narrow the pattern]",
  ])
  assert.deepEqual(await glob("*", { limit: 1, offset: 4 }), ["src/"])
  assert.deepEqual(await glob("*", { offset: 9 }), ["(there are 5, and offset is 9)"])
})

test("a pattern cannot lead out of its folder, and a file is no folder", async () => {
  for (const pattern of ["../*", "/etc/*", "src/../../*", "{..,x}/*"])
    assert.match(String(await glob(pattern)), /must be relative/)
  assert.match(String(await glob("*", { path: "a.ts" })), /a\.ts is a file/)
  assert.match(String(await glob("*", { path: "gone" })), /gone is not there/)
  assert.match(String(await glob("{a,b}".repeat(20))), /too many patterns/)
})

test("outside of the working folder paths are absolute, and outside of a repository nothing is left out", async () => {
  const other = await workingFolder({ ".gitignore": "x\n", x: "" })
  assert.deepEqual(await glob("x", { path: other.path }), [other.at("x")])
})
