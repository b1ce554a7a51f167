import assert from "node:assert/strict"
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { type ProcessIdentity, thisProcess } from "../../src/journal/process-life.ts"
import { readRunSummary } from "../../src/run/views/run-summary.ts"
import { place } from "./command-line.ts"

const FIXTURES = resolve(import.meta.dirname, "../fixtures/runs/v1")

function placeWith(t: TestContext, name: string) {
  const here = place(t)
  const file = here.path("it.run.jsonl")
  copyFileSync(join(FIXTURES, `${name}.run.jsonl`), file)
  const lines = readFileSync(file, "utf8").trimEnd().split("\n")
  return {
    ...here,
    file,
    lines,
    verify: (...options: string[]) => here.run(["runs", "verify", file, ...options]),
    spoil: (at: number, spoilt: (line: string) => string) =>
      writeFileSync(file, `${lines.map((line, index) => (index === at ? spoilt(line) : line)).join("\n")}\n`),
    heldBy: (by: ProcessIdentity) =>
      writeFileSync(
        `${file}.lock`,
        `{"claim":"n","by":${JSON.stringify(by)},"time":"2026-03-01T09:00:00Z"}\n{"held":"n"}\n`,
      ),
  }
}

/** A process that lives as long as this one. */
const parent = (): ProcessIdentity => {
  const { start: _, ...here } = thisProcess()
  return { ...here, pid: process.ppid }
}
const elsewhere: ProcessIdentity = { pid: 7, host: "elsewhere", machine: "other", boot: "other" }

describe("runs verify", () => {
  it("a sound run: exit 0, with format, lines and what is open, and nothing is changed", async (t) => {
    const { verify, file, lines, read } = placeWith(t, "halted")
    const ran = await verify()
    assert.equal(ran.code, 0)
    assert.match(ran.out, /^format {4}version 1, 14 lines$/m)
    assert.match(ran.out, /^open {6}Which environment\?\n[\s\S]*choices: staging, production\n[\s\S]*\(approval\)/m)
    assert.match(ran.out, /^sound /m)
    assert.equal(read("it.run.jsonl"), `${lines.join("\n")}\n`)
    const { json } = await verify("--output", "json")
    assert.deepEqual([json.file, json.sound, json.version, json.lines, json.open.length], [file, true, 1, 14, 3])
  })
  it("calls in doubt and answers that nothing used yet are told", async (t) => {
    assert.match(
      (await placeWith(t, "in-doubt").verify()).out,
      /^open {6}pay was started.*\n.*pay \{"amount":3\}\n +id: in_doubt:root:1:1:1 /m,
    )
    assert.match((await placeWith(t, "answered").verify()).out, /^answered {2}req_\S+: ok, not used yet$/m)
  })
  it("a torn last line and events of a later release do no harm, and are told", async (t) => {
    const torn = await placeWith(t, "torn").verify()
    assert.deepEqual([torn.code, /^warning .*the last line was cut off/m.test(torn.out)], [0, true])
    const later = await placeWith(t, "unknown-event").verify()
    assert.deepEqual([later.code, /^unknown {3}line 3: weather\.noted/m.test(later.out)], [0, true])
  })
  it("a file that ends before anything was asked for is not said to be sound: a resume of it is refused", async (t) => {
    const { verify, lines, write } = placeWith(t, "halted")
    write("it.run.jsonl", `${lines[0]}\n`)
    const ran = await verify()
    assert.equal(ran.code, 5)
    assert.match(ran.err, /It holds no run: .*; begin it again, in another file$/m)
  })
  it("damage is told with its line: exit 5", async (t) => {
    const damages: [at: number, spoilt: (line: string) => string, told: RegExp][] = [
      [4, (line) => line.slice(0, -5), /^damaged .* at line 5: it is no JSON object/m],
      [
        4,
        (line) => line.replace('"turn":1', '"turn":"1"'),
        /^damaged .* at line 5: call.decided: turn must be a whole number/m,
      ],
      [
        4,
        (line) => `${line}\n${line}`,
        /^damaged .* at line 6: call.decided of the call 1 of turn 1, which is allowed/m,
      ],
      [13, (line) => line.replace('"turns":1', '"turns":-1'), /^damaged .* at line 14: run.halted: turns must be/m],
    ]
    for (const [at, spoilt, told] of damages) {
      const { verify, spoil, read } = placeWith(t, "halted")
      spoil(at, spoilt)
      const before = read("it.run.jsonl")
      const ran = await verify()
      assert.equal(ran.code, 5)
      assert.match(ran.out, told)
      assert.match(ran.out, /^unsound /m)
      assert.equal(read("it.run.jsonl"), before)
      assert.equal((await verify("--output", "json")).json.sound, false)
    }
  })
  it("a transcript that is not balanced is told, naming the call", async (t) => {
    const { verify, spoil, lines } = placeWith(t, "imported")
    const call = { id: "c9", function: { name: "old", arguments: "{}" } }
    const left = JSON.stringify({ role: "assistant", content: null, tool_calls: [call] })
    spoil(1, (line) => line.replace('"messages":[', `"messages":[${left},`))
    const ran = await verify()
    assert.equal(ran.code, 5, `${lines.length}`)
    assert.match(ran.out, /the transcript of root is not balanced: the call c9 \(old\) has no result before message 2/)
  })
  it("a newer format, no run file and no file are refused", async (t) => {
    const { verify, spoil, run } = placeWith(t, "halted")
    spoil(0, (line) => line.replace('"v":1', '"v":2'))
    const newer = await verify()
    assert.deepEqual([newer.code, /it\.run\.jsonl: The run has format version 2/.test(newer.err)], [5, true])
    spoil(0, () => "rubbish")
    assert.equal((await verify()).code, 5)
    assert.equal((await run(["runs", "verify", "nothing.run.jsonl"])).code, 5)
  })
  for (const version of ["0", "-1", "0.5", "1.5", '"1"', "null"]) {
    it(`a file with the version ${version} is no run, for every command and in the list`, async (t) => {
      const { spoil, run, file } = placeWith(t, "finished")
      spoil(0, (line) => line.replace('"v":1', `"v":${version}`))
      for (const argv of [["verify"], ["show"]]) {
        const ran = await run(["runs", ...argv, file])
        assert.deepEqual([ran.code, ran.out], [5, ""])
        assert.match(ran.err, /It holds no run: its first line is not a run\.started event with a version; name a file/)
      }
      assert.equal((await run(["resume", file])).code, 5)
      await assert.rejects(readRunSummary(file), { code: "no_run" })
    })
  }
})

describe("a file in use", () => {
  it("is shown, listed and verified, with who holds it", async (t) => {
    const { run, file, heldBy, verify } = placeWith(t, "halted")
    heldBy(parent())
    const held = new RegExp(`in use +(by )?process ${process.ppid} on .* since 2026-03-01T09:00:00Z`)
    const shown = await run(["runs", "show", file])
    assert.equal(shown.code, 0)
    assert.match(shown.out, held)
    assert.match((await verify()).out, held)
    assert.equal((await run(["runs", "show", file, "--output", "json"])).json.holder.pid, process.ppid)
  })
  it("in the middle of its work is at work, for people and programs alike", async (t) => {
    const { run, file, heldBy } = placeWith(t, "in-doubt")
    const show = ["runs", "show", file]
    assert.equal((await run([...show, "--output", "json"])).json.status, "interrupted")
    heldBy(parent())
    assert.match((await run(show)).out, /^status +at work \(pid \d+\)$/m)
    assert.equal((await run([...show, "--output", "json"])).json.status, "at work")
  })
})

describe("runs unlock", () => {
  it("a holder on another machine is let go of, and the run can be answered then", async (t) => {
    const { run, file, heldBy } = placeWith(t, "halted")
    heldBy(elsewhere)
    const answer = ["answer", file, "--no-input", "--approve"]
    const refused = await run(answer)
    assert.equal(refused.code, 5)
    assert.match(refused.err, /in use by process 7 on elsewhere.*toolnexus runs unlock/)
    const unlocked = await run(["runs", "unlock", file])
    assert.deepEqual([unlocked.code, /was held by process 7 on elsewhere/.test(unlocked.out)], [0, true])
    assert.equal((await run(answer)).code, 0)
  })
  it("a holder that is alive here is never overruled", async (t) => {
    const { run, file, heldBy, read } = placeWith(t, "halted")
    heldBy(parent())
    const before = read("it.run.jsonl.lock")
    const ran = await run(["runs", "unlock", file, "--output", "json"])
    assert.deepEqual([ran.code, ran.json.error.code], [5, "in_use"])
    assert.equal(read("it.run.jsonl.lock"), before)
  })
  it("a file that nobody holds is fine, and says so", async (t) => {
    const { run, file } = placeWith(t, "halted")
    const ran = await run(["runs", "unlock", file])
    assert.deepEqual([ran.code, /is held by nobody/.test(ran.out)], [0, true])
    appendFileSync(`${file}.lock`, "")
    assert.deepEqual((await run(["runs", "unlock", file, "--output", "json"])).json, { file, unlocked: null })
  })
})
