import assert from "node:assert/strict"
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { type TestContext, test } from "node:test"
import { KEYS, type Pty } from "../support/pty.ts"
import { replyText } from "../support/scripted-endpoint.ts"
import { workplace } from "../support/workplace.ts"
import { MARKING_MODULE } from "./project-place.ts"

/** A workplace whose folder is a project: an endpoint, a rule, a module that leaves a file. */
async function projectAt(t: TestContext) {
  const place = await workplace(t, [replyText("hello from there")])
  mkdirSync(join(place.folder, ".toolnexus"))
  const profiles = { theirs: { baseUrl: place.endpoint.baseUrl, model: "m\u001b[2J\u202E", apiKeyEnv: "THEIR_KEY" } }
  const permissions = { allow: Array.from({ length: 40 }, (_, at) => `bash(rule-${at}*)`) }
  const settings = { profile: "theirs", profiles, permissions, tools: ["tools.mjs"] }
  place.write(".toolnexus/config.json", JSON.stringify(settings))
  place.write(".toolnexus/tools.mjs", MARKING_MODULE)
  place.write(".toolnexus/word.mjs", 'export const word = "hi"')
  // Only the project names an endpoint, and the state folder is not in it.
  const env = { TOOLNEXUS_BASE_URL: undefined, TOOLNEXUS_MODEL: undefined, THEIR_KEY: "k" }
  const state = `${place.folder}-state`
  t.after(() => rmSync(state, { recursive: true, force: true }))
  return { ...place, state, env: { ...env, TOOLNEXUS_STATE_DIR: state } }
}

/** Reads on until the question is there and its keys count. */
async function readToTheEnd(pty: Pty): Promise<void> {
  while (!(await pty.waitFor(/Space or Enter shows more|Enter confirms/)).includes("Enter confirms")) {
    const before = pty.scrollback()
    pty.type(" ")
    await pty.waitFor(() => pty.scrollback() !== before && /shows more|Enter confirms/.test(pty.screen()))
  }
}

test("in a terminal, trust shows all of it, page by page and harmless, and takes no Enter for a yes", async (t) => {
  const { terminal, env, folder, state } = await projectAt(t)
  const pty = terminal(["trust"], { env, columns: 160 })
  await readToTheEnd(pty)
  const shown = pty.scrollback()
  assert.match(shown, /the key in the variable THEIR_KEY is sent there, model m<U\+001B>\[2J<U\+202E>/)
  for (let at = 0; at < 40; at++) assert.ok(shown.includes(`runs without asking: bash(rule-${at}*)`), `rule ${at}`)
  assert.match(shown, /runs code of the module: \S+tools\.mjs/)
  pty.type(KEYS.enter)
  await pty.waitFor("choose one first")
  pty.type(KEYS.down)
  await pty.waitFor("> 1. Trust it, as it is now")
  pty.type(KEYS.enter)
  assert.deepEqual(await pty.exit, { code: 0, signal: undefined })
  assert.match(pty.scrollback(), /is trusted as it is now/)
  assert.equal(existsSync(join(folder, "module-ran")), false, "looking at it runs nothing")
  const store = join(state, "trust")
  const [record = ""] = readdirSync(store)
  assert.deepEqual([statSync(store).mode & 0o777, statSync(join(store, record)).mode & 0o777], [0o700, 0o600])
})

test("in a terminal, a run in a project that is not trusted goes on without it, and after trust with it", async (t) => {
  const { terminal, env, folder, endpoint } = await projectAt(t)
  const before = terminal(["run", "hello", "--base-url", endpoint.baseUrl, "--model", "own"], { env, columns: 400 })
  assert.equal((await before.exit).code, 0)
  assert.match(before.scrollback(), /is not trusted \(not: .*\): .*: (toolnexus|node \S+) trust/)
  assert.equal(existsSync(join(folder, "module-ran")), false)
  const trusting = terminal(["trust"], { env })
  await readToTheEnd(trusting)
  trusting.type("1")
  await trusting.waitFor("> 1. Trust it, as it is now")
  trusting.type(KEYS.enter)
  assert.equal((await trusting.exit).code, 0)
  const after = terminal(["run", "hello"], { env })
  await after.waitFor("hello from there")
  assert.equal((await after.exit).code, 0)
  assert.equal(existsSync(join(folder, "module-ran")), true)
  assert.equal(endpoint.requests.at(-1)?.headers.authorization, "Bearer k")
})
