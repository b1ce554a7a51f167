import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { after, test } from "node:test"
import {
  isOver,
  isStopped,
  lifeOf,
  type ProcessIdentity,
  parseStat,
  thisProcess,
} from "../../../src/journal/process-life.ts"

const linux = { skip: process.platform === "linux" ? false : "only Linux tells so much about processes" }

const children = new Set<ChildProcess>()
after(() => {
  for (const child of children) child.kill("SIGKILL")
})

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate)
}

async function started(): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, ["-e", "console.log('up'); process.stdin.resume()"])
  children.add(child)
  await once(child.stdout, "data")
  return child as ChildProcess & { pid: number }
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL")
  await once(child, "exit")
}

function identityOf(pid: number): ProcessIdentity {
  const { start: _start, ...place } = thisProcess()
  return { ...place, pid }
}

test("this process is alive", () => {
  assert.equal(lifeOf(thisProcess()), "alive")
})

test("a process is alive until it has ended", async () => {
  const child = await started()
  assert.equal(lifeOf(identityOf(child.pid)), "alive")
  await killed(child)
  assert.equal(lifeOf(identityOf(child.pid)), "dead")
})

test("a stopped process is alive", linux, async () => {
  const child = await started()
  child.kill("SIGSTOP")
  await until(() => isStopped(child.pid))
  assert.equal(lifeOf(identityOf(child.pid)), "alive")
  await killed(child)
})

test("a process of the same number that started at another time is another one", linux, () => {
  assert.equal(lifeOf({ ...thisProcess(), start: "1" }), "dead")
})

test("a process that ended and that its parent did not notice is dead", linux, async () => {
  // The shell becomes cat, which never asks after its child.
  const parent = spawn("sh", ["-c", "sleep 1000 & echo $!; exec cat"])
  children.add(parent)
  const [output] = await once(parent.stdout, "data")
  const pid = Number.parseInt(String(output), 10)
  await until(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8") === "cat\n")
  process.kill(pid, "SIGKILL")
  await until(() => readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z "))
  assert.equal(lifeOf(identityOf(pid)), "dead")
})

test("an ended process one of whose threads still works is not over", () => {
  assert.equal(isOver({ state: "Z", threads: 2, start: "1" }), false)
  assert.equal(isOver({ state: "Z", threads: 1, start: "1" }), true)
  assert.equal(isOver({ state: "D", threads: 1, start: "1" }), false)
})

test("a process of another machine, boot or container cannot be judged from here", () => {
  const place = { host: "a", machine: "m", boot: "b1", namespace: "n" }
  const theirs = { pid: 999_999_999, start: "1", ...place }
  assert.equal(lifeOf(theirs, place), "dead")
  assert.equal(lifeOf({ ...theirs, boot: "b2", host: "z" }, place), "unknown")
  assert.equal(lifeOf({ ...theirs, boot: "b2", machine: "z" }, place), "unknown")
  assert.equal(lifeOf({ ...theirs, namespace: "z" }, place), "unknown")
  const { boot: _boot, ...elsewhere } = theirs
  assert.equal(lifeOf(elsewhere, place), "unknown")
})

test("what ran before this machine was started again is dead, whatever has its number now", () => {
  const place = { host: "a", machine: "m", boot: "b2", namespace: "n" }
  assert.equal(lifeOf({ pid: process.pid, ...place, boot: "b1", namespace: "old" }, place), "dead")
})

test("where the platform tells little, host and number decide", () => {
  assert.equal(lifeOf({ pid: process.pid, host: "a" }, { host: "a" }), "alive")
  assert.equal(lifeOf({ pid: 999_999_999, host: "a" }, { host: "a" }), "dead")
  assert.equal(lifeOf({ pid: process.pid, host: "b" }, { host: "a" }), "unknown")
})

test("a process's name with spaces and brackets does not confuse", () => {
  const fields = ["S", ...Array(16).fill("0"), "7", "0", "4242", "0"]
  assert.deepEqual(parseStat(`12 (a) b (c) ) ${fields.join(" ")}`), { state: "S", threads: 7, start: "4242" })
  assert.equal(parseStat(""), undefined)
})
