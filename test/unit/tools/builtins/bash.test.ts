import assert from "node:assert/strict"
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { createToolkit } from "../../../../src/tools/create-toolkit.ts"
import type { CommandOutput } from "../../../../src/tools/toolkit.ts"

const cwd = mkdtempSync(join(realpathSync(tmpdir()), "toolnexus-bash-"))
after(() => rmSync(cwd, { recursive: true, force: true }))

const toolkit = await createToolkit({ builtins: ["bash"], cwd, secretEnv: ["MY_KEY"] })
const bash = (command: string, more: object = {}, signal?: AbortSignal) =>
  toolkit.execute("bash", { command, ...more }, signal ? { signal } : {})

test("a command gives what it printed, in the order in which it was printed, and its exit code", async () => {
  const { output, isError, metadata } = await bash("echo out; echo err >&2; echo out again")
  assert.equal(output, "out\nerr\nout again\n[exit code 0]")
  assert.equal(isError, false)
  assert.deepEqual(metadata, { exitCode: 0 })
})

test("a failing command is an error result with its code", async () => {
  assert.deepEqual(await bash("exit 3"), {
    output: "(no output)\n[exit code 3]",
    isError: true,
    metadata: { exitCode: 3 },
  })
  assert.match((await bash("no-such-command-here")).output, /not found\n\[exit code 127\]$/)
  assert.equal((await bash("kill -KILL $$")).output, "(no output)\n[ended by SIGKILL]")
})

test("it works in the toolkit's folder, in a session of its own, with nothing to read", async () => {
  const { output } = await bash("pwd; cat; ps -o sid= -p $$; echo $$; test -t 0 || echo no terminal")
  const [folder, sid, pid, terminal] = output.split("\n").map((line) => line.trim())
  assert.equal(folder, cwd)
  assert.equal(sid, pid)
  assert.equal(terminal, "no terminal")
})

test("keys are not in its environment", async () => {
  const names = [
    "TOOLNEXUS_API_KEY",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "OPENROUTER_API_KEY",
    "MY_KEY",
    "NOT_A_KEY",
  ]
  for (const name of names) process.env[name] = `value of ${name}`
  try {
    assert.equal(
      (await bash("env | grep 'value of' | grep -v printenv")).output,
      "NOT_A_KEY=value of NOT_A_KEY\n[exit code 0]",
    )
  } finally {
    for (const name of names) delete process.env[name]
  }
})

test("long output keeps its head and its tail, and says what is left out", async () => {
  const { output } = await bash("seq 1 100000")
  assert.ok(output.length < 31_000)
  assert.match(output, /^1\n2\n3\n/)
  assert.match(output, /\n\[\.\.\. \d+ characters left out \.\.\.\]\n/)
  assert.match(output, /\n100000\n\[exit code 0\]$/)
})

test("output of 100 MB and output without end are kept in part", async () => {
  const { output } = await bash("head -c 100000000 /dev/zero | tr '\\0' a")
  assert.ok(output.length < 31_000)
  assert.match(output, /^a+\n\[\.\.\. 99970000 characters left out \.\.\.\]\na+\n\[exit code 0\]$/)
  const endless = await bash("yes", { timeoutMs: 300 })
  assert.match(endless.output, /characters left out[\s\S]*\[stopped: it did not end within 300 ms\]$/)
  assert.ok(endless.output.length < 31_000)
})

const isAlive = (pid: number) => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
  } catch {
    return false
  }
}

/** Signals are sent to all of a group at once; which process of it ends first is the kernel's choice. */
const ended = async (name: string) => {
  const pid = Number(readFileSync(join(cwd, name), "utf8"))
  while (isAlive(pid)) await new Promise(setImmediate)
}

test("a command that takes too long is stopped with all that it started", async () => {
  const { output, isError } = await bash("sleep 1000 & echo $! > child; echo begun; wait", { timeoutMs: 300 })
  assert.equal(isError, true)
  assert.equal(output, "begun\n[stopped: it did not end within 300 ms]")
  await ended("child")
})

test("a command that ignores the polite signal is killed", async () => {
  const { output } = await bash("trap '' TERM; echo $$ > stubborn; sleep 1000; sleep 1000", { timeoutMs: 300 })
  assert.match(output, /\[stopped: /)
  await ended("stubborn")
})

test("an abort stops it, and the result says why", async () => {
  const stop = new AbortController()
  const running = bash("touch started; exec sleep 1000", {}, stop.signal)
  while (!existsSync(join(cwd, "started"))) await new Promise(setImmediate)
  stop.abort(new Error("the run was stopped"))
  assert.deepEqual(await running, { output: "(no output)\n[stopped: the run was stopped]", isError: true })
})

test("a process that it leaves in the background does not hold the result up", async () => {
  const { output } = await bash("sleep 1000 & echo $!")
  const pid = Number.parseInt(output, 10)
  assert.match(output, /\n\[exit code 0\]$/)
  assert.equal(isAlive(pid), true)
  process.kill(pid, "SIGKILL")
})

test("what left the group and holds the output does not hold the result up, and is left alone", async () => {
  const stop = new AbortController()
  const running = bash("setsid -w sh -c 'echo $$ > d; mv d daemon; exec sleep 1000'", {}, stop.signal)
  while (!existsSync(join(cwd, "daemon"))) await new Promise(setImmediate)
  stop.abort(new Error("the run was stopped"))
  assert.equal((await running).output, "(no output)\n[stopped: the run was stopped]")
  const pid = Number(readFileSync(join(cwd, "daemon"), "utf8"))
  assert.equal(isAlive(pid), true)
  process.kill(pid, "SIGKILL")
})

test("a command that is stopped like a job is killed when its time is up", async () => {
  const { output } = await bash("kill -STOP $$", { timeoutMs: 100 })
  assert.equal(output, "(no output)\n[stopped: it did not end within 100 ms]")
})

test("a command that closes its output, or takes its folder away, is waited for", async () => {
  assert.equal((await bash("exec 1>&- 2>&-; sleep 0.1; exit 3")).output, "(no output)\n[exit code 3]")
  assert.equal((await bash("mkdir gone; cd gone; rmdir ../gone; echo here")).output, "here\n[exit code 0]")
  assert.match((await bash("if")).output, /syntax error.*\n\[exit code 2\]$/s)
})

test("a command that cannot be started is an error result", async () => {
  const nowhere = await createToolkit({ builtins: ["bash"], cwd: join(cwd, "gone") })
  assert.deepEqual(await nowhere.execute("bash", { command: "true" }), {
    output: `The command was not started: the working folder ${join(cwd, "gone")} is not there`,
    isError: true,
  })
  assert.match((await bash("echo a\0b")).output, /NUL character/)
  assert.match((await bash("x".repeat(3_000_000))).output, /E2BIG/)
})

test("what a command prints is told while it runs, with the call that it is of", async () => {
  const heard: CommandOutput[] = []
  const go = join(cwd, "go")
  const telling = await createToolkit({
    builtins: ["bash"],
    cwd,
    onOutput: (output) => {
      heard.push(output)
      // It goes on only after the first piece was heard.
      writeFileSync(go, "")
    },
  })
  const call = { id: "c1", name: "bash", turn: 1 }
  const command =
    "echo first; until test -e go; do sleep 0.01; done; printf 'h\\303'; sleep 0.05; printf '\\251'; echo last >&2"
  const { output } = await telling.execute("bash", { command }, { call })
  assert.equal(output, "first\nhélast\n[exit code 0]")
  assert.equal(heard.map(({ text }) => text).join(""), "first\nhélast\n")
  assert.equal(heard[0]?.text, "first\n")
  assert.deepEqual(heard[0]?.call, call)
})

test("a listener that throws does not stop the command, and is a warning", async () => {
  const warnings: string[] = []
  const toolkit = await createToolkit({
    builtins: ["bash"],
    cwd,
    onWarning: (warning) => warnings.push(warning),
    onOutput: () => {
      throw new Error("boom")
    },
  })
  const { output } = await toolkit.execute("bash", { command: "echo a; sleep 0.05; echo b" })
  assert.equal(output, "a\nb\n[exit code 0]")
  assert.deepEqual(warnings, ["onOutput failed, and is not told of the rest of this command: boom"])
})
