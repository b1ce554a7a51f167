import assert from "node:assert/strict"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { KEYS } from "../support/pty.ts"
import { replyText } from "../support/scripted-endpoint.ts"
import { workplace } from "../support/workplace.ts"

const nothing = { TOOLNEXUS_BASE_URL: undefined, TOOLNEXUS_MODEL: undefined }

test("with nothing configured and a person there, an endpoint can be set up: it is saved, used at once and from then on", async (t) => {
  const work = await workplace(t, [replyText("hello from it")])
  const pty = work.terminal(["run", "hi"], { env: nothing, columns: 120 })
  await pty.waitFor(/Enter confirms/)
  pty.type("2")
  await pty.waitFor("> 2. An endpoint of mine")
  pty.type(KEYS.enter)
  await pty.waitFor("Where is your model?")
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
  await pty.waitFor("The variable that holds its key")
  pty.type(KEYS.enter)
  await pty.waitFor("hello from it")
  assert.equal((await pty.exit).code, 0)

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
  const pty = work.terminal(["run", "hi"], { env: nothing, columns: 120 })
  await pty.waitFor(/Enter confirms/)
  pty.type("2")
  await pty.waitFor("> 2. An endpoint of mine")
  pty.type(KEYS.enter)
  await pty.waitFor("Where is your model?")
  pty.type(KEYS.ctrlC)
  await pty.waitFor("no endpoint is configured")
  assert.equal((await pty.exit).code, 2)
  assert.throws(() => statSync(join(work.folder, ".config", "toolnexus", "config.json")))
})
