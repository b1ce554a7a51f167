import assert from "node:assert/strict"
import { chmodSync, existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { type TestContext, test } from "node:test"
import { KEYS } from "../support/pty.ts"
import { workplace } from "../support/workplace.ts"

const bin = resolve(import.meta.dirname, "../../bin/toolnexus.js")
const CONFIG = join(".config", "toolnexus", "config.json")

/** A person whose editor puts one text after the other into the file, and keeps what it was given. */
async function editing(t: TestContext, ...texts: string[]) {
  const work = await workplace(t, [])
  texts.forEach((text, at) => {
    work.write(`text-${at}`, text)
  })
  work.write("count", "0")
  const script = `#!/bin/sh\ncd '${work.folder}'\nn=$(cat count)\ncp "$1" "given-$n"\ncp "text-$n" "$1"\ntest -f also && . ./also\necho $((n+1)) > count\n`
  chmodSync(work.write("editor", script), 0o755)
  const env = { EDITOR: join(work.folder, "editor"), VISUAL: undefined, XDG_CONFIG_HOME: undefined }
  return { ...work, config: (...args: string[]) => work.terminal(["config", ...args], { env, columns: 200 }) }
}

test("in a terminal, config edit takes nothing that a run would refuse: it can be edited again, and then replaces the file", async (t) => {
  const wanted = '{\n   "limits": { "maxTurns": 5 }\n}\n'
  const { config, folder, read } = await editing(t, '{ "limits": { "maxTurn": 5 } }', '{ "limits" ', wanted)
  const pty = config("edit")
  await pty.waitFor(/there is no setting limits\.maxTurn \(did you mean limits\.maxTurns\?\)[\s\S]*Enter confirms/)
  assert.equal(existsSync(join(folder, CONFIG)), false)
  pty.type("1")
  await pty.waitFor("> 1. Edit it again")
  pty.type(KEYS.enter)
  await pty.waitFor(/is not JSON \(line 1[\s\S]*Enter confirms/)
  pty.type("1")
  await pty.waitFor("> 1. Edit it again")
  pty.type(KEYS.enter)
  assert.deepEqual(await pty.exit, { code: 0, signal: undefined })
  assert.equal(read(CONFIG), wanted)
  assert.deepEqual([read("given-0"), read("given-1")], ["{\n}\n", '{ "limits": { "maxTurn": 5 } }'])
})

test("in a terminal, config edit drops what is not wanted any more, and mends a file that is no JSON", async (t) => {
  const { config, write, read, shell } = await editing(t, '{ "x" ', '{ "limits": {} }')
  assert.equal((await shell("mkdir -p .config/toolnexus").exit).code, 0)
  write(CONFIG, '{ "limits": ')
  const dropped = config("edit")
  await dropped.waitFor("Enter confirms")
  dropped.type(KEYS.ctrlC)
  assert.deepEqual(await dropped.exit, { code: 5, signal: undefined })
  assert.equal(read(CONFIG), '{ "limits": ')
  const mended = config("edit")
  assert.deepEqual(await mended.exit, { code: 0, signal: undefined })
  assert.equal(read(CONFIG), '{ "limits": {} }')
})

test("in a terminal, config edit does not lose what another process changed meanwhile: it is said, and what is saved next counts", async (t) => {
  const { config, write, read } = await editing(t, '{ "masks": { "A": "a" } }', '{ "masks": { "B": "b" } }')
  write("also", `rm also; '${process.execPath}' '${bin}' config set limits.maxTurns 9 2> said\n`)
  const pty = config("edit")
  await pty.waitFor(/another process has changed the file meanwhile[\s\S]*Enter confirms/)
  assert.deepEqual(JSON.parse(read(CONFIG)), { limits: { maxTurns: 9 } })
  pty.type("1")
  await pty.waitFor("> 1. Edit it again")
  pty.type(KEYS.enter)
  assert.deepEqual(await pty.exit, { code: 0, signal: undefined })
  assert.equal(read(CONFIG), '{ "masks": { "B": "b" } }')
})

test("in a terminal, config edit waits for no pipe in the place of the file", async (t) => {
  const { config, shell } = await editing(t)
  assert.equal((await shell("mkdir -p .config/toolnexus && mkfifo .config/toolnexus/config.json").exit).code, 0)
  const pty = config("edit")
  assert.deepEqual(await pty.exit, { code: 2, signal: undefined })
  assert.match(pty.screen(), /config\.json: cannot be read \(it is no regular file\): correct it or remove the file/)
})
