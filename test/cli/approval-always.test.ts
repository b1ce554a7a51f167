import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { promisify } from "node:util"
import { program } from "../support/program.ts"
import { replyCalls, replyText, type Step, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { type Place, place, type Started } from "./command-line.ts"

const bash = (command: string, id = "c1") => ({ id, name: "bash", arguments: { command } })
const CONFIG = join("config", "toolnexus", "config.json")

async function working(t: TestContext, steps: Step[]) {
  const endpoint = await scriptedEndpoint(steps).listen()
  t.after(() => endpoint.close())
  const here = place(t)
  mkdirSync(here.path(join("config", "toolnexus")), { recursive: true })
  const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--file", "a.run.jsonl"]
  return {
    ...here,
    endpoint,
    start: (...more: string[]) => here.start(["run", "x", ...options, ...more]),
    configure: (content: unknown) => here.write(CONFIG, content),
    allowed: (): unknown => JSON.parse(here.read(CONFIG)).permissions?.allow,
    told: (request: number) => endpoint.requests[request]?.body.messages.at(-1).content,
  }
}

async function choose(run: Started, number: number, text = "? Run "): Promise<void> {
  await run.shows(text)
  run.type(String(number))
  run.type("\r")
}

async function send(run: Started, text = ""): Promise<void> {
  await run.shows("\n> ")
  if (text !== "") run.type("\x15") // what stands there is erased
  if (text !== "") run.type(text)
  run.type("\r")
}

/** Until something has come of it. */
async function timeGoesOn(run: Started, until: Promise<void>): Promise<void> {
  let isOver = false
  const over = until.then(() => {
    isOver = true
  })
  while (!isOver) {
    run.pass(25)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await over
}

const [ALWAYS, NOTE] = [3, 6]

describe("always", () => {
  it("saves the rule that was shown beside what the user's configuration holds, and approves the call", async (t) => {
    const before = {
      limits: { maxTurns: 9 },
      permissions: { deny: ["bash(rm*)"], allow: ["read"] },
      profiles: { own: { baseUrl: "http://127.0.0.1:9/v1" } },
    }
    const at = await working(t, [replyCalls([bash("echo one")]), replyText("done")])
    at.configure(before)
    const run = at.start()
    await choose(run, ALWAYS)
    await run.shows("bash for the simple command echo one, with any timeoutMs")
    await run.shows("> bash(echo one)")
    await send(run)
    assert.equal((await run.ran).code, 0)
    assert.deepEqual(JSON.parse(at.read(CONFIG)), {
      ...before,
      permissions: { ...before.permissions, allow: ["read", "bash(echo one)"] },
    })
    assert.match(at.told(1), /^one/)
    assert.match(run.err(), /saved in .*config\.json: allow bash\(echo one\)\n/)
  })
  it("later calls of the run see the rule at once: they are not asked about, and it is said", async (t) => {
    const calls = [replyCalls([bash("echo one")]), replyCalls([bash("echo one", "c2")]), replyText("done")]
    const at = await working(t, calls)
    const run = at.start()
    await choose(run, ALWAYS)
    await send(run)
    assert.equal((await run.ran).code, 0)
    assert.match(run.err(), /^bash echo one: allowed by allow bash\(echo one\) \(user\)$/m)
    assert.match(at.told(2), /^one/)
  })
  it("open questions that the rule covers are answered by it, which is printed and recorded", async (t) => {
    const calls = [bash("echo one"), bash("echo two", "c2"), bash("echo one", "c3")]
    const at = await working(t, [replyCalls(calls), replyText("done")])
    const run = at.start()
    await choose(run, ALWAYS)
    await send(run)
    await run.shows("echo two")
    await choose(run, 1)
    assert.equal((await run.ran).code, 0)
    assert.match(run.err(), /^bash echo one: allowed by allow bash\(echo one\) \(user\)$/m)
    const lines = at.read("a.run.jsonl").trim().split("\n")
    const answered = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === "request.answered")
    assert.deepEqual(
      answered.map(({ by }) => by),
      [undefined, undefined, "allow bash(echo one) (user)"],
    )
  })
  it("a rule with a wildcard is tried and said before it is saved", async (t) => {
    const calls = [replyCalls([bash("echo one")]), replyCalls([bash("echo two", "c2")]), replyText("done")]
    const at = await working(t, calls)
    const run = at.start()
    await choose(run, ALWAYS)
    await send(run, "bash(echo *)")
    await run.shows("every simple command that fits echo *")
    assert.equal(existsSync(at.path(CONFIG)), false)
    await send(run)
    assert.equal((await run.ran).code, 0)
    assert.deepEqual(at.allowed(), ["bash(echo *)"])
    assert.match(at.told(2), /^two/)
  })
  it("no rule is saved for a command that none would allow; the call can be declined all the same", async (t) => {
    const at = await working(t, [replyCalls([bash("echo one; echo two")]), replyText("done")])
    const run = at.start()
    await choose(run, ALWAYS)
    await run.shows("! Not saved: it is not one simple command")
    run.type("\r")
    await run.shows("! Not saved: it is not one simple command")
    run.type("\x1b")
    run.pass(60) // a lone Esc might begin a sequence
    await choose(run, NOTE)
    await send(run, "one at a time")
    assert.equal((await run.ran).code, 0)
    assert.equal(existsSync(at.path(CONFIG)), false)
    assert.match(at.told(1), /^declined[\s\S]*one at a time$/)
  })
  it("a rule for other tools too is not saved", async (t) => {
    const at = await working(t, [replyCalls([bash("echo one")]), replyText("done")])
    const run = at.start()
    await choose(run, ALWAYS)
    await send(run, "*")
    await run.shows("! Not saved: it is for other tools than bash too")
    run.type("\x04") // the field is not empty: it deletes
    run.type("\x03")
    assert.equal((await run.ran).code, 0)
    assert.equal(existsSync(at.path(CONFIG)), false)
  })
  it("a configuration that cannot be written is said, and the person chooses again", async (t) => {
    const at = await working(t, [replyCalls([bash("echo one")]), replyText("done")])
    mkdirSync(at.path(`${CONFIG}.lock`)) // nobody can make that file any more
    const run = at.start()
    await choose(run, ALWAYS)
    await send(run)
    await timeGoesOn(run, run.shows("The rule was not saved:"))
    await run.shows("cannot be changed")
    await choose(run, 1)
    assert.equal((await run.ran).code, 0)
    assert.match(at.told(1), /^one/)
  })
  it("nothing is written into the project's configuration", async (t) => {
    const at = await working(t, [replyCalls([bash("echo one")]), replyText("done")])
    mkdirSync(at.path(".toolnexus"))
    const project = join(".toolnexus", "config.json")
    at.write(project, { limits: { maxTurns: 5 } })
    const before = at.read(project)
    const run = at.start()
    await choose(run, ALWAYS)
    await send(run)
    assert.equal((await run.ran).code, 0)
    assert.equal(at.read(project), before)
    assert.deepEqual(at.allowed(), ["bash(echo one)"])
  })
})

describe("always is not offered", () => {
  const cases: [why: string, prepare: (at: Pick<Place, "path" | "write">) => void, flags?: string[]][] = [
    ["where an ask rule matched", () => {}, ["--ask", "bash(echo*)"]],
    ["where the user's configuration says never", ({ write }) => write(CONFIG, { permissions: { remember: "never" } })],
    [
      "where it says never of the tool",
      ({ write }) => write(CONFIG, { permissions: { remember: { "bash(echo *)": "never" } } }),
    ],
    [
      "where a project says never, trusted or not",
      ({ path, write }) => {
        mkdirSync(path(".toolnexus"))
        write(join(".toolnexus", "config.json"), { permissions: { remember: { bash: "never" } } })
      },
    ],
  ]
  for (const [why, prepare, flags = []] of cases) {
    it(why, async (t) => {
      const at = await working(t, [replyCalls([bash("echo one")]), replyText("done")])
      prepare(at)
      const run = at.start(...flags)
      await choose(run, 4, "3. Edit the arguments")
      assert.equal((await run.ran).code, 0)
    })
  }
  it("but it is for other tools than those that are never remembered", async (t) => {
    const at = await working(t, [replyCalls([bash("echo one")]), replyText("done")])
    at.configure({ permissions: { remember: { edit: "never" } } })
    const run = at.start()
    await choose(run, 5, "3. Always approve")
    assert.equal((await run.ran).code, 0)
  })
  for (const remember of ["sometimes", { bash: "always" }, { "bash(": "never" }, ["bash"]]) {
    it(`a setting that cannot be meant is an error: ${JSON.stringify(remember)}`, async (t) => {
      const at = await working(t, [replyText("done")])
      at.configure({ permissions: { remember } })
      const { code, err } = await at.start().ran
      assert.equal(code, 2)
      assert.match(err, /remember must be never, or an object of rules and never/)
    })
  }
})

describe("what always saves for a file", () => {
  it("is where it lies outside the working folder", async (t) => {
    const elsewhere = place(t)
    const file = elsewhere.write("b.txt", "of elsewhere\n")
    const read = { id: "c1", name: "read", arguments: { path: file } }
    const at = await working(t, [replyCalls([read]), replyText("done")])
    const run = at.start()
    await choose(run, ALWAYS)
    await send(run)
    assert.equal((await run.ran).code, 0)
    assert.deepEqual(at.allowed(), [`read(${file})`])
    assert.match(at.told(1), /of elsewhere/)
  })
  it("is the file's own path, absolute: the rule is for every folder", async (t) => {
    const write = { id: "c1", name: "write", arguments: { path: "a.txt", content: "hello\n" } }
    const at = await working(t, [replyCalls([write]), replyText("done")])
    const run = at.start()
    await choose(run, ALWAYS)
    await send(run)
    assert.equal((await run.ran).code, 0)
    assert.deepEqual(at.allowed(), [`write(${at.path("a.txt")})`])
    assert.equal(at.read("a.txt"), "hello\n")
  })
})

it("of several processes that save at once none loses a rule of another's", async (t) => {
  const here = place(t)
  const folder = here.path(join("config", "toolnexus"))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "config.json"), JSON.stringify({ limits: { maxTurns: 3 } }), { mode: 0o640 })
  const code = `
    import { saveRule } from "./src/cli/answers/saved-rules.ts"
    import { systemClock } from "./src/event/system-clock.ts"
    const [home, name] = process.argv.slice(2)
    const io = { env: { XDG_CONFIG_HOME: home }, platform: "linux", homeDir: home, clock: systemClock }
    for (let at = 0; at < 5; at++) await saveRule(\`bash(echo \${name} \${at})\`, io)
  `
  const file = program({ code })
  const names = ["a", "b", "c", "d"]
  const run = promisify(execFile)
  await Promise.all(names.map((name) => run(process.execPath, [file, here.path("config"), name])))
  const { limits, permissions } = JSON.parse(here.read(CONFIG))
  const expected = names.flatMap((name) => [0, 1, 2, 3, 4].map((at) => `bash(echo ${name} ${at})`))
  assert.deepEqual([...permissions.allow].sort(), expected.sort())
  assert.deepEqual(limits, { maxTurns: 3 })
  assert.equal(statSync(join(folder, "config.json")).mode & 0o777, 0o640)
  assert.deepEqual(readdirSync(folder), ["config.json"])
})
