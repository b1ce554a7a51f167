import assert from "node:assert/strict"
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { readAnswerFiles } from "../../../../src/cli/answers/answer-files.ts"

const cwd = mkdtempSync(join(tmpdir(), "toolnexus-answers-"))
after(() => rmSync(cwd, { recursive: true }))

const LIST = [{ id: "req_1", ok: true, data: { output: "x" } }]

async function refusal(path: string, content?: string | Uint8Array) {
  if (content !== undefined) writeFileSync(join(cwd, path), content)
  try {
    await readAnswerFiles([path], cwd)
  } catch (error) {
    return error as Error & { code: string }
  }
  throw new Error("it was not refused")
}

describe("the files of --answers", () => {
  it("hold lists of answers, one behind the other, with or without a byte order mark", async () => {
    writeFileSync(join(cwd, "plain.json"), JSON.stringify(LIST))
    writeFileSync(join(cwd, "bom.json"), `\uFEFF${JSON.stringify(LIST)}\r\n`)
    assert.deepEqual(await readAnswerFiles(["plain.json", "bom.json"], cwd), [...LIST, ...LIST])
    assert.deepEqual(await readAnswerFiles([], cwd), [])
  })
  it("are refused, by name, where they hold no list, no JSON, or no answer", async () => {
    for (const text of ["", "{}", "{", '[{"id":"x"}]', '[{"id":"x","ok":"false"}]']) {
      const { code, message } = await refusal("f.json", text)
      assert.equal(code, "invalid_answer")
      assert.match(message, /f\.json/)
    }
  })
  it("that were meant to hold a token are not repeated in the message", async () => {
    for (const text of ["sk-live-4242\n", "TOKEN=sk-live-4242", '["sk-live-4242']) {
      const { message } = await refusal("token", text)
      assert.match(message, /^--answers token is not JSON \(line 1, column \d: [^"]+\): write a list such as/)
      assert.doesNotMatch(message, /sk|live|4242|TOKEN/)
    }
  })
  it("that are no UTF-8 are refused, and not taken as another text", async () => {
    const bytes = Buffer.from(JSON.stringify(LIST).replace("x", "\u00e9"), "latin1")
    const { code, message } = await refusal("latin1.json", bytes)
    assert.equal(code, "invalid_answer")
    assert.match(message, /^--answers latin1\.json cannot be used: it is no UTF-8 text; save it as such$/)
  })
  it("that say yes and no to one request in one object are refused, and the last word does not win", async () => {
    const { code, message } = await refusal("twice.json", '[{"id":"req_1","ok":true,\n"ok":false}]')
    assert.equal(code, "invalid_answer")
    assert.match(message, /says a name twice in one object \(line 2, column 1\), and only one of them would count: /)
  })
  it("are a usage error where they cannot be read, are no file, never end, or are too large", async () => {
    mkdirSync(join(cwd, "folder"))
    writeFileSync(join(cwd, "large"), "")
    truncateSync(join(cwd, "large"), 65 * 1024 * 1024)
    for (const [path, fact] of [
      ["no/such/file", /no such file/],
      ["folder", /it is a folder/],
      ["/dev/zero", /it is no regular file/],
      ["large", /it is larger than 64 MiB/],
    ] as const) {
      const { code, message } = await refusal(path)
      assert.equal(code, "usage")
      assert.match(message, fact)
    }
  })
  it("may be a pipe, as a shell gives one for <(...), and its writer is waited for", async () => {
    const pipe = join(cwd, "pipe")
    assert.equal(spawnSync("mkfifo", [pipe]).status, 0)
    const writer = spawn("sh", ["-c", `exec 3>"$0"; read line; printf %s "$line" >&3`, pipe], {
      stdio: ["pipe", "inherit", "inherit"],
    })
    const reading = readAnswerFiles(["pipe"], cwd)
    writer.stdin.end(`${JSON.stringify(LIST)}\n`)
    assert.deepEqual(await reading, LIST)
  })
  it("that are a pipe without an end are read no further than the limit", async () => {
    const pipe = join(cwd, "endless")
    assert.equal(spawnSync("mkfifo", [pipe]).status, 0)
    spawn("sh", ["-c", `exec cat /dev/zero >"$0"`, pipe], { stdio: ["ignore", "ignore", "ignore"] })
    assert.match((await refusal("endless")).message, /it is larger than 64 MiB/)
  })
})
