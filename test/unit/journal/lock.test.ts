import assert from "node:assert/strict"
import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { after, test } from "node:test"
import { openFileJournal } from "../../../src/journal/file.ts"
import { lockHolder, takeLock, unlockRun } from "../../../src/journal/lock.ts"
import { thisProcess } from "../../../src/journal/process-life.ts"
import { program } from "../../support/program.ts"
import { tempFolder } from "./temp-folder.ts"

const folder = tempFolder()
const children = new Set<ChildProcessWithoutNullStreams>()
after(() => {
  for (const child of children) child.kill("SIGKILL")
  folder.remove()
})

let number = 0
function newFile(): string {
  const file = join(folder.path, `${++number}.run.jsonl`)
  writeFileSync(file, '{"n":0}\n')
  return file
}

const CONTENDER = program({ file: "test/unit/journal/contender.ts" })

interface Contender {
  child: ChildProcessWithoutNullStreams
  pid: number
  say(command: "go" | "close"): Promise<string>
}

async function contender(file: string): Promise<Contender> {
  const child = spawn(process.execPath, [CONTENDER, file])
  children.add(child)
  child.stderr.on("data", (text) => process.stderr.write(text))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => (await lines.next()).value ?? "ended"
  assert.equal(await nextLine(), "ready")
  const say = (command: string) => {
    child.stdin.write(`${command}\n`)
    return nextLine()
  }
  return { child, pid: child.pid ?? 0, say }
}

async function holderOf(file: string): Promise<Contender> {
  const holder = await contender(file)
  assert.equal(await holder.say("go"), "held")
  return holder
}

async function killed({ child }: Contender): Promise<void> {
  child.kill("SIGKILL")
  await once(child, "exit")
}

test("the refusal names process, host and time, and says what to do", async () => {
  const file = newFile()
  const holder = await holderOf(file)
  const { host } = thisProcess()
  await assert.rejects(openFileJournal(file), (error: Error & { code: string; details: object }) => {
    assert.equal(error.code, "in_use")
    const expected = new RegExp(
      `^${file} is in use by process ${holder.pid} on ${host} since \\d{4}-.*Z: wait until it is done, or end it with kill ${holder.pid}$`,
    )
    assert.match(error.message, expected)
    assert.deepEqual(Object.keys(error.details), ["file", "pid", "host", "time", "life"])
    return true
  })
  assert.equal(await holder.say("close"), "closed")
  await (await openFileJournal(file)).close()
})

test("a stopped holder is never overruled, and the refusal says that it is stopped", async () => {
  const file = newFile()
  const holder = await holderOf(file)
  holder.child.kill("SIGSTOP")
  await assert.rejects(openFileJournal(file), {
    code: "in_use",
    message: /bring it back with fg|wait until it is done/,
  })
  await assert.rejects(unlockRun(file), { code: "in_use" })
  holder.child.kill("SIGCONT")
  assert.equal(await holder.say("close"), "closed")
})

test("of eight contenders for a dead holder's lock exactly one gets it, at once, in every round", async () => {
  const file = newFile()
  let holder = await holderOf(file)
  const contenders = await Promise.all(Array.from({ length: 8 }, () => contender(file)))
  const rounds = process.env.TOOLNEXUS_TEST_SIZE === "long" ? 200 : 10
  for (let round = 1; round <= rounds; round++) {
    await killed(holder)
    const said = await Promise.all(contenders.map(({ say }) => say("go")))
    assert.equal(said.filter((line) => line === "held").length, 1, said.join("\n"))
    assert.equal(said.filter((line) => line.startsWith("refused in_use ")).length, 7, said.join("\n"))
    const at = said.indexOf("held")
    holder = contenders[at] as Contender
    for (const line of said.filter((it) => it !== "held")) assert.match(line, new RegExp(`process ${holder.pid} on `))
    contenders[at] = await contender(file)
  }
  const writers = readFileSync(file, "utf8").trimEnd().split("\n").length - 1
  assert.equal(writers, rounds + 1)
})

test("contenders that come and go never hold it together, and the lock file stays small", async () => {
  const file = newFile()
  let held = 0
  let takings = 0
  const once = async () => {
    const lock = await takeLock(file).catch(() => undefined)
    if (lock === undefined) return
    takings++
    assert.equal(++held, 1)
    await new Promise(setImmediate)
    held--
    lock.release()
  }
  for (let round = 0; round < 200; round++) await Promise.all([once(), once(), once()])
  assert.ok(takings >= 200)
  assert.equal(statSync(`${file}.lock`).size, 0)
})

test("within one process two openings of a file keep each other out", async () => {
  const file = newFile()
  const journal = await openFileJournal(file)
  await assert.rejects(openFileJournal(file), { code: "in_use", message: /that is this process: close the journal/ })
  await journal.close()
  await (await openFileJournal(file)).close()
})

test("asking in vain leaves nothing behind in the lock file", async () => {
  const file = newFile()
  const lock = await takeLock(file)
  const before = readFileSync(`${file}.lock`, "utf8")
  for (let n = 0; n < 10; n++) await assert.rejects(takeLock(file), { code: "in_use" })
  assert.equal(readFileSync(`${file}.lock`, "utf8"), before)
  lock.release()
})

test("a lock given back twice takes nothing from the next holder", async () => {
  const file = newFile()
  const first = await takeLock(file)
  first.release()
  const second = await takeLock(file)
  first.release()
  await assert.rejects(takeLock(file), { code: "in_use" })
  second.release()
})

const FOREIGN = { ...thisProcess(), host: "elsewhere", machine: "other", boot: "other" }
const claimLine = (nonce: string, by: object) =>
  `${JSON.stringify({ claim: nonce, by, time: "2026-01-31T12:00:00.000Z" })}\n`

test("a holder on another host is never taken over, until it is unlocked", async () => {
  const file = newFile()
  appendFileSync(`${file}.lock`, `${claimLine("x", FOREIGN)}{"held":"x"}\n`)
  await assert.rejects(takeLock(file), {
    code: "in_use",
    message: `${file} is in use by process ${process.pid} on elsewhere since 2026-01-31T12:00:00.000Z: it cannot be seen from here whether that still runs; if it does not, unlockRun lets go`,
  })
  const holder = { pid: process.pid, host: "elsewhere", time: "2026-01-31T12:00:00.000Z", life: "unknown" }
  assert.deepEqual(await lockHolder(file), holder)
  assert.deepEqual(await unlockRun(file), holder)
  assert.equal(await lockHolder(file), undefined)
  assert.equal(await unlockRun(file), undefined)
  ;(await takeLock(file)).release()
})

test("a holder that was unlocked by hand does not take the lock from the next one when it ends", async () => {
  const file = newFile()
  const overruled = await takeLock(file)
  const claim = JSON.parse(readFileSync(`${file}.lock`, "utf8").trim().split("\n")[0] ?? "")
  appendFileSync(`${file}.lock`, `${JSON.stringify({ free: claim.claim })}\n`)
  const next = await takeLock(file)
  overruled.release()
  await assert.rejects(takeLock(file), { code: "in_use" })
  next.release()
})

test("nobody holds a file without a lock file, and looking makes none", async () => {
  const file = newFile()
  assert.equal(await lockHolder(file), undefined)
  assert.equal(await unlockRun(file), undefined)
  assert.throws(() => statSync(`${file}.lock`), { code: "ENOENT" })
})

test("lines of the lock file that were cut off or are something else are passed over", async () => {
  const file = newFile()
  const broken = [
    '{"claim":"a","by":{"pid":1',
    "null",
    "42",
    '{"claim":"b","by":{"pid":-1,"host":"h"}}',
    '{"claim":"c"}',
    '{"held":"z"}',
  ]
  appendFileSync(`${file}.lock`, broken.join("\n"))
  const lock = await takeLock(file)
  await assert.rejects(takeLock(file), { code: "in_use" })
  lock.release()
})

test("a contender that is stopped before it knows is not waited for without end", async () => {
  const file = newFile()
  appendFileSync(`${file}.lock`, claimLine("undecided", thisProcess()))
  await assert.rejects(takeLock(file), { code: "in_use" })
  appendFileSync(`${file}.lock`, '{"free":"undecided"}\n')
  ;(await takeLock(file)).release()
})

test("a contender that withdraws while another waits lets that one in", async () => {
  const file = newFile()
  appendFileSync(`${file}.lock`, claimLine("undecided", thisProcess()))
  const waiting = takeLock(file)
  await new Promise(setImmediate)
  appendFileSync(`${file}.lock`, '{"free":"undecided"}\n')
  ;(await waiting).release()
})

test("a claim that a holder cleared away is made anew", async () => {
  const file = newFile()
  appendFileSync(`${file}.lock`, claimLine("undecided", thisProcess()))
  const waiting = takeLock(file)
  await new Promise(setImmediate)
  writeFileSync(`${file}.lock`, "")
  const lock = await waiting
  await assert.rejects(takeLock(file), { code: "in_use" })
  lock.release()
})

test("a pipe, a folder or a file without end where the lock file should be is not waited for: reading goes on, and the refusal names it", async () => {
  const places: Record<string, (path: string) => void> = {
    pipe: (path) => execFileSync("mkfifo", [path]),
    folder: (path) => mkdirSync(path),
    "a file without end": (path) => {
      writeFileSync(path, "")
      truncateSync(path, 2 ** 40)
    },
  }
  for (const [what, put] of Object.entries(places)) {
    const file = newFile()
    put(`${file}.lock`)
    assert.equal(await lockHolder(file), undefined, what)
    for (const trying of [takeLock, unlockRun]) {
      await assert.rejects(trying(file), {
        code: "journal",
        message: /cannot be locked: it is .*\.lock\); remove that$/,
      })
    }
  }
})

test("a contender whose lock file was taken away meanwhile does not hold beside the one at the new file", async () => {
  const file = newFile()
  appendFileSync(`${file}.lock`, claimLine("undecided", thisProcess()))
  const old = openSync(`${file}.lock`, "a")
  const waiting = takeLock(file)
  await new Promise(setImmediate)
  rmSync(`${file}.lock`)
  const holder = await takeLock(file)
  writeSync(old, '{"free":"undecided"}\n')
  closeSync(old)
  await assert.rejects(waiting, { code: "in_use" })
  holder.release()
})

test("the lock file of a run file that is gone does not stay", async () => {
  const file = newFile()
  const lock = await takeLock(file)
  rmSync(file)
  lock.release()
  assert.equal(existsSync(`${file}.lock`), false)
})

test("a lock file that is a link is not followed", async () => {
  const file = newFile()
  const elsewhere = join(folder.path, "precious")
  writeFileSync(elsewhere, "precious")
  chmodSync(elsewhere, 0o600)
  symlinkSync(elsewhere, `${file}.lock`)
  const message = `${file} cannot be locked: its lock file is a symbolic link (${file}.lock); remove that`
  await assert.rejects(takeLock(file), { code: "journal", message })
  assert.equal(readFileSync(elsewhere, "utf8"), "precious")
})
