import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { test } from "node:test"
import { workingFolder } from "../../../support/folder.ts"

const folder = await workingFolder({
  "a.txt": "one\ntwo\nthree\n",
  "no-end.txt": "one\ntwo",
  empty: "",
  "crlf.txt": "\uFEFFone\r\ntwo\r\n",
  "mixed.txt": "one\r\ntwo\n",
  "latin1.txt": Buffer.from([0x66, 0xfc, 0x72, 0x0a]),
  "picture.png": Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(100)]),
  data: Buffer.from([1, 2, 0, 3]),
  "long.txt": `short\n${"x".repeat(5000)}y\nend\n`,
  "many.txt": Array.from({ length: 3000 }, (_, at) => `line ${at + 1}\n`).join(""),
  "odd \n name": "found\n",
})
const read = async (path: string, more: object = {}, ctx: object = {}) => {
  const { output, isError } = await folder.call("read", { path, ...more }, ctx)
  return isError ? { error: output } : output
}

test("lines come with their numbers, with and without an end of the last one", async () => {
  assert.equal(await read("a.txt"), "1\tone\n2\ttwo\n3\tthree")
  assert.equal(await read("no-end.txt"), "1\tone\n2\ttwo")
  assert.equal(await read(folder.at("a.txt")), "1\tone\n2\ttwo\n3\tthree")
})

test("a part is read by offset and limit, and it says how to go on", async () => {
  assert.equal(
    await read("a.txt", { limit: 2 }),
    "1\tone\n2\ttwo\n[The file, 14 bytes, goes on: read on with offset 3]",
  )
  assert.equal(await read("a.txt", { offset: 3 }), "3\tthree\n[The file ends here]")
  assert.equal(await read("a.txt", { limit: 3 }), "1\tone\n2\ttwo\n3\tthree")
  assert.deepEqual(await read("a.txt", { offset: 9 }), { error: "a.txt has 3 lines, and offset is 9." })
  assert.match(
    String(await read("many.txt")),
    /\n1000\tline 1000\n\[The file, \d+ bytes, goes on: read on with offset 1001\]$/,
  )
})

test("a long line is cut, and column reads on in it", async () => {
  const first = String(await read("long.txt"))
  assert.equal(first, `1\tshort\n2\t${"x".repeat(2000)} [... 3001 more characters: read on with column 2001]\n3\tend`)
  assert.equal(
    await read("long.txt", { offset: 2, limit: 1, column: 4001 }),
    `2\t${"x".repeat(1000)}y\n[The file, 5012 bytes, goes on: read on with offset 3]`,
  )
})

test("an empty file, line ends, a byte order mark and other encodings are told", async () => {
  assert.equal(await read("empty"), "[The file is empty]")
  assert.equal(
    await read("crlf.txt"),
    "1\tone\n2\ttwo\n[The file has CRLF line ends and a byte order mark; edit and apply_patch keep them]",
  )
  assert.match(String(await read("mixed.txt")), /^1\tone\n2\ttwo\n\[The file has CRLF and LF line ends;/)
  assert.match(String(await read("latin1.txt")), /^1\tf\uFFFDr\n\[Some of it is shown as/)
})

test("of binary files type and size are told", async () => {
  assert.equal(await read("picture.png"), "[image/png, 108 bytes]")
  assert.equal(await read("data"), "[binary data, 4 bytes]")
})

test("what is no regular file is refused at once, and nothing is waited for", async () => {
  execFileSync("mkfifo", [folder.at("pipe")])
  symlinkSync("circle", folder.at("circle"))
  symlinkSync("nothing", folder.at("dangling"))
  symlinkSync("a.txt", folder.at("link"))
  assert.deepEqual(await read("pipe"), { error: "pipe is a pipe, no regular file." })
  assert.deepEqual(await read("/dev/zero"), { error: "/dev/zero is a device, no regular file." })
  assert.deepEqual(await read("."), { error: ". is a folder: list it with glob." })
  assert.deepEqual(await read("gone.txt"), { error: "gone.txt is not there: look for it with glob." })
  assert.match(JSON.stringify(await read("a.txt/b")), /is not there: a part of its path is a file/)
  assert.match(JSON.stringify(await read("circle")), /lead in a circle/)
  assert.match(JSON.stringify(await read("dangling")), /a symbolic link to a file that is not there/)
  assert.match(JSON.stringify(await read("a\0b")), /holds a NUL/)
  assert.match(JSON.stringify(await read("x".repeat(300))), /its name is too long/)
  assert.equal(await read("link"), "1\tone\n2\ttwo\n3\tthree")
  assert.equal(await read("odd \n name"), "1\tfound")
})

test("a file of 200 MB is read in part, also where it is one line", async () => {
  writeFileSync(folder.at("large"), "first\n")
  truncateSync(folder.at("large"), 200 * 1024 * 1024)
  assert.match(String(await read("large")), /^\[binary data, 209715200 bytes\]$/)
  const line = Buffer.alloc(1024 * 1024, "abc ")
  for (let at = 0; at < 200; at++) writeFileSync(folder.at("text"), line, { flag: at === 0 ? "w" : "a" })
  writeFileSync(folder.at("text"), "\nlast\n", { flag: "a" })
  const before = process.memoryUsage().arrayBuffers
  assert.match(
    String(await read("text")),
    /^1\tabc .*\[\.\.\. 209713200 more characters: read on with column 2001\]\n2\tlast$/,
  )
  assert.equal(await read("text", { offset: 2 }), "2\tlast\n[The file ends here]")
  assert.ok(process.memoryUsage().arrayBuffers - before < 100 * 1024 * 1024)
})

test("an abort ends it", async () => {
  const signal = AbortSignal.abort(new Error("stopped"))
  assert.deepEqual(await read("many.txt", {}, { signal }), { error: "stopped" })
})

test("it changes nothing, and says so", () => {
  const hints = Object.fromEntries(
    folder.toolkit.tools().map(({ name, annotations }) => [name, annotations?.readOnly ?? false]),
  )
  assert.deepEqual(
    Object.keys(hints).filter((name) => hints[name]),
    ["question", "read", "glob", "grep", "webfetch", "todo"],
  )
})
