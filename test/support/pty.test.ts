import assert from "node:assert/strict"
import { test } from "node:test"
import { KEYS, startPty } from "./pty.ts"

test("a program in a pseudo-terminal is typed at, seen, and its exit told", async (t) => {
  const pty = startPty(t, ["sh", "-c", 'printf "ci=%s name? " "$CI"; read name; echo "hello $name"; exit 7'])
  await pty.waitFor("ci= name?")
  pty.type(`ada${KEYS.enter}`)
  await pty.waitFor(/^hello ada$/m)
  assert.deepEqual(await pty.exit, { code: 7, signal: undefined })
})

test("waiting for what a program never shows fails with its screen when it ends", async (t) => {
  const pty = startPty(t, ["sh", "-c", "echo something else"])
  await assert.rejects(pty.waitFor("this"), /ended \(code 0.*without showing this[\s\S]*something else/)
})

test("a program is ended by a signal to its group, and sees a new size", async (t) => {
  const pty = startPty(t, ["sh", "-c", 'trap "stty size" WINCH; echo up; while :; do read -r line; done'])
  await pty.waitFor("up")
  pty.resize(100, 30)
  pty.type(KEYS.enter)
  await pty.waitFor("30 100")
  pty.signal("SIGKILL")
  assert.deepEqual(await pty.exit, { code: 0, signal: 9 })
})
