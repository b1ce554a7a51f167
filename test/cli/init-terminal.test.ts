import assert from "node:assert/strict"
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type TestContext, test } from "node:test"
import { KEYS, type Pty } from "../support/pty.ts"
import { replyText } from "../support/scripted-endpoint.ts"
import { workplace } from "../support/workplace.ts"

/** A repository beside the person's own folders. */
async function repository(t: TestContext) {
  const work = await workplace(t, [replyText("hello from it")])
  const repo = join(work.folder, "repo")
  mkdirSync(join(repo, ".git"), { recursive: true })
  const start = (args: string[], env: Record<string, string | undefined> = {}) =>
    work.terminal(args, { cwd: repo, env, columns: 150, rows: 50 })
  return { ...work, repo, file: join(repo, ".toolnexus", "config.json"), start }
}

/** Takes a prompt as it is. */
async function enter(pty: Pty, shown: string | RegExp): Promise<void> {
  await pty.waitFor(shown)
  pty.type(KEYS.enter)
}

async function choose(pty: Pty, number: string, text: RegExp): Promise<void> {
  await pty.waitFor("Enter confirms")
  pty.type(number)
  await pty.waitFor(text)
  pty.type(KEYS.enter)
}

test("in a terminal, init asks, shows all of it, and writes and trusts what was chosen", async (t) => {
  const { repo, file, start } = await repository(t)
  const pty = start(["init"])
  await pty.waitFor(/Which commands may run without asking\?[\s\S]*bash\(git log\*\)/)
  pty.type(" ") // not git status
  await enter(pty, /◯ bash\(git status\*\)/)
  await pty.waitFor(/Which calls shall never run\?[\s\S]*\.env/)
  pty.type(" ")
  await enter(pty, /◉ bash\(git push\*\)/)
  await pty.waitFor("How far may a run go")
  pty.type(KEYS.down)
  await enter(pty, /❯ Short/)
  await pty.waitFor("Add an example")
  pty.type(KEYS.down)
  await enter(pty, /❯ Yes/)
  await pty.waitFor(/Write it\?[\s\S]*Enter confirms/)
  assert.equal(existsSync(join(repo, ".toolnexus")), false, "nothing is written before the last answer")
  const shown = pty.scrollback()
  assert.match(shown, /runs without asking: bash\(git diff\*\)/)
  assert.match(shown, /runs code of the module: \S+\.toolnexus\/tools\.mjs/)
  await choose(pty, "1", /> 1\. Write it, and trust it/)
  assert.deepEqual(await pty.exit, { code: 0, signal: undefined })
  assert.match(pty.scrollback(), /is trusted as it is now/)
  assert.match(pty.scrollback(), /next: .* run 'release this project'/)
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), {
    permissions: { allow: ["bash(git diff*)", "bash(git log*)"], ask: [], deny: ["bash(git push*)"] },
    limits: { maxTurns: 30, timeout: "15m" },
    tools: ["tools.mjs"],
  })
  const run = start(["run", "hi"])
  await run.waitFor("hello from it")
  assert.equal((await run.exit).code, 0)
  assert.doesNotMatch(run.scrollback(), /not trusted/)
  assert.ok(!pty.raw().includes("\x1b[?25l"), "the cursor is never hidden")
})

test("in a terminal, Ctrl-C at any question of init leaves nothing behind: exit 5", async (t) => {
  const { folder, repo, start } = await repository(t)
  const steps = [
    /Which commands may/,
    /Which calls shall never/,
    /How far may/,
    /Add an example/,
    /You have no endpoint/,
    /Write it\?[\s\S]*Enter confirms/,
  ]
  const stopAt = async (stop: number) => {
    const pty = start(["init"], { TOOLNEXUS_BASE_URL: undefined, TOOLNEXUS_MODEL: undefined })
    for (const step of steps.slice(0, stop)) {
      await pty.waitFor(step)
      if (step.source.includes("endpoint")) {
        pty.type(KEYS.down)
        await pty.waitFor("❯ Not now")
      }
      pty.type(KEYS.enter)
    }
    await pty.waitFor(steps[stop] ?? "")
    pty.type(KEYS.ctrlC)
    assert.deepEqual(await pty.exit, { code: 5, signal: undefined }, String(steps[stop]))
    assert.match(pty.scrollback(), /nothing is written/)
  }
  await Promise.all(steps.map((_, stop) => stopAt(stop)))
  assert.deepEqual([readdirSync(repo), existsSync(join(folder, ".config"))], [[".git"], false])
})

test("in a terminal, init sets an endpoint up where there is none, and leaves trust for later where that is chosen", async (t) => {
  const { folder, repo, file, start, endpoint } = await repository(t)
  const pty = start(["init", "--allow", "read", "--deny", "bash(rm*)", "--max-turns", "5"], {
    TOOLNEXUS_BASE_URL: undefined,
    TOOLNEXUS_MODEL: undefined,
  })
  await enter(pty, "Add an example")
  await enter(pty, "You have no endpoint yet")
  await pty.waitFor("Where is your model?")
  pty.type(KEYS.up)
  await enter(pty, /❯ another address/)
  await pty.waitFor("Its address")
  pty.type(endpoint.baseUrl)
  await enter(pty, endpoint.baseUrl)
  await enter(pty, "How does it speak?")
  await pty.waitFor("The model's name:")
  pty.type("some-model")
  await enter(pty, "some-model")
  await enter(pty, "it needs no key")
  await pty.waitFor(/Write it\?/)
  assert.deepEqual([readdirSync(repo), existsSync(join(folder, ".config"))], [[".git"], false])
  await choose(pty, "2", /> 2\. Write it; toolnexus trust/)
  assert.equal((await pty.exit).code, 0)
  assert.match(pty.scrollback(), /next: .* trust/)
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")).limits, { maxTurns: 5 })
  const own = JSON.parse(readFileSync(join(folder, ".config", "toolnexus", "config.json"), "utf8"))
  assert.deepEqual([own.profile, own.profiles.default.model], ["default", "some-model"])
})

test("in a terminal, a signal while init asks ends it with its own exit code, and writes nothing", async (t) => {
  const { repo, start } = await repository(t)
  const pty = start(["init"])
  await pty.waitFor("Which commands may")
  pty.signal("SIGTERM")
  assert.equal((await pty.exit).code, 143)
  assert.deepEqual(readdirSync(repo), [".git"])
})
