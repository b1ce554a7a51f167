import assert from "node:assert/strict"
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, it } from "node:test"
import { statePlace } from "../../../../src/cli/configuration/place.ts"
import type { RememberedRun } from "../../../../src/cli/state/remembered-run.ts"
import { isRememberedFile, stateFolder } from "../../../../src/cli/state/state-folder.ts"

const uid = process.getuid?.()
let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "toolnexus-state-"))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function folder(path = join(dir, "state")) {
  return stateFolder({ path, named: "by default" }, uid)
}

function runIn(file: string, runId = "run_1"): Omit<RememberedRun, "identity"> {
  writeFileSync(file, "{}\n")
  const rules = { allow: [], ask: [], deny: ["bash(rm*)"] }
  return {
    runId,
    file,
    made: "here",
    endpoint: { kind: "demo" },
    tools: [],
    relay: [],
    mcp: [],
    skills: [],
    builtins: true,
    seals: {},
    rules,
    cwd: dir,
  }
}

describe("the state folder", () => {
  it("is TOOLNEXUS_STATE_DIR, else XDG_STATE_HOME, else the platform's own", () => {
    const place = { platform: "linux", homeDir: "/home/u" } as const
    assert.equal(statePlace({ ...place, env: { TOOLNEXUS_STATE_DIR: "/x", XDG_STATE_HOME: "/y" } }).path, "/x")
    assert.equal(statePlace({ ...place, env: { XDG_STATE_HOME: "/y" } }).path, "/y/toolnexus")
    assert.equal(statePlace({ ...place, env: {} }).path, "/home/u/.local/state/toolnexus")
  })
  it("is not made by looking into it", () => {
    assert.equal(folder().recall("run_1"), undefined)
    assert.deepEqual(folder().runFiles(), [])
    assert.deepEqual(readdirSync(dir), [])
  })
  it("is made for its user alone, and what is remembered is readable by nobody else", () => {
    folder().remember(runIn(join(dir, "a.run.jsonl")))
    assert.equal(statSync(join(dir, "state")).mode & 0o777, 0o700)
    assert.equal(statSync(join(dir, "state", "known", "run_1.json")).mode & 0o777, 0o600)
  })
  it("gives back what was remembered, by run id", () => {
    folder().remember(runIn(join(dir, "a.run.jsonl")))
    assert.deepEqual(folder().recall("run_1")?.rules.deny, ["bash(rm*)"])
    assert.equal(folder().recall("run_2"), undefined)
    assert.equal(folder().all(assert.ifError).length, 1)
  })
  it("makes no path of an id that a file from elsewhere chose", () => {
    writeFileSync(join(dir, "evil.json"), "{}")
    for (const id of ["../../evil", "a/b", "", ".", "x\0"]) assert.equal(folder().recall(id), undefined)
  })
  it("knows a file that was moved, and does not know a copy", () => {
    const [file, moved, copy] = ["a", "b", "c"].map((name) => join(dir, `${name}.run.jsonl`)) as [
      string,
      string,
      string,
    ]
    folder().remember(runIn(file))
    const run = folder().recall("run_1") as RememberedRun
    copyFileSync(file, copy)
    renameSync(file, moved)
    assert.equal(isRememberedFile(run, moved), true)
    assert.equal(isRememberedFile(run, copy), false)
  })
  it("does not know a forged copy that was moved to its place", () => {
    const [file, forged] = [join(dir, "a.run.jsonl"), join(dir, "b")]
    folder().remember(runIn(file))
    const run = folder().recall("run_1") as RememberedRun
    copyFileSync(file, forged)
    renameSync(forged, file)
    assert.equal(isRememberedFile(run, file), false)
  })
  it("does not know a new file that got the number of a removed one, also where it was remembered at its birth", () => {
    for (let round = 0; round < 20; round++) {
      const file = join(dir, `${round}.run.jsonl`)
      folder().remember(runIn(file))
      const run = folder().recall("run_1") as RememberedRun
      rmSync(file)
      writeFileSync(file, "forged\n")
      assert.equal(isRememberedFile(run, file), false)
    }
  })
  it("knows what was named for a run from elsewhere in its own file, moved too, and not in another", () => {
    const [file, other, moved] = ["a", "b", "c"].map((name) => join(dir, name)) as [string, string, string]
    for (const runId of ["run_1", "../../x"]) {
      folder().remember({ ...runIn(file, runId), made: "elsewhere", tools: ["/t.mjs"] })
      writeFileSync(other, "{}\n")
      assert.equal(folder().recall(runId), undefined)
      assert.equal(folder().recallElsewhere(runId, other), undefined)
      renameSync(file, moved)
      assert.deepEqual(folder().recallElsewhere(runId, moved)?.tools, ["/t.mjs"])
    }
    assert.deepEqual(readdirSync(dir).sort(), ["b", "c", "state"])
  })
  it("that is a file is told as that, not as one that cannot be made", () => {
    writeFileSync(join(dir, "file"), "x")
    for (const named of ["by the user", "by default"] as const)
      assert.throws(
        () => stateFolder({ path: join(dir, "file"), named }, uid).newRunFile(0),
        /file is no folder: .*TOOLNEXUS_STATE_DIR/,
      )
    assert.throws(
      () => folder(join(dir, "file", "in it")).newRunFile(0),
      /cannot be made \(a part of its path is no folder\)/,
    )
  })
  it("gives what can be read, and tells what cannot", () => {
    folder().remember(runIn(join(dir, "a.run.jsonl")))
    folder().remember(runIn(join(dir, "b.run.jsonl"), "run_2"))
    writeFileSync(join(dir, "state", "known", "run_3.json"), "{", { mode: 0o600 })
    mkdirSync(join(dir, "state", "known", "run_4.json"))
    chmodSync(join(dir, "state", "known", "run_2.json"), 0o666)
    const problems: string[] = []
    const runs = folder().all((problem) => problems.push((problem as Error).message))
    assert.deepEqual(
      runs.map(({ runId }) => runId),
      ["run_1"],
    )
    assert.equal(problems.length, 3, problems.join("\n"))
  })
  it("is refused where it is a link, or others can write into it", () => {
    mkdirSync(join(dir, "real"), { mode: 0o700 })
    symlinkSync(join(dir, "real"), join(dir, "link"))
    assert.throws(() => folder(join(dir, "link")).newRunFile(0), /symbolic link.*TOOLNEXUS_STATE_DIR/)
    chmodSync(join(dir, "real"), 0o777)
    assert.throws(() => folder(join(dir, "real")).newRunFile(0), /can be written by other users/)
  })
  it("that the user named is left as it is", () => {
    const named = join(dir, "named")
    mkdirSync(named)
    chmodSync(named, 0o775)
    stateFolder({ path: named, named: "by the user" }, uid).remember(runIn(join(dir, "a.run.jsonl")))
    assert.equal(statSync(named).mode & 0o777, 0o775)
  })
  it("refuses an entry that is a link, that others can write, or that belongs to another user", () => {
    folder().remember(runIn(join(dir, "a.run.jsonl")))
    const entry = join(dir, "state", "known", "run_1.json")
    chmodSync(entry, 0o666)
    assert.throws(() => folder().recall("run_1"), /can be written by other users/)
    chmodSync(entry, 0o600)
    const other = stateFolder({ path: join(dir, "state"), named: "by the user" }, (uid ?? 0) + 1)
    assert.throws(() => other.recall("run_1"), /belongs to another user/)
    writeFileSync(join(dir, "elsewhere.json"), readFileSync(entry), { mode: 0o600 })
    rmSync(entry)
    symlinkSync(join(dir, "elsewhere.json"), entry)
    assert.throws(() => folder().recall("run_1"), /cannot be read/)
  })
  it("refuses an entry that is cut or holds something else", () => {
    folder().remember(runIn(join(dir, "a.run.jsonl")))
    const entry = join(dir, "state", "known", "run_1.json")
    for (const text of ["{", "{}", "[]", '{"runId":"run_1"}']) {
      writeFileSync(entry, text)
      assert.throws(() => folder().recall("run_1"), /is not JSON|does not hold/)
    }
  })
  it("names no run file twice, and the names sort by time", () => {
    const [a, b] = [folder().newRunFile(0), folder().newRunFile(1000)]
    assert.match(a, /1970-01-01T000000-[0-9a-f]{6}\.run\.jsonl$/)
    assert.ok(a < b)
  })
})
