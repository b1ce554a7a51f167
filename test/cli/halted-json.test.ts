import assert from "node:assert/strict"
import { copyFileSync, existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { describe, it, type TestContext } from "node:test"
import { readRun } from "../../src/index.ts"
import { replyCalls, replyText, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import type { ScriptedCall } from "../support/scripted-reply.ts"
import { place, TOOLS } from "./command-line.ts"

const deploys = (...services: string[]): ScriptedCall[] =>
  services.map((service) => ({ id: `c_${service}`, name: "deploy", arguments: { service } }))

/** `halted.json`: a run of another place that waits for an answer to each of its calls, as `JSON.stringify` gives it. */
async function jsonPlace(t: TestContext, { services = ["api"], style = "openai" } = {}) {
  const endpoint = await scriptedEndpoint([replyCalls(deploys(...services)), replyText("It is deployed.")]).listen()
  t.after(() => endpoint.close())
  const here = place(t)
  here.write("tools.mjs", TOOLS)
  const options = ["--base-url", endpoint.baseUrl, "--style", style, "--model", "m", "--tools", "tools.mjs"]
  mkdirSync(here.path("there"))
  await here.run(["run", "deploy it", ...options, "--file", "there/first.run.jsonl"], {
    env: { TOOLNEXUS_STATE_DIR: here.path("there/state") },
  })
  const { result } = await readRun(here.path("there/first.run.jsonl"))
  here.write("halted.json", result)
  const resume = (...more: string[]) => here.run(["resume", "halted.json", ...options, "--no-input", ...more])
  const runFiles = () => readdirSync(here.dir).filter((name) => name.startsWith("halted.run.jsonl"))
  return { ...here, endpoint, options, result, resume, runFiles, beside: here.path("halted.run.jsonl") }
}

for (const style of ["openai", "anthropic"]) {
  describe(`resume of a halted result as plain JSON, ${style}`, () => {
    it("without an answer: the file that the last line names is there, and the line run as it stands goes on", async (t) => {
      const { resume, run, beside } = await jsonPlace(t, { style })
      const halted = await resume("--output", "json")
      assert.deepEqual([halted.code, halted.json.file, halted.json.status], [3, beside, "pending"])
      assert.equal(halted.lastLine, "toolnexus resume halted.run.jsonl")
      assert.ok(existsSync(beside))
      const again = await run(["resume", "halted.run.jsonl", "--no-input"])
      assert.deepEqual([again.code, again.lastLine], [3, halted.lastLine])
      const done = await run(["resume", "halted.run.jsonl", "--answer", "staging"])
      assert.deepEqual([done.code, done.out], [0, "It is deployed.\n"], done.err)
    })
    it("of several open requests one is answered now, one by answer, the last by the JSON's name", async (t) => {
      const { resume, run, result, endpoint } = await jsonPlace(t, { style, services: ["api", "web", "db"] })
      const [first, second, third] = (result.suspended ?? []).map(({ id }) => id)
      assert.equal((await resume()).code, 3)
      assert.equal((await resume("--answer", `${first}=one`)).code, 3)
      assert.equal((await run(["answer", "halted.run.jsonl", "--answer", `${second}=two`])).code, 0)
      const done = await resume("--answer", `${third}=three`, "--accept-recorded")
      assert.deepEqual([done.code, done.out], [0, "It is deployed.\n"], done.err)
      const sent = JSON.stringify(endpoint.requests.at(-1)?.body.messages)
      for (const text of ["deployed api to one", "deployed web to two", "deployed db to three"])
        assert.ok(sent.includes(text), sent)
      assert.equal(endpoint.requests.length, 2)
    })
    it("whose run id is no text is refused in one line", async (t) => {
      const { resume, run, write, result, runFiles } = await jsonPlace(t, { style })
      write("halted.json", { ...result, runId: true })
      for (const ran of [await resume(), await run(["answer", "halted.json", "--answer", "x"])]) {
        assert.equal(ran.code, 5)
        assert.match(
          ran.err,
          /^toolnexus: halted\.json is no halted run: its runId is no text; give the whole RunResult as it was$/m,
        )
      }
      assert.deepEqual(runFiles(), [])
    })
    it("that is refused makes no file, and leaves no lock file either", async (t) => {
      const { resume, run, runFiles } = await jsonPlace(t, { style })
      assert.equal((await resume("--answer", "other=x")).code, 5)
      assert.equal((await run(["resume", "halted.json", "--answer", "x", "--no-input"])).code, 2)
      assert.deepEqual(runFiles(), [])
    })
  })
}

describe("a file beside the JSON that a process left while it began", () => {
  const firstLines = (text: string, count: number) => `${text.split("\n").slice(0, count).join("\n")}\n`
  for (const [where, cut] of [
    ["after its first line", (text: string) => firstLines(text, 1)],
    ["before that line's end", (text: string) => firstLines(text, 1).trimEnd()],
    ["in its second line", (text: string) => firstLines(text, 2).slice(0, -30)],
  ] as const) {
    it(`cut off ${where}: the same run goes on in it, and nothing whole is taken away`, async (t) => {
      for (const style of ["openai", "anthropic"]) {
        const { resume, run, read, write, result, endpoint } = await jsonPlace(t, { style, services: ["api", "web"] })
        const [first, second] = (result.suspended ?? []).map(({ id }) => id)
        assert.equal((await resume("--answer", `${first}=one`)).code, 3)
        const left = cut(read("halted.run.jsonl"))
        write("halted.run.jsonl", left)
        assert.equal((await resume("--answer", "other=x")).code, 5)
        assert.equal(read("halted.run.jsonl"), left)
        const halted = await resume("--answer", `${first}=one`, "--output", "json")
        assert.deepEqual([halted.code, halted.json.runId], [3, result.runId], halted.err)
        assert.ok(read("halted.run.jsonl").startsWith(firstLines(left, 1)))
        const done = await run(["resume", "halted.run.jsonl", "--answer", `${second}=two`])
        assert.deepEqual([done.code, done.out], [0, "It is deployed.\n"], done.err)
        assert.equal(endpoint.requests.length, 2)
      }
    })
  }
  it("alone, it is no run: to resume it is refused and says nothing of done", async (t) => {
    const { resume, run, read, write, options } = await jsonPlace(t)
    await resume()
    const left = firstLines(read("halted.run.jsonl"), 1)
    write("halted.run.jsonl", left)
    const ran = await run(["resume", "halted.run.jsonl", ...options, "--output", "json"])
    assert.deepEqual([ran.code, ran.json.status, ran.json.error.code], [5, "failed", "no_run"])
    assert.match(ran.err, /It holds no run: .*; begin it again, in another file\n$/)
    assert.equal(read("halted.run.jsonl"), left)
  })
  for (const bytes of [1, 10, 22, 60]) {
    it(`cut off after ${bytes} bytes: it is begun anew, with a warning`, async (t) => {
      const { resume, beside, write } = await jsonPlace(t)
      const whole = '{"type":"run.started","at":"2026-03-01T09:00:05.000Z","v":1,"runId":"run_x","model":"m"'
      write("halted.run.jsonl", whole.slice(0, bytes))
      const ran = await resume("--answer", "staging")
      assert.deepEqual([ran.code, ran.out], [0, "It is deployed.\n"], ran.err)
      assert.match(
        ran.err,
        new RegExp(`its first line was cut off .*\\(${bytes} bytes\\), so nothing of a run is in it`),
      )
      assert.equal((await readRun(beside)).status, "done")
    })
  }
  it("an answer that does not fit leaves it as it is", async (t) => {
    const { resume, read, write } = await jsonPlace(t)
    write("halted.run.jsonl", '{"type":"run.st')
    assert.equal((await resume("--answer", "other=x")).code, 5)
    assert.equal(read("halted.run.jsonl"), '{"type":"run.st')
  })
  it("what has a whole line, or is something else, is never begun anew", async (t) => {
    const { resume, read, write } = await jsonPlace(t)
    const others = [
      '{"type":"run.started","v":1}',
      '{"type":"run.started"\n',
      '{"name":"precious',
      "precious",
      "\0\0\0",
    ]
    for (const content of others) {
      write("halted.run.jsonl", content)
      const ran = await resume("--answer", "staging")
      assert.equal(ran.code, 5, content)
      assert.equal(read("halted.run.jsonl"), content)
    }
  })
})

describe("a halted result as JSON that is not as it was written", () => {
  it("with a byte order mark, or broken into lines, it is resumed all the same", async (t) => {
    for (const text of [
      (value: unknown) => `\uFEFF${JSON.stringify(value)}`,
      (value: unknown) => JSON.stringify(value, null, 2),
    ]) {
      const { resume, write, result } = await jsonPlace(t)
      write("halted.json", text(result))
      const ran = await resume("--answer", "staging")
      assert.deepEqual([ran.code, ran.out], [0, "It is deployed.\n"], ran.err)
    }
  })
  it("cut off, it is said to be just that, by every command, and nobody is told that nothing is lost with it", async (t) => {
    const { run, write, read, result, options } = await jsonPlace(t)
    for (const text of [JSON.stringify(result), JSON.stringify(result, null, 2), `\uFEFF${JSON.stringify(result)}`]) {
      const cut = text.slice(0, text.length - 40)
      write("halted.json", cut)
      for (const argv of [
        ["resume", "halted.json", ...options],
        ["answer", "halted.json"],
        ["runs", "show", "halted.json"],
        ["runs", "verify", "halted.json"],
      ]) {
        const ran = await run(argv)
        assert.equal(ran.code, 5)
        assert.match(
          ran.err,
          /^toolnexus: halted\.json is JSON that is cut off or broken \(line \d+, column \d+: [^)]+\): nothing was changed, give a whole copy of it\n$/,
        )
      }
      assert.equal(read("halted.json"), cut)
    }
  })
})

describe("a run file beside the JSON that is of another run", () => {
  it("is not gone on with: both are named, and an approval given for the one runs nothing of the other", async (t) => {
    const { resume, run, write, read, path, result, endpoint } = await jsonPlace(t)
    const { runId } = await readRun(path("there/first.run.jsonl"))
    write("halted.run.jsonl", read("there/first.run.jsonl").replaceAll(runId, "run_other"))
    const before = read("halted.run.jsonl")
    for (const ran of [
      await resume("--answer", "staging"),
      await resume(),
      await run(["answer", "halted.json", "--answer", "x"]),
      await run(["runs", "show", "halted.json"]),
    ]) {
      assert.equal(ran.code, 5)
      assert.ok(
        ran.err.includes(
          `halted.json is of ${result.runId}, and halted.run.jsonl beside it of another run, run_other: move one of them to another folder`,
        ),
        ran.err,
      )
    }
    assert.equal(read("halted.run.jsonl"), before)
    assert.equal(endpoint.requests.length, 1)
  })
  it("where the JSON has no run id, the run that is gone on with is named", async (t) => {
    const { resume, run, write, path, result } = await jsonPlace(t)
    const { runId, ...bare } = result
    copyFileSync(path("there/first.run.jsonl"), path("halted.run.jsonl"))
    write("halted.json", bare)
    const said = `halted.json has no run id: what counts is halted.run.jsonl beside it, the run ${runId}`
    assert.ok((await run(["answer", "halted.json", "--no-input"])).err.includes(said))
    const ran = await resume("--answer", "staging")
    assert.deepEqual([ran.code, ran.err.includes(said)], [0, true], ran.err)
  })
})

describe("what lies where the run of the JSON would go on", () => {
  const odd: [string, (path: string) => void, RegExp][] = [
    ["a link to nothing", (path) => symlinkSync("nothing", path), /that is a link that leads to no file/],
    ["a link to itself", (path) => symlinkSync("halted.run.jsonl", path), /that is a link that leads to no file/],
    ["a folder", (path) => mkdirSync(path), /that is a folder/],
  ]
  for (const [what, make, fact] of odd) {
    it(`${what} is named, with what to do about it`, async (t) => {
      const { resume, beside } = await jsonPlace(t)
      make(beside)
      const ran = await resume("--answer", "staging")
      assert.equal(ran.code, 5)
      assert.match(
        ran.err,
        /^toolnexus: halted\.json goes on in halted\.run\.jsonl, and .*: move it away and resume\n$/,
      )
      assert.match(ran.err, fact)
    })
  }
})
