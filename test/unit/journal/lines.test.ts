import assert from "node:assert/strict"
import { test } from "node:test"
import type { JournalHandle } from "../../../src/journal/journal-fs.ts"
import { readAllLines } from "../../../src/journal/lines.ts"
import { renderLines } from "../../../src/journal/render-lines.ts"

/** A file in memory that is read in pieces of some bytes. */
function pieces(content: Buffer, size: number): JournalHandle {
  return {
    async read(buffer, offset, length, position) {
      const end = Math.min(position + Math.min(size, length), content.length)
      return { bytesRead: position >= end ? 0 : content.copy(buffer, offset, position, end) }
    },
  } as JournalHandle
}

const LINES = [{ n: 1, text: "é漢👍🏽" }, { text: "x".repeat(50) }, { text: "\u2028 \u0085" }, {}]
const TEXT = LINES.map((line) => `${JSON.stringify(line)}\n`).join("")

test("lines are read whole whatever the size of the pieces", async () => {
  for (let size = 1; size < 40; size++) {
    const { lines, bytes, wholeBytes, tail } = await readAllLines(pieces(Buffer.from(TEXT), size))
    assert.deepEqual(lines, LINES, `${size} bytes a piece`)
    assert.deepEqual([bytes, wholeBytes, tail], [Buffer.byteLength(TEXT), Buffer.byteLength(TEXT), "none"])
  }
})

test("lines longer than a piece by far are read", async () => {
  const line = { text: "漢".repeat(1_000_000) }
  const content = Buffer.from(`{"n":1}\n${JSON.stringify(line)}\n{"n":2}\n`)
  assert.deepEqual((await readAllLines(pieces(content, 1 << 20))).lines, [{ n: 1 }, line, { n: 2 }])
})

test("line ends of Windows, a byte order mark and empty lines do no harm", async () => {
  const content = Buffer.from('\ufeff{"n":1}\r\n\r\n{"n":2}\r\n')
  for (const size of [1, 2, 3, 4, 5, 100]) {
    assert.deepEqual((await readAllLines(pieces(content, size))).lines, [{ n: 1 }, { n: 2 }], `${size} bytes a piece`)
  }
})

test("what follows the last line's end is unended or torn", async () => {
  const read = async (text: string) => {
    const { lines, wholeBytes, tail } = await readAllLines(pieces(Buffer.from(text), 5))
    return [lines.length, wholeBytes, tail]
  }
  assert.deepEqual(await read('{"n":1}\n{"n":2}'), [2, 8, "unended"])
  assert.deepEqual(await read('{"n":1}\n{"n":2'), [1, 8, "torn"])
  assert.deepEqual(await read('{"n":1}\n\0\0\0\0'), [1, 8, "torn"])
  assert.deepEqual(await read('{"n":1}\n42'), [1, 8, "torn"])
  assert.deepEqual(await read(""), [0, 0, "none"])
})

test("a damaged line is named by its number, whatever the size of the pieces", async () => {
  const damaged: [string | Buffer, number][] = [
    ['{"n":1}\n{"n":2}\n{"n":\n{"n":4}\n', 3],
    ['{"n":1}\n{"n":2}{"n":3}\n', 2],
    ['{"n":1}\n\n\n"text"\n', 4],
    ['{"n":1}\n\0\0\n{"n":2}\n', 2],
    [Buffer.concat([Buffer.from('{"n":1}\n{"n":"'), Buffer.from([0xc3]), Buffer.from('"}\n{"n":3}\n')]), 2],
  ]
  for (const [content, line] of damaged) {
    for (const size of [1, 7, 1000]) await assert.rejects(readAllLines(pieces(Buffer.from(content), size)), { line })
  }
})

test("a line that is nested so deeply that walking over it could fail is damaged, whatever brackets its texts hold", async () => {
  const nested = (levels: number) => `${'{"a":['.repeat(levels / 2)}1${"]}".repeat(levels / 2)}`
  const texts = `{"text":${JSON.stringify("{[".repeat(5000))},"list":[${"[],".repeat(5000)}[]]}`
  const read = (...lines: string[]) => readAllLines(pieces(Buffer.from(lines.join("\n")), 1 << 20))
  assert.equal((await read(texts, nested(500), texts)).lines.length, 3)
  await assert.rejects(read("{}", nested(502), "{}"), { line: 2, message: "it is nested too deeply" })
  await assert.rejects(read("{}", nested(100_000)), { line: 2, message: "it is nested too deeply" })
})

test("what is written to a file while it is read is left out", async () => {
  const content = Buffer.from(`${TEXT}{"n":`)
  const { lines, bytes, tail } = await readAllLines(pieces(content, 7), Buffer.byteLength(TEXT))
  assert.deepEqual([lines, bytes, tail], [LINES, Buffer.byteLength(TEXT), "none"])
})

test("a file that begins as something else is not read to its end", async () => {
  let reads = 0
  const endless = {
    async read(buffer: Buffer, _offset: number, length: number) {
      reads++
      buffer.fill(0x78)
      return { bytesRead: length }
    },
  } as unknown as JournalHandle
  await assert.rejects(readAllLines(endless), { line: 1 })
  assert.equal(reads, 1)
})

test("a line that could not be read again for its length is not written", () => {
  assert.equal(renderLines("f", [{ a: "é".repeat(40) }], 100), `{"a":"${"é".repeat(40)}"}\n`)
  for (const text of ["é".repeat(50), "x".repeat(100)])
    assert.throws(() => renderLines("f", [{ a: text }], 100), {
      code: "journal",
      message: "f cannot take a line: it is longer than 100 bytes",
    })
})
