import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join, relative } from "node:path"
import { after, test } from "node:test"
import { openFileJournal, readLines } from "../../../src/journal/file.ts"
import { program } from "../../support/program.ts"
import { tempFolder } from "./temp-folder.ts"

const folder = tempFolder()
after(folder.remove)

let number = 0
function newFile(content?: string | Buffer): string {
  const file = join(folder.path, `${++number}.run.jsonl`)
  if (content !== undefined) writeFileSync(file, content)
  return file
}

test("a new file can be read by its owner only, as its lock", async () => {
  const file = newFile()
  const journal = await openFileJournal(file, { mode: "new" })
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(statSync(`${file}.lock`).mode & 0o777, 0o600)
  await journal.close()
})

test("a file is one JSON object a line, each ended", async () => {
  const file = newFile()
  const journal = await openFileJournal(file, { mode: "new" })
  await journal.append([{ a: "ü\n" }, { b: 2 }], { at: 0, flush: true })
  assert.equal(readFileSync(file, "utf8"), '{"a":"ü\\n"}\n{"b":2}\n')
  await journal.close()
})

test("a file that is there is never taken for a new one", async () => {
  const file = newFile("")
  await assert.rejects(openFileJournal(file, { mode: "new" }), { code: "exists", message: /is there already/ })
  assert.equal(existsSync(`${file}.lock`), false)
})

test("a link to nothing is not followed to make a file elsewhere", async () => {
  const file = newFile()
  symlinkSync(join(folder.path, "elsewhere"), file)
  const message = `${file} is a link that leads to no file: remove the link, or name another file`
  for (const mode of ["new", "any"] as const)
    await assert.rejects(openFileJournal(file, { mode }), { code: "exists", message })
  assert.equal(existsSync(join(folder.path, "elsewhere")), false)
  assert.equal(existsSync(`${file}.lock`), false, "and leaves no lock beside it")
})

test("with mode any a file is made where there is none, and an empty one is begun", async () => {
  for (const file of [newFile(), newFile("")]) {
    const journal = await openFileJournal(file)
    await journal.append([{ n: 1 }], { at: 0, flush: true })
    await journal.close()
    assert.equal(readFileSync(file, "utf8"), '{"n":1}\n')
  }
})

test("a cut-off last line is dropped with a warning, and taken away by the next append, not before", async () => {
  const whole = '{"n":1}\n'
  const torn = `${whole}{"text":"${"é".repeat(10)}`
  const bytes = Buffer.from(torn).subarray(0, -1) // in the middle of a character
  const file = newFile(bytes)
  const told: string[] = []
  const journal = await openFileJournal(file, { mode: "existing", onWarning: (warning) => told.push(warning) })
  assert.deepEqual(await journal.read(), [{ n: 1 }])
  assert.match(journal.warnings[0] ?? "", /the last line was cut off while it was written \(28 bytes after line 1\)/)
  assert.deepEqual(told, journal.warnings)
  assert.deepEqual(readFileSync(file), bytes)
  await journal.append([{ n: 2 }], { at: 1, flush: true })
  assert.equal(readFileSync(file, "utf8"), `${whole}{"n":2}\n`)
  assert.deepEqual(await journal.read(), [{ n: 1 }, { n: 2 }])
  await journal.close()
})

test("a file that other users can write is opened and read with a warning", async () => {
  const file = newFile('{"n":1}\n')
  for (const [mode, warns] of [
    [0o600, false],
    [0o644, false],
    [0o664, true],
    [0o646, true],
  ] as const) {
    chmodSync(file, mode)
    const journal = await openFileJournal(file, { mode: "existing" })
    await journal.close()
    const { warnings } = await readLines(file)
    assert.deepEqual(journal.warnings, warnings)
    assert.equal(/other users can write it/.test(warnings.join()), warns, mode.toString(8))
  }
})

test("a file with two names is opened and read with a warning: a lock holds one of them", async () => {
  const file = newFile('{"n":1}\n')
  linkSync(file, `${file}.backup`)
  const { warnings } = await readLines(file)
  assert.match(warnings.join(), /it has 2 names \(hard links\)/)
  const journal = await openFileJournal(file, { mode: "existing" })
  await journal.close()
  assert.deepEqual(journal.warnings, warnings)
})

test("opening a torn file and closing it again changes nothing", async () => {
  const file = newFile('{"n":1}\n{"n":')
  await (await openFileJournal(file, { mode: "existing" })).close()
  assert.equal(readFileSync(file, "utf8"), '{"n":1}\n{"n":')
})

test("a last line that only lacks its end counts, and is ended by the next append", async () => {
  const file = newFile('{"n":1}\n{"n":2}')
  const journal = await openFileJournal(file, { mode: "existing" })
  assert.deepEqual(journal.warnings, [])
  await journal.append([{ n: 3 }], { at: 2, flush: true })
  await journal.close()
  assert.equal(readFileSync(file, "utf8"), '{"n":1}\n{"n":2}\n{"n":3}\n')
})

test("every cut of a file between its first line and its end can be opened and goes on", async () => {
  const whole = Buffer.from('{"n":1,"t":"é"}\n{"n":2,"t":"漢"}\n')
  const first = whole.indexOf(0x0a) + 1
  for (let length = first; length <= whole.length; length++) {
    const file = newFile(whole.subarray(0, length))
    const journal = await openFileJournal<{ n: number }>(file, { mode: "existing" })
    const count = (await journal.read()).length
    await journal.append([{ n: 9 }], { at: count, flush: false })
    await journal.close()
    const numbers = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).n)
    assert.deepEqual(numbers, length < whole.length - 1 ? [1, 9] : [1, 2, 9], `${length} bytes`)
  }
})

test("damage before the last line is an error that names the line, and nothing changes", async () => {
  const damaged = '{"n":1}\n\n{"n":2\n{"n":3}\n'
  const file = newFile(damaged)
  await assert.rejects(openFileJournal(file, { mode: "existing" }), {
    code: "damaged",
    message: /is damaged at line 3: it is no JSON object/,
    details: { file, line: 3 },
  })
  assert.equal(readFileSync(file, "utf8"), damaged)
  // The lock was given back: the next one gets as far.
  await assert.rejects(openFileJournal(file, { mode: "existing" }), { code: "damaged" })
})

const NO_RUNS: Record<string, [content: string | Buffer, message: RegExp]> = {
  "an empty file": ["", /is no run file: it is empty/],
  "a text": ["hello\nworld\n", /is no run file: line 1: it is no JSON object/],
  "a text of one unended line": ["hello", /line 1: it is no JSON object/],
  "a list": ["[1]\n", /line 1: it is no JSON object/],
  "a pretty-printed object": ['{\n  "name": "x"\n}\n', /line 1: it is no JSON object/],
  "the beginning of one line": [
    '{"type":"run.sta',
    /it is cut off within its first line; nothing was changed, use a whole copy of it/,
  ],
  "a binary file": [Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 10, 0]), /line 1: it is no JSON object/],
  "bytes that are no UTF-8": [Buffer.from([0x7b, 0xff, 0x7d, 10]), /line 1: it is no/],
}

for (const [what, [content, message]] of Object.entries(NO_RUNS)) {
  test(`${what} is no run file: it is not touched, and no lock is left beside it`, async () => {
    const file = newFile(content)
    await assert.rejects(openFileJournal(file, { mode: "existing" }), { code: "no_run", message })
    if (content !== "") await assert.rejects(openFileJournal(file), { code: "no_run", message })
    assert.deepEqual(readFileSync(file), Buffer.from(content))
    const lock = `${file}.lock`
    assert.equal(existsSync(lock) ? statSync(lock).size : 0, 0)
  })
}

test("a byte order mark before the only line, ended or not, says nothing", async () => {
  for (const end of ["\n", ""]) {
    const journal = await openFileJournal(newFile(`\uFEFF{"n":1}${end}`), { mode: "existing" })
    assert.deepEqual(await journal.read(), [{ n: 1 }])
    await journal.close()
  }
})

test("opened as not begun, a file that was cut off in its first line is written from its start; one with two lines is refused", async () => {
  const file = newFile('{"n":1,"te')
  const journal = await openFileJournal(file, { mode: "unbegun" })
  assert.match(
    journal.warnings.join(),
    /its first line was cut off while it was written \(10 bytes\), .*; it is begun anew/,
  )
  assert.deepEqual(await journal.read(), [])
  await journal.close()
  assert.equal(readFileSync(file, "utf8"), '{"n":1,"te', "nothing was written: nothing is taken away")
  const again = await openFileJournal(file, { mode: "unbegun" })
  await again.append([{ n: 2 }], { at: 0, flush: true })
  await again.close()
  assert.equal(readFileSync(file, "utf8"), '{"n":2}\n')
  const third = await openFileJournal(file, { mode: "unbegun" })
  assert.deepEqual(await third.read(), [{ n: 2 }])
  await third.close()
  for (const lines of ['{"n":1}\n{"n":2}\n', '{"n":1}\n{"n":2}'])
    await assert.rejects(openFileJournal(newFile(lines), { mode: "unbegun" }), { code: "exists" })
})

test("a journal that nothing was written to does not stay, nor its lock; a file that was there does", async () => {
  const file = newFile()
  for (const mode of ["new", "any", "unbegun"] as const) {
    await (await openFileJournal(file, { mode })).close()
    assert.deepEqual([existsSync(file), existsSync(`${file}.lock`)], [false, false], mode)
  }
  writeFileSync(file, "")
  await (await openFileJournal(file)).close()
  assert.deepEqual([existsSync(file), existsSync(`${file}.lock`)], [true, true])
  const replaced = newFile()
  const journal = await openFileJournal(replaced)
  rmSync(replaced)
  writeFileSync(replaced, "")
  await journal.close()
  assert.equal(existsSync(replaced), true, "it is another's by now")
})

test("a file that is emptied while it is open: nothing can be resumed, and nothing says so", async () => {
  const file = newFile()
  const journal = await openFileJournal(file, { mode: "new" })
  await journal.append([{ n: 1 }], { at: 0, flush: true })
  writeFileSync(file, "")
  const message = `${file} cannot be written: it was emptied meanwhile; the run stops here, and nothing of it is left in that file`
  await assert.rejects(journal.append([{ n: 2 }], { at: 1, flush: true }), { code: "journal", message })
  await journal.close()
  assert.equal(readFileSync(file, "utf8"), "")
})

test("a missing file, a folder and a pipe are said to be just that", async () => {
  await assert.rejects(openFileJournal(newFile(), { mode: "existing" }), { code: "no_run", message: /is not there/ })
  await assert.rejects(openFileJournal(folder.path), { code: "no_run", message: /it is a folder/ })
  const pipe = newFile()
  execFileSync("mkfifo", [pipe])
  await assert.rejects(openFileJournal(pipe), { code: "no_run", message: /it is no regular file/ })
  await assert.rejects(openFileJournal(join(folder.path, "no", "x"), { mode: "new" }), {
    code: "usage",
    message: /the folder .* is not there/,
  })
  await assert.rejects(openFileJournal(""), { code: "usage", message: /name is empty/ })
  assert.deepEqual(
    readdirSync(folder.path).filter((name) => name.startsWith("no")),
    [],
  )
})

test("a link and a relative path to the same file share its lock and its name", async () => {
  const file = newFile()
  mkdirSync(join(folder.path, "linked"), { recursive: true })
  const link = join(folder.path, "linked", `${number}`)
  const journal = await openFileJournal(file, { mode: "new" })
  await journal.append([{ n: 1 }], { at: 0, flush: true })
  symlinkSync(file, link)
  for (const other of [link, relative(process.cwd(), file)]) {
    await assert.rejects(openFileJournal(other), { code: "in_use" })
  }
  await journal.close()
  const again = await openFileJournal(link, { mode: "existing" })
  assert.equal(again.file, file)
  assert.equal(existsSync(`${link}.lock`), false)
  await again.close()
})

test("a file that something else wrote to is not written any more", async () => {
  const file = newFile()
  const journal = await openFileJournal(file, { mode: "new" })
  await journal.append([{ n: 1 }], { at: 0, flush: true })
  appendFileSync(file, '{"n":"foreign"}\n')
  const failed = { code: "journal", message: /cannot be written: something else wrote to it meanwhile/ }
  await assert.rejects(journal.append([{ n: 2 }], { at: 1, flush: true }), failed)
  await assert.rejects(journal.append([{ n: 3 }], { at: 2, flush: false }), failed)
  await journal.close()
  assert.equal(readFileSync(file, "utf8"), '{"n":1}\n{"n":"foreign"}\n')
})

test("a file that was deleted or replaced is not written any more", async () => {
  for (const remove of [rmSync, (file: string) => renameSync(newFile("x"), file)]) {
    const file = newFile()
    const journal = await openFileJournal(file, { mode: "new" })
    remove(file)
    await assert.rejects(journal.append([{ n: 1 }], { at: 0, flush: true }), { message: /was deleted or replaced/ })
    await journal.close()
  }
})

test("in a folder that may not be written nothing is opened, and one line says why", {
  skip: process.platform === "win32",
}, () => {
  const locked = join(folder.path, "locked")
  mkdirSync(locked)
  const file = join(locked, "x.run.jsonl")
  writeFileSync(file, '{"n":1}\n', { mode: 0o644 })
  for (const [mode, pattern] of [
    [
      "existing",
      /^journal .*x\.run\.jsonl cannot be locked: permission denied \(.*\.lock\); copy it to where you may write$/,
    ],
    ["new", /^exists /],
  ] as const) {
    assert.match(asNobody(file, mode), pattern)
  }
  assert.match(asNobody(join(locked, "y"), "new"), /^journal .*y cannot be locked: permission denied/)
})

/** What opening says to a user who owns nothing here (CI runs as root, for whom everything may be written). */
function asNobody(file: string, mode: string): string {
  chmodSync(folder.path, 0o755)
  const code = `
    import { openFileJournal } from "./src/journal/file.ts"
    if (process.getuid() === 0) for (const drop of ["setgid", "setuid"]) process[drop](65534)
    await openFileJournal(${JSON.stringify(file)}, { mode: ${JSON.stringify(mode)} }).then(
      () => console.log("opened"),
      (error) => console.log(error.code, error.message),
    )`
  return execFileSync(process.execPath, [program({ code })], { encoding: "utf8" }).trim()
}

test("a file that is named like another one's lock is no run file: what lies there would be emptied as one", async () => {
  const file = newFile()
  const journal = await openFileJournal(file, { mode: "new" })
  await journal.append([{ n: 1 }], { at: 0, flush: true })
  await journal.close()
  for (const mode of ["new", "any", "existing"] as const)
    await assert.rejects(openFileJournal(`${file}.lock`, { mode }), {
      code: "usage",
      message: /is the name of a lock file/,
    })
})
