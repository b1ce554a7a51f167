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
import { statePlace } from "../../../src/cli/place.ts"
import { isRememberedFile, type RememberedRun, stateFolder } from "../../../src/cli/state-folder.ts"

const uid = process.getuid?.()
let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "toolnexus-state-"))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function folder(path = join(dir, "state")) {
  return stateFolder({ path, named: "by default" }, uid)
}

function runIn(file: string, runId = "run_1"): Omit<RememberedRun, "inode"> {
  writeFileSync(file, "{}\n")
  const rules = { allow: [], ask: [], deny: ["bash(rm*)"] }
  return {
    runId,
    file,
    made: "here",
    endpoint: { kind: "demo" },
    tools: [],
    relay: [],
    builtins: true,
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
    assert.equal(folder().all().length, 1)
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
