import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { chmodSync, readdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { test } from "node:test"
import { workingFolder } from "../../../support/folder.ts"
import { program } from "../../../support/program.ts"

test("a file is made with the folders on the way, or replaced with its permissions kept", async () => {
  const folder = await workingFolder({ f: "old" })
  chmodSync(folder.at("f"), 0o700)
  assert.deepEqual(await folder.call("write", { path: "a/b/c.txt", content: "né\r\n" }), {
    output: "a/b/c.txt: made, 5 bytes.",
    isError: false,
  })
  assert.equal(folder.text("a/b/c.txt"), "né\r\n")
  assert.equal((await folder.call("write", { path: "f", content: "" })).output, "f: replaced, 0 bytes.")
  assert.deepEqual([folder.text("f"), statSync(folder.at("f")).mode & 0o777], ["", 0o700])
  assert.deepEqual(readdirSync(folder.path).sort(), ["a", "f"])
})

test("folders, devices and links to nothing are not written to", async () => {
  const folder = await workingFolder({ "d/f": "" })
  symlinkSync("nothing", folder.at("dangling"))
  assert.match((await folder.call("write", { path: "d", content: "x" })).output, /^d is a folder/)
  assert.match((await folder.call("write", { path: "/dev/null", content: "x" })).output, /is a device/)
  assert.match(
    (await folder.call("write", { path: "dangling", content: "x" })).output,
    /symbolic link to a file that is not there/,
  )
  assert.match((await folder.call("write", { path: "d/f/g", content: "x" })).output, /a part of its path is a file/)
})

test("the preview shows a new file whole, and of a replaced one what changes", async () => {
  const folder = await workingFolder({ f: "a\nb\n" })
  assert.equal(
    (await folder.preview("write", { path: "new\n.txt", content: "x\ny" })).diff,
    '--- /dev/null\n+++ "b/new\\n.txt"\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n',
  )
  assert.equal(
    (await folder.preview("write", { path: "f", content: "a\r\nb\n" })).diff,
    "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n+a\r\n b\n",
  )
})

test("a file that someone made after the diff was shown is not overwritten", async () => {
  const folder = await workingFolder()
  const args = { path: "f", content: "theirs" }
  const { basis } = await folder.preview("write", args)
  folder.put("f", "mine")
  assert.equal((await folder.call("write", args, { basis })).isError, true)
  assert.equal(folder.text("f"), "mine")
})

test("a file of 200 MB is replaced, and its content not shown", async () => {
  const folder = await workingFolder()
  writeFileSync(folder.at("large"), "")
  truncateSync(folder.at("large"), 200 * 1024 * 1024)
  const args = { path: "large", content: "small" }
  const { diff, basis } = await folder.preview("write", args)
  assert.match(diff, /too large: 209715200 bytes, then 5 bytes/)
  assert.equal((await folder.call("write", args, { basis })).isError, false)
  assert.equal(folder.text("large"), "small")
})

// Root may do everything: another user tries.
test("without permission nothing is read or written, and the message says so", {
  skip: process.getuid?.() !== 0 && "needs root, to become somebody else",
}, async () => {
  const folder = await workingFolder({ secret: "s", readonly: "r", "closed/f": "c", "fixed/f": "x" })
  chmodSync(folder.path, 0o777)
  chmodSync(folder.at("secret"), 0o600)
  chmodSync(folder.at("readonly"), 0o644)
  chmodSync(folder.at("closed"), 0o700)
  chmodSync(folder.at("fixed/f"), 0o666)
  const code = `
    const { createToolkit } = await import("./src/tools/create-toolkit.ts")
    const toolkit = await createToolkit({ builtins: true, cwd: ${JSON.stringify(folder.path)} })
    for (const [name, args] of [
      ["read", { path: "secret" }], ["read", { path: "closed/f" }], ["write", { path: "secret", content: "x" }],
      ["edit", { path: "readonly", oldText: "r", newText: "x" }], ["write", { path: "fixed/f", content: "x" }],
      ["grep", { pattern: "." }], ["glob", { pattern: "**" }],
    ]) console.log(JSON.stringify((await toolkit.execute(name, args)).output))`
  const nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath]
  // With no rg on its path: ripgrep does not say what it could not read.
  const { stdout, stderr } = spawnSync("/usr/bin/setpriv", [...nobody, program({ code })], {
    encoding: "utf8",
    env: {},
  })
  const outputs = stdout
    .trim()
    .split("\n")
    .filter((it) => it !== "")
    .map((line) => JSON.parse(line))
  const denied = "may not be accessed: permission is denied"
  assert.deepEqual(
    outputs.slice(0, 5),
    [
      `secret ${denied}.`,
      `closed/f ${denied}.`,
      `secret ${denied}.`,
      `readonly ${denied}. Nothing was changed.`,
      "fixed/f can be neither replaced nor deleted: permission to change its folder is denied. Nothing was changed.",
    ],
    stderr,
  )
  assert.match(outputs[5], /fixed\/f:1:x[\s\S]*\[1 file could not be read\]\n\[1 folder could not be read\]/)
  assert.match(outputs[6], /closed\/\n[\s\S]*\[1 folder could not be read\]/)
  assert.equal(folder.text("fixed/f"), "x")
})
