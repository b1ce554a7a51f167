import assert from "node:assert/strict"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { KEYS, type Pty } from "../support/pty.ts"
import { replyText } from "../support/scripted-endpoint.ts"
import { type Workplace, workplace } from "../support/workplace.ts"

const nothing = { TOOLNEXUS_BASE_URL: undefined, TOOLNEXUS_MODEL: undefined }

/** A run with nothing configured, whose person chooses to set an endpoint up. */
async function settingUp(work: Workplace, env: Record<string, undefined> = {}): Promise<Pty> {
  const pty = work.terminal(["run", "hi"], { env: { ...nothing, ...env }, columns: 120 })
  await pty.waitFor(/Enter confirms/)
  pty.type("2")
  await pty.waitFor("> 2. An endpoint of mine")
  pty.type(KEYS.enter)
  await pty.waitFor("Where is your model?")
  return pty
}

test("with nothing configured and a person there, an endpoint can be set up: it is saved, used at once and from then on", async (t) => {
  const work = await workplace(t, [replyText("hello from it")])
  const pty = await settingUp(work)
  pty.type(KEYS.up) // from the first to the last
  await pty.waitFor(/❯ another address/)
  pty.type(KEYS.enter)
  await pty.waitFor("Its address")
  pty.type("nonsense")
  await pty.waitFor("nonsense")
  pty.type(KEYS.enter)
  await pty.waitFor("It must begin with")
  for (const _ of "nonsense") pty.type(KEYS.backspace)
  await pty.waitFor((screen) => !screen.includes("nonsense"))
  pty.type(work.endpoint.baseUrl)
  await pty.waitFor(work.endpoint.baseUrl)
  pty.type(KEYS.enter)
  await pty.waitFor("How does it speak?")
  pty.type(KEYS.enter)
  await pty.waitFor("The model's name:")
  pty.type("some-model")
  await pty.waitFor("some-model")
  pty.type(KEYS.enter)
  await pty.waitFor("it needs no key")
  pty.type(KEYS.enter)
  await pty.waitFor("hello from it")
  assert.equal((await pty.exit).code, 0)
  assert.match(pty.scrollback(), /used from now on; change or remove it in ~\/\.config\/toolnexus\/config\.json/)

  const file = join(work.folder, ".config", "toolnexus", "config.json")
  const profile = { baseUrl: work.endpoint.baseUrl, style: "openai", model: "some-model" }
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), { profiles: { default: profile }, profile: "default" })
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const again = work.terminal(["run", "hi again"], { env: nothing })
  await again.waitFor("hello from it")
  assert.equal((await again.exit).code, 0)
  assert.equal(work.endpoint.requests[1]?.body.model, "some-model")
})

test("Ctrl-C while setting up saves nothing and says how to configure an endpoint: exit 2", async (t) => {
  const work = await workplace(t, [])
  const pty = await settingUp(work)
  pty.type(KEYS.ctrlC)
  await pty.waitFor("no endpoint is configured")
  assert.equal((await pty.exit).code, 2)
  assert.throws(() => statSync(join(work.folder, ".config", "toolnexus", "config.json")))
})

test("what shall answer is a closed choice: nothing can be typed that would then not count", async (t) => {
  const work = await workplace(t, [])
  const pty = work.terminal(["run", "hi"], { env: nothing, columns: 120 })
  const screen = await pty.waitFor(/Enter confirms/)
  assert.match(screen, /What shall answer\?[\s\S]*3\. Nothing/)
  assert.doesNotMatch(screen, /Other|folder:|4\./)
  pty.type("3")
  await pty.waitFor("> 3. Nothing")
  pty.type(KEYS.enter)
  await pty.waitFor("--model demo, which needs nothing")
  assert.equal((await pty.exit).code, 2)
})

test("a key pasted in place of its variable's name is not taken, and a variable that is not set is said before it is saved", async (t) => {
  const work = await workplace(t, [])
  const pty = await settingUp(work, { OPENAI_API_KEY: undefined })
  pty.type(KEYS.enter)
  await pty.waitFor("The model's name:")
  pty.type("some-model")
  await pty.waitFor("some-model")
  pty.type(KEYS.enter)
  await pty.waitFor(/in the variable OPENAI_API_KEY \(it is not set here yet\)[\s\S]*it needs no key/)
  pty.type(KEYS.down)
  await pty.waitFor(/❯ in another variable/)
  pty.type(KEYS.enter)
  for (const key of ["sk0proj9Abc", "AKIAIOSFODNN7EXAMPLE"]) {
    await pty.waitFor("The name of the variable")
    pty.type(key)
    await pty.waitFor(key)
    pty.type(KEYS.enter)
    await pty.waitFor("That is no name of a variable")
    for (const _ of key) pty.type(KEYS.backspace)
    await pty.waitFor((screen) => !screen.includes(key))
  }
  pty.type("MY_KEY")
  await pty.waitFor("MY_KEY")
  pty.type(KEYS.enter)
  await pty.waitFor("MY_KEY is not set here")
  pty.type(KEYS.enter)
  await pty.waitFor("change or remove it in ~/.config/toolnexus/config.json")
  await pty.waitFor("the variable MY_KEY, which is not set")
  assert.equal((await pty.exit).code, 2)
  assert.match(readFileSync(join(work.folder, ".config", "toolnexus", "config.json"), "utf8"), /"apiKeyEnv": "MY_KEY"/)
})

test("Ctrl-D while setting up stops as Ctrl-C does, a signal ends it, and the cursor is never hidden", async (t) => {
  const work = await workplace(t, [])
  const left = await settingUp(work)
  left.type(KEYS.ctrlD)
  assert.equal((await left.exit).code, 2)
  assert.ok(!left.raw().includes("\x1b[?25l"))
  const ended = await settingUp(work)
  ended.signal("SIGTERM")
  assert.equal((await ended.exit).code, 143)
})
