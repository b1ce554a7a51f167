import assert from "node:assert/strict"
import { constants, existsSync, mkdtempSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import {
  type Answer,
  answerOutput,
  createGate,
  createInProcessClient,
  createToolkit,
  defineTool,
  pending,
  type RunEvent,
  type RunResult,
} from "../../src/index.ts"
import { openFileJournal } from "../../src/journal/file.ts"
import type { JournalFs } from "../../src/journal/journal-fs.ts"

const folder = mkdtempSync(join(tmpdir(), "toolnexus-durable-"))
after(() => rmSync(folder, { recursive: true, force: true }))
let number = 0
const newFile = (): string => join(folder, `${++number}.run.jsonl`)

type Failing = "write" | "datasync" | "sync"

/** The real file system, with a log of what is done to files, and one kind of call that fails from some time on. */
function loggingFs(log: string[], fails?: { what: Failing; from: number; code: string }): JournalFs {
  let calls = 0
  const attempt = (what: Failing): void => {
    if (fails?.what !== what || ++calls < fails.from) return
    throw Object.assign(new Error(`${fails.code}: ${what}`), { code: fails.code })
  }
  return {
    async open(path, flags, mode) {
      const handle = await open(path, flags, mode)
      if ((flags & constants.O_APPEND) === 0) {
        const sync = handle.sync.bind(handle)
        return Object.assign(handle, {
          async sync() {
            attempt("sync")
            await sync()
            log.push("sync of the folder")
          },
        })
      }
      const [write, datasync] = [handle.write.bind(handle), handle.datasync.bind(handle)]
      return Object.assign(handle, {
        async write(buffer: Buffer, offset: number, length: number) {
          attempt("write")
          const written = await write(buffer, offset, length)
          log.push(`write ${buffer.toString("utf8", offset, offset + length)}`)
          return written
        },
        async datasync() {
          attempt("datasync")
          await datasync()
          log.push("flush")
        },
      })
    },
  }
}

/** One process with a journal in a file: `pay` has an effect, `look` has none, `ask` has one after its question. */
async function live(file: string, fs: JournalFs, log: string[]): Promise<RunResult> {
  const tool = (name: string, questions: number, annotations = {}) =>
    defineTool({
      name,
      description: "",
      annotations,
      run: (_args, ctx) => {
        if ((ctx.answers?.length ?? 0) < questions) return pending({ kind: "input", prompt: name })
        log.push(`effect of ${name}`)
        return name
      },
    })
  const toolkit = await createToolkit({
    extraTools: [tool("pay", 0), tool("look", 0, { readOnly: true }), tool("ask", 1)],
  })
  const client = createInProcessClient({
    model: "m",
    gate: createGate({ rules: [{ effect: "ask", rule: "pay" }] }),
    generate: ({ messages }) => {
      log.push("send")
      if (messages.some(({ role }) => role === "assistant")) return { text: "done" }
      return { toolCalls: ["pay", "look", "ask"].map((name) => ({ id: name, name, input: {} })) }
    },
    waitFor: ({ id, kind, data }): Answer => {
      log.push(`ask about ${(data?.call as { name: string } | undefined)?.name}`)
      return kind === "in_doubt" || kind === "approval" ? { id, ok: true } : answerOutput(id, "x")
    },
  })
  const journal = await openFileJournal<RunEvent>(file, { fs })
  try {
    const isBegun = (await journal.read()).some(({ type }) => type === "user.said")
    return isBegun ? await client.resume(journal, [], { toolkit }) : await client.run("go", { toolkit, journal })
  } finally {
    await journal.close().catch(() => undefined) // it failed: that was told where it happened
  }
}

/** Whether a line was written, and flushed, before something happened. */
function assertDurableBefore(log: readonly string[], line: RegExp, happened: string): void {
  const at = log.indexOf(happened)
  assert.ok(at >= 0, `${happened} in ${log.join("\n")}`)
  const written = log.slice(0, at).findLastIndex((entry) => entry.startsWith("write ") && line.test(entry))
  assert.ok(written >= 0, `${line} is written before ${happened}`)
  assert.ok(log.slice(written, at).includes("flush"), `${line} is flushed before ${happened}`)
}

const event = (type: string, index: number): RegExp => new RegExp(`"type":"${type}"[^\\n]*"index(es)?":\\[?${index}\\b`)

test("what was said before is on the disk before a side effect, a question, the use of an answer and the next model call", async () => {
  const log: string[] = []
  const result = await live(newFile(), loggingFs(log), log)
  assert.equal(result.status, "done")
  assert.equal(log[0], "sync of the folder", "the file's name is on the disk before anything is in it")
  assertDurableBefore(log, event("call.started", 0), "effect of pay")
  assertDurableBefore(log, /"type":"model.replied"/, "effect of pay")
  assertDurableBefore(log, /"type":"request.answered"/, "effect of pay")
  assertDurableBefore(log, event("call.suspended", 0), "ask about pay")
  assertDurableBefore(log, event("call.suspended", 2), "ask about ask")
  assertDurableBefore(log, event("call.started", 2), "effect of ask")
  const lastSend = log.lastIndexOf("send")
  const before = [...log.slice(0, lastSend), "the last send"]
  assertDurableBefore(before, event("call.finished", 0), "the last send")
  assertDurableBefore(before, event("call.finished", 2), "the last send")
  assert.equal(log.at(-1), "flush", "the closing line is on the disk before the process ends")
})

const REASONS: Record<string, RegExp> = {
  ENOSPC: /the disk is full/,
  EDQUOT: /the disk quota is used up/,
  EROFS: /the file system is read-only/,
  EACCES: /permission denied/,
  EIO: /the disk failed/,
}

for (const [code, reason] of Object.entries(REASONS)) {
  test(`${code} stops a run before its side effect, whenever it comes, and what is there can be resumed`, async () => {
    for (const what of ["write", "datasync"] as const) {
      for (let from = 1, failed = true; failed; from++) {
        const file = newFile()
        const log: string[] = []
        failed = await live(file, loggingFs(log, { what, from, code }), log).then(
          () => false,
          (error: Error & { code: string }) => {
            assert.equal(error.code, "journal")
            const left =
              from === 1 && what === "write"
                ? "nothing of the run is saved: begin it again once that is mended"
                : "the run stops here and can be resumed"
            assert.ok(error.message.endsWith(`; ${left}`), error.message)
            assert.match(error.message, reason)
            return true
          },
        )
        if (log.includes("effect of pay")) assertDurableBefore(log, event("call.started", 0), "effect of pay")
        if (log.includes("effect of ask")) assertDurableBefore(log, event("call.started", 2), "effect of ask")
        if (from === 1 && what === "write")
          assert.deepEqual(
            [file, `${file}.lock`].map((path) => existsSync(path)),
            [false, false],
          )
        assert.equal((await live(file, loggingFs([]), log)).status, "done")
        for (const name of ["pay", "ask"]) {
          const effects = log.filter((entry) => entry === `effect of ${name}`).length
          const doubts = log.filter((entry) => entry === `ask about ${name}`).length - 1
          assert.ok(effects >= 1 && effects <= 1 + Math.max(0, doubts), `${name}: ${effects} effects, ${doubts} doubts`)
        }
      }
    }
  })
}

test("a folder that cannot be flushed: the run does not begin", async () => {
  const log: string[] = []
  const failing = loggingFs(log, { what: "sync", from: 1, code: "EIO" })
  await assert.rejects(live(newFile(), failing, log), { code: "journal", message: /the disk failed/ })
  assert.deepEqual(log, [])
})
