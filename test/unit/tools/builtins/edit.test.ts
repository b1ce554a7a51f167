import assert from "node:assert/strict"
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs"
import { test } from "node:test"
import { workingFolder } from "../../../support/folder.ts"

async function edited(content: string | Buffer, args: object, ctx: object = {}) {
  const folder = await workingFolder({ f: content })
  const result = await folder.call("edit", { path: "f", ...args }, ctx)
  return { ...result, text: folder.text("f"), folder }
}

test("a piece that is there once is replaced", async () => {
  const { output, isError, text } = await edited("a\nb\nc\n", { oldText: "b\n", newText: "x\ny\n" })
  assert.deepEqual([output, isError, text], ["f: replaced 1 place, in line 2.", false, "a\nx\ny\nc\n"])
  assert.equal((await edited("abc", { oldText: "b", newText: "" })).text, "ac")
  assert.equal((await edited("a$1b", { oldText: "$1", newText: "$&$$" })).text, "a$&$$b")
})

test("a piece that is there more than once is not replaced, and the message says where it is", async () => {
  const { output, isError, text } = await edited("a\nb\na\n", { oldText: "a", newText: "x" })
  assert.equal(isError, true)
  assert.equal(text, "a\nb\na\n")
  assert.equal(
    output,
    "oldText is in f 2 times, in lines 1, 3: give more of the text around the one that is meant, or set all.",
  )
  const all = await edited("a\nb\na\n", { oldText: "a", newText: "x", all: true })
  assert.deepEqual([all.output, all.text], ["f: replaced 2 places, in lines 1, 3.", "x\nb\nx\n"])
})

test("a piece that is not there is an error with a hint", async () => {
  assert.match((await edited("a\n", { oldText: "b", newText: "c" })).output, /not found in f: it must be exactly/)
  assert.match(
    (await edited("if x:\n\ty\n", { oldText: "if x:\n    y", newText: "c" })).output,
    /not found in f: line 1 differs from it in white space only/,
  )
  assert.match((await edited("a\nb\n", { oldText: "1\ta\n2\tb", newText: "c" })).output, /leave out the line numbers/)
  assert.match((await edited("a", { oldText: "a", newText: "a" })).output, /are the same/)
})

test("line ends and a byte order mark stay as they are, whichever the model sends", async () => {
  const crlf = "\uFEFFa\r\nb\r\nc\r\n"
  assert.equal((await edited(crlf, { oldText: "a\nb", newText: "x\ny\nz" })).text, "\uFEFFx\r\ny\r\nz\r\nc\r\n")
  assert.equal((await edited(crlf, { oldText: "a\r\nb", newText: "x\r\ny" })).text, "\uFEFFx\r\ny\r\nc\r\n")
  assert.equal((await edited(crlf, { oldText: "b", newText: "b\nb" })).text, "\uFEFFa\r\nb\r\nb\r\nc\r\n")
  assert.equal((await edited("a\nb\n", { oldText: "a\r\nb", newText: "x\r\ny" })).text, "x\ny\n")
  assert.equal((await edited("a\r\nb\nc\nd\n", { oldText: "b\nc", newText: "x\ny" })).text, "a\r\nx\ny\nd\n")
  assert.equal((await edited("a\r\nb\nc\nd\n", { oldText: "a\nb", newText: "x\ny" })).text, "x\r\ny\nc\nd\n")
})

test("what cannot be edited without harm is refused and stays as it is", async () => {
  const bytes = Buffer.from([0x66, 0xfc, 0x72])
  const { output, folder } = await edited(bytes, { oldText: "f", newText: "g" })
  assert.match(output, /is not UTF-8/)
  assert.deepEqual(readFileSync(folder.at("f")), bytes)
  assert.match(
    (await edited(Buffer.from("a\0b"), { oldText: "a", newText: "b" })).output,
    /no text that can be edited \(binary data, 3 bytes\): use bash/,
  )
  assert.match((await edited("", { oldText: "a", newText: "b" })).output, /not found/)
  assert.match((await folder.call("edit", { path: "gone", oldText: "a", newText: "b" })).output, /^gone is not there/)
  assert.match((await folder.call("edit", { path: "/dev/null", oldText: "a", newText: "b" })).output, /is a device/)
  writeFileSync(folder.at("large"), "")
  truncateSync(folder.at("large"), 200 * 1024 * 1024)
  assert.match(
    (await folder.call("edit", { path: "large", oldText: "a", newText: "b" })).output,
    /files over 10 MiB are not edited/,
  )
})

test("arguments that the schema does not know, or an empty oldText, are refused", async () => {
  assert.equal((await edited("a", { oldText: "", newText: "b" })).isError, true)
  assert.equal((await edited("a", { oldText: "a", newText: "b", extra: 1 })).text, "a")
})

test("permissions stay, a link stays a link, and nothing is left beside the file", async () => {
  const folder = await workingFolder({ "real/f": "a" })
  chmodSync(folder.at("real/f"), 0o750)
  symlinkSync("real/f", folder.at("link"))
  assert.equal((await folder.call("edit", { path: "link", oldText: "a", newText: "b" })).isError, false)
  assert.equal(folder.text("real/f"), "b")
  assert.equal(statSync(folder.at("real/f")).mode & 0o777, 0o750)
  assert.equal(lstatSync(folder.at("link")).isSymbolicLink(), true)
  assert.deepEqual(readdirSync(folder.at("real")), ["f"])
})

test("calls of one turn that edit the same file all come to be", async () => {
  const folder = await workingFolder({ f: Array.from({ length: 20 }, (_, at) => `<${at}>\n`).join("") })
  const calls = Array.from({ length: 20 }, (_, at) =>
    folder.call("edit", { path: "f", oldText: `<${at}>`, newText: `(${at})` }),
  )
  for (const { isError, output } of await Promise.all(calls)) assert.equal(isError, false, output)
  assert.equal(folder.text("f"), Array.from({ length: 20 }, (_, at) => `(${at})\n`).join(""))
})

test("the preview is the diff that the call comes to, and changes nothing", async () => {
  const folder = await workingFolder({ f: "a\nb\nc\n" })
  const args = { path: "f", oldText: "b", newText: "x" }
  const { diff, basis } = await folder.preview("edit", args)
  assert.equal(diff, "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n")
  assert.match(basis, /^[0-9a-f]{64}$/)
  assert.equal(folder.text("f"), "a\nb\nc\n")
  assert.equal((await folder.preview("edit", args)).basis, basis)
  const problem = await folder.toolkit.get("edit")?.preview?.({ ...args, oldText: "z" })
  assert.match(JSON.stringify(problem), /"problem":"oldText was not found/)
})

test("a file that was changed after the diff was shown is not overwritten", async () => {
  const folder = await workingFolder({ f: "a\nb\nc\n" })
  const args = { path: "f", oldText: "b", newText: "x" }
  const { basis } = await folder.preview("edit", args)
  folder.put("f", "a\nb\nmine\n")
  const refused = await folder.call("edit", args, { basis })
  assert.match(refused.output, /not what was shown and approved any more: nothing was changed/)
  assert.equal(folder.text("f"), "a\nb\nmine\n")
  const again = await folder.preview("edit", args)
  assert.equal((await folder.call("edit", args, { basis: again.basis })).isError, false)
  assert.equal(folder.text("f"), "a\nx\nmine\n")
})

test("a link that leads elsewhere after the diff was shown is another file", async () => {
  const folder = await workingFolder({ one: "a", two: "a" })
  symlinkSync("one", folder.at("link"))
  const args = { path: "link", oldText: "a", newText: "b" }
  const { basis } = await folder.preview("edit", args)
  mkdirSync(folder.at("x"))
  symlinkSync("../two", folder.at("x/link"))
  const other = await folder.call("edit", { ...args, path: "x/link" }, { basis })
  assert.equal(other.isError, true)
  assert.equal(folder.text("two"), "a")
})
