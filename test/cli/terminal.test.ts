import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type TestContext, test } from "node:test"
import { program } from "../support/program.ts"
import { KEYS, type Pty, startPty } from "../support/pty.ts"

const PROGRAM = [process.execPath, program({ file: "test/support/asking-program.ts" })] as const
const INPUT = { id: "i", kind: "input", prompt: "Which environment?" }
const APPROVAL = {
  id: "a",
  kind: "approval",
  prompt: "Really?",
  data: { call: { id: "c", name: "bash", input: { command: "ls" }, by: "gate" } },
}

/** `what` in the shell's quotes. */
const quoted = (what: string) => `'${what.replaceAll("'", `'\\''`)}'`
const command = (...todo: unknown[]) => [...PROGRAM, ...todo.map((each) => JSON.stringify(each))].map(quoted).join(" ")

function start(t: TestContext, ...todo: unknown[]): Pty {
  return startPty(t, [...PROGRAM, ...todo.map((each) => JSON.stringify(each))])
}

function shell(t: TestContext, script: string): Pty {
  return startPty(t, ["sh", "-c", script])
}

test("a typed answer and a choice are taken at a real terminal, whose modes are then as they were", async (t) => {
  const pty = shell(t, `stty -g; ${command(INPUT, APPROVAL)}; stty -g`)
  await pty.waitFor("Enter sends")
  pty.type("staging")
  await pty.waitFor("> staging")
  pty.type(KEYS.enter)
  await pty.waitFor("Enter confirms")
  pty.type(KEYS.down)
  await pty.waitFor("> 1. Approve once")
  pty.type(KEYS.enter)
  await pty.exit
  assert.match(pty.scrollback(), /GOT {"output":"staging"}[\s\S]*GOT {"id":"a","ok":true}\nEND/)
  const modes = pty.raw().match(/^[0-9a-f]+(:[0-9a-f]+){10,}/gm)
  assert.equal(modes?.length, 2)
  assert.equal(modes[1], modes[0])
})

test("Ctrl-C twice at once declines one question, and the process lives", async (t) => {
  const pty = start(t, INPUT, { ...INPUT, id: "j" })
  await pty.waitFor("Enter sends")
  pty.type(KEYS.ctrlC + KEYS.ctrlC)
  await pty.waitFor('GOT "cancelled"')
  await pty.waitFor("Enter sends")
  pty.type("x")
  await pty.waitFor("> x")
  pty.type(KEYS.enter)
  await pty.waitFor('GOT {"output":"x"}')
  assert.deepEqual(await pty.exit, { code: 0, signal: undefined })
})

test("Ctrl-C twice at the last question does not end the process, one when the terminal is given back does", async (t) => {
  const pty = start(t, INPUT, 1_100, 600_000)
  await pty.waitFor("Enter sends")
  pty.type(KEYS.ctrlC + KEYS.ctrlC)
  await pty.waitFor(/GOT "cancelled"[\s\S]*WORKED/)
  assert.doesNotMatch(pty.screen(), /SIGINT/)
  pty.type(KEYS.ctrlC)
  await pty.waitFor("SIGINT not asking")
  assert.deepEqual(await pty.exit, { code: 130, signal: undefined })
})

test("text typed before the question is there is kept, and the Enter behind it does not send", async (t) => {
  const pty = startPty(t, [...PROGRAM, "300", JSON.stringify(INPUT)])
  pty.type("stag\r")
  await pty.waitFor("Enter sends")
  assert.match(pty.screen(), /^> stag$/m)
  pty.type("i")
  await pty.waitFor("> stagi")
  assert.doesNotMatch(pty.screen(), /GOT/)
  pty.type(KEYS.enter)
  await pty.waitFor('GOT {"output":"stagi"}')
})

test("Enter before an approval appears approves nothing", async (t) => {
  const pty = startPty(t, [...PROGRAM, "100", JSON.stringify(APPROVAL)])
  pty.type("\r1\r")
  await pty.waitFor("Enter confirms")
  assert.doesNotMatch(pty.screen(), /^>/m)
  pty.type("4")
  await pty.waitFor("> 4. Decline")
  pty.type(KEYS.enter)
  await pty.waitFor('GOT "declined"')
})

test("Ctrl-Z stops the whole group, fg shows the question with what was typed", async (t) => {
  const pty = startPty(t, ["bash", "--norc", "--noprofile", "-i"], { env: { PS1: "ready> " } })
  await pty.waitFor("ready>")
  // Through another shell, as npx does it: the group has two processes.
  pty.type(`sh -c ${quoted(`${command(INPUT)}; true`)}\r`)
  await pty.waitFor("Enter sends")
  pty.type("ab")
  await pty.waitFor("> ab")
  pty.type(KEYS.ctrlZ)
  await pty.waitFor(/Stopped[\s\S]*ready>/)
  pty.type("clear; stty -a | grep -o ' icanon'; fg\r")
  const back = await pty.waitFor(/ icanon[\s\S]*> ab[\s\S]*Enter sends/)
  assert.equal(back.match(/^ {2}\| Which environment/gm)?.length, 1)
  pty.type("c")
  await pty.waitFor("> abc")
  pty.type(KEYS.enter)
  await pty.waitFor('GOT {"output":"abc"}')
})

test("Ctrl-Z, then bg, leaves the question open; the process is neither stopped nor in a loop", async (t) => {
  const pty = startPty(t, ["bash", "--norc", "--noprofile", "-i"], { env: { PS1: "ready> " } })
  await pty.waitFor("ready>")
  pty.type(`${command(INPUT)}\r`)
  await pty.waitFor("Enter sends")
  pty.type(KEYS.ctrlZ)
  await pty.waitFor(/Stopped[\s\S]*ready>/)
  pty.type("bg; wait; echo code $?\r")
  await pty.waitFor('GOT "background"')
  await pty.waitFor(/^code 0$/m)
})

test("a run in the background that asks is not stopped by the terminal", async (t) => {
  const pty = startPty(t, ["bash", "--norc", "--noprofile", "-i"], { env: { PS1: "ready> " } })
  await pty.waitFor("ready>")
  pty.type(`${command(INPUT)} & wait; echo code $?\r`)
  await pty.waitFor('GOT "background"')
  await pty.waitFor(/^code 0$/m)
})

test("without a terminal nothing is asked, and the reason is said", async (t) => {
  const pty = shell(t, `setsid -w ${command(INPUT)} </dev/null 2>&1 | cat`)
  await pty.waitFor('GOT "no terminal"')
  assert.match(pty.screen(), /Not asked: there is no terminal/)
})

test("the question goes to the terminal and the answer comes from it, whatever is redirected", async (t) => {
  const file = join(tmpdir(), `toolnexus-${process.pid}-redirected`)
  t.after(() => rm(file, { force: true }))
  const pty = shell(t, `echo piped | ${command(INPUT)} >${file} 2>&1; echo done`)
  await pty.waitFor("Enter sends")
  pty.type("x")
  await pty.waitFor("> x")
  pty.type(KEYS.enter)
  await pty.waitFor(/^done$/m)
  assert.equal(await readFile(file, "utf8"), 'GOT {"output":"x"}\nEND\n')
})

test("a SIGINT while the question is up leaves it open with the modes restored", async (t) => {
  const pty = shell(t, `trap : INT; ${command(INPUT)}; echo code $?; stty -a | grep -o ' icanon'`)
  await pty.waitFor("Enter sends")
  pty.type("a")
  await pty.waitFor("> a")
  pty.signal("SIGINT")
  await pty.waitFor(/DRAFT a[\s\S]*SIGINT left[\s\S]*code 130\n icanon/)
})

test("a process that ends while the question is up restores the modes", async (t) => {
  const pty = shell(t, `trap : USR2; ${command(APPROVAL)}; echo code $?; stty -a | grep -o ' icanon'`)
  await pty.waitFor("Enter confirms")
  pty.signal("SIGUSR2")
  await pty.waitFor(/^code 9\n icanon$/m)
  assert.ok(pty.raw().includes("\x1b[?2004l"))
})

test("Ctrl-G opens the editor on the terminal, also with stdin and stdout elsewhere", async (t) => {
  const editor = join(tmpdir(), `toolnexus-${process.pid}-editor.sh`)
  t.after(() => rm(editor, { force: true }))
  await writeFile(
    editor,
    '#!/bin/sh\nprintf "edit: "; read -r line; printf "%s and %s\\n" "$(cat "$1")" "$line" >"$1.new"; mv "$1.new" "$1"\n',
    { mode: 0o755 },
  )
  const pty = startPty(t, ["sh", "-c", `${command(INPUT)} </dev/null | cat`], {
    env: { EDITOR: editor, VISUAL: undefined },
  })
  await pty.waitFor("Enter sends")
  pty.type("one")
  await pty.waitFor("> one")
  pty.type("\x07")
  await pty.waitFor("edit: ")
  pty.type("two\r")
  await pty.waitFor(/> one and two[\s\S]*Enter sends/)
  pty.type(KEYS.enter)
  await pty.waitFor('GOT {"output":"one and two"}')
})

test("what an editor saves in another encoding is not taken for another text: that is said, and what was typed stays", async (t) => {
  const editor = join(tmpdir(), `toolnexus-${process.pid}-latin1.sh`)
  t.after(() => rm(editor, { force: true }))
  await writeFile(editor, '#!/bin/sh\nprintf "caf\\351\\n" >"$1"\n', { mode: 0o755 })
  const pty = startPty(t, ["sh", "-c", command(INPUT)], { env: { EDITOR: editor, VISUAL: undefined } })
  await pty.waitFor("Enter sends")
  pty.type("one")
  await pty.waitFor("> one")
  pty.type("\x07")
  await pty.waitFor(/what it saved is no UTF-8 text; the text is as it was[\s\S]*> one[\s\S]*Enter sends/)
  pty.type(KEYS.enter)
  await pty.waitFor('GOT {"output":"one"}')
})

test("a change of the window's size shows the question again in the new size", async (t) => {
  const pty = start(t, APPROVAL)
  await pty.waitFor("Enter confirms")
  pty.resize(40, 20)
  await pty.waitFor(/2\. Approve, and the same call for the\n +rest of this run\n/)
  pty.type("1")
  await pty.waitFor("> 1. Approve once")
  pty.resize(90, 20)
  await pty.waitFor("  2. Approve, and the same call for the rest of this run")
})

test("a terminal that is closed leaves the question open", async (t) => {
  const fifo = join(tmpdir(), `toolnexus-${process.pid}-closed`)
  execFileSync("sh", ["-c", `mkfifo ${fifo}`])
  t.after(() => rm(fifo, { force: true }))
  const pty = shell(t, `${command(INPUT)} >${fifo} 2>&1`)
  const told = readFile(fifo, "utf8")
  await pty.waitFor("Enter sends")
  pty.type("ab")
  await pty.waitFor("> ab")
  pty.hangUp()
  // Which of the two comes first is the kernel's choice.
  assert.match(await told, /^DRAFT ab\n(.*the terminal is gone.*\nGOT "end of terminal"|SIGHUP left)/)
})

test("keys that arrive in one read all count: Left Left C-a X puts X where the cursor was led", async (t) => {
  const pty = start(t, INPUT)
  await pty.waitFor("Enter sends")
  pty.type("bc")
  await pty.waitFor("> bc")
  pty.type(`${KEYS.left}${KEYS.left}\x01X`)
  await pty.waitFor("> Xbc")
  pty.type(KEYS.enter)
  await pty.waitFor('GOT {"output":"Xbc"}')
})
