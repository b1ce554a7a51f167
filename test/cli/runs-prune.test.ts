import assert from "node:assert/strict"
import {
  appendFileSync,
  chownSync,
  existsSync,
  lstatSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { thisProcess } from "../../src/journal/process-life.ts"
import { place } from "./command-line.ts"
import { elsewhere, hold, type PutFile, type PutStatus, parent, placeWithRuns } from "./kept-runs.ts"

const isThere = ({ file }: PutFile) => existsSync(file)
const STATUSES: PutStatus[] = ["done", "failed", "pending", "incomplete", "interrupted"]

describe("runs prune --yes", () => {
  it("deletes what is done and has not changed for 30 days, with its lock file and what is remembered of it, and no more", async (t) => {
    const { prune, put, held } = placeWithRuns(t)
    const old = [put(), put({ days: 31, remembers: "nothing" })]
    writeFileSync(`${old[0]?.file}.lock`, "")
    const others = STATUSES.filter((it) => it !== "done").map((status) => put({ status, days: 400 }))
    const young = put({ days: 29 })
    const before = held()
    const ran = await prune(["--yes"])
    assert.equal(ran.code, 0)
    assert.match(ran.out, /^ID +STATUS +AGE +SIZE +PROMPT\n[0-9a-f]{8} +done +40d +[\d.]+ KiB +tidy up$/m)
    assert.match(ran.out, /^deleted: 2 runs, \d+ KiB$/m)
    assert.match(ran.err, /^kept: 1 run, changed in the last 30d$/m)
    assert.match(ran.err, /^kept: 4 runs, failed, incomplete, interrupted, pending: --status LIST or --all/m)
    for (const { file, entry } of old) for (const path of [file, `${file}.lock`, entry]) delete before[path]
    assert.deepEqual(held(), before)
    assert.ok([...others, young].every(isThere))
  })
  it("takes another age, other statuses, or all of them", async (t) => {
    for (const status of STATUSES) {
      const { prune, put, held } = placeWithRuns(t)
      const runs = STATUSES.map((it) => put({ status: it, days: 2 }))
      assert.equal((await prune(["--yes", "--status", status])).out, "")
      assert.equal((await prune(["--yes", "--status", status, "--older-than", "36h"])).code, 0)
      assert.deepEqual(
        runs.map(isThere),
        STATUSES.map((it) => it !== status),
      )
      assert.equal((await prune(["--yes", "--older-than", "1d12h", "--all"])).code, 0)
      assert.deepEqual(held(), {})
    }
    const { prune, put } = placeWithRuns(t)
    const runs = STATUSES.map((it) => put({ status: it }))
    assert.equal((await prune(["--yes", "--status", "failed,pending", "--status", "done"])).code, 0)
    assert.deepEqual(runs.map(isThere), [false, false, false, true, true])
  })
  it("keeps a run that a process has open, here or elsewhere, and names it", async (t) => {
    const { prune, put, held } = placeWithRuns(t)
    for (const by of [parent(), elsewhere]) hold(put().file, by)
    const before = held()
    const ran = await prune(["--yes", "--all"])
    assert.equal(ran.code, 0)
    assert.match(ran.err, new RegExp(`^kept: \\S+ is in use by process ${process.ppid} on `, "m"))
    assert.match(
      ran.err,
      /^kept: \S+ is in use by process 7 on elsewhere since \S+Z: if it .* toolnexus runs unlock \S+$/m,
    )
    assert.deepEqual(held(), before)
  })
  it("deletes a run whose process has died", async (t) => {
    const { prune, put, held } = placeWithRuns(t)
    hold(put({ status: "interrupted" }).file, { ...thisProcess(), pid: 2 ** 22 + 1 })
    assert.equal((await prune(["--yes", "--status", "interrupted"])).code, 0)
    assert.deepEqual(held(), {})
  })
  it("keeps what cannot be read, and names it: empty, damaged, newer, of a later release's events", async (t) => {
    const { prune, put, held, read } = placeWithRuns(t)
    const spoilt: [spoil: (text: string) => string, told: RegExp][] = [
      [() => "", /it is empty/],
      [(text) => text.replace("\n", "\nrubbish\n"), /is damaged at line 2/],
      [(text) => text.replace('"v":1', '"v":2'), /format version 2/],
      [(text) => text.replace("\n", '\n{"type":"x.y","at":"2026-01-01T00:00:00Z","must":true}\n'), /x\.y/],
    ]
    for (const [spoil] of spoilt) {
      const { file } = put()
      writeFileSync(file, spoil(read(file.slice(file.indexOf("state")))))
    }
    const before = held()
    const ran = await prune(["--yes", "--all"])
    assert.equal(ran.code, 0)
    for (const [, told] of spoilt) assert.match(ran.err, new RegExp(`^kept: .*${told.source}`, "m"))
    assert.deepEqual(
      Object.keys(held()).filter((it) => it.endsWith(".jsonl")),
      Object.keys(before).filter((it) => it.endsWith(".jsonl")),
    )
  })
  it("keeps what cannot be read in the middle, though its end says that it is done", async (t) => {
    for (const [line, told] of [
      ["rubbish", /^nothing is deleted\nkept: .* is damaged at line 6/m],
      ['{"type":"x.y","at":"2026-01-01T00:00:00Z","must":true}', /^nothing is deleted\nkept: .*x\.y/m],
    ] as const) {
      const { prune, put, read } = placeWithRuns(t)
      const { file, entry } = put()
      const lines = read(file.slice(file.indexOf("state")))
        .trimEnd()
        .split("\n")
      const last = JSON.parse(lines.at(-1) ?? "")
      lines.splice(-1, 1, JSON.stringify({ ...last, prompt: "tidy up" }))
      writeFileSync(file, `${lines.toSpliced(5, 0, line).join("\n")}\n`)
      const ran = await prune(["--yes"])
      assert.deepEqual([ran.code, existsSync(file), existsSync(entry)], [0, true, true])
      assert.match(ran.err, told)
    }
  })
  it("deletes nothing through a link, nothing that another user owns, and nothing under a name of a person's", async (t) => {
    const { prune, put, runs, path } = placeWithRuns(t)
    const [outside, mine, theirs] = [put({ file: path("out.run.jsonl") }), put(), put()]
    const link = join(runs, "2026-01-01T000000-abcdef.run.jsonl")
    symlinkSync(outside.file, link)
    const named = join(runs, "deploy.run.jsonl")
    renameSync(mine.file, named) // what is remembered of it is of use there
    const asRoot = process.getuid?.() === 0
    if (asRoot) chownSync(theirs.file, 65534, 65534)
    else rmSync(theirs.file)
    const ran = await prune(["--yes", "--all"])
    assert.equal(ran.code, 0)
    assert.deepEqual(
      [outside.file, link, named].map((it) => lstatSync(it).isFile()),
      [true, false, true],
    )
    assert.match(ran.err, /^kept: \S+abcdef\.run\.jsonl: it is a symbolic link$/m)
    assert.match(ran.err, /^kept: \S+deploy\.run\.jsonl: its name is not one that toolnexus gives$/m)
    if (asRoot) assert.match(ran.err, /^kept: \S+: it belongs to another user \(65534\)$/m)
    assert.deepEqual([existsSync(theirs.file), existsSync(mine.entry)], [asRoot, true])
  })
  it("forgets a run whose file is gone, and says so, but not one that was moved to its new place, nor a recent one", async (t) => {
    const { prune, put, known, runs, path } = placeWithRuns(t)
    const [gone, moved, recent, outside] = [
      put(),
      put({ days: 3 }),
      put({ days: 3 }),
      put({ file: path("o.run.jsonl") }),
    ]
    for (const { file } of [gone, recent, outside]) rmSync(file)
    writeFileSync(`${gone.file}.lock`, "")
    renameSync(moved.file, join(runs, "2026-01-01T000000-abcdef.run.jsonl"))
    utimesSync(moved.entry, new Date(0), new Date(0))
    const ran = await prune(["--yes"])
    assert.equal(ran.code, 0)
    assert.match(
      ran.out,
      /^remembered, though the file is gone:\n[0-9a-f]{8} {2}\S+run\.jsonl\n[0-9a-f]{8} {2}\S+run\.jsonl$/m,
    )
    assert.match(ran.out, /^deleted: what is remembered of 2 runs whose files are gone, \d+ bytes|KiB$/m)
    assert.deepEqual(readdirSync(known).sort(), [moved, recent].map(({ runId }) => `${runId}.json`).sort())
    assert.equal(existsSync(`${gone.file}.lock`), false)
  })
  it("says of an entry that cannot be used that it is not, and keeps it", async (t) => {
    const { prune, put, known } = placeWithRuns(t)
    put()
    writeFileSync(join(known, "run_x.json"), "{", { mode: 0o600 })
    const ran = await prune(["--yes"])
    assert.deepEqual([ran.code, readdirSync(known)], [0, ["run_x.json"]])
    assert.match(ran.err, /what is remembered of a run is not used: \S+run_x\.json/)
  })
  it("shows what a run file says so that no terminal obeys it", async (t) => {
    const { prune, put } = placeWithRuns(t)
    put({ prompt: "\x1b[2Jhi\u202E\ndeleted: 9 runs" })
    const ran = await prune(["--yes"], { streamsAreTerminals: true })
    assert.match(ran.out, /done +40d +\S+ KiB +<U\+001B>\[2Jhi<U\+202E> deleted: 9 runs$/m)
    assert.doesNotMatch(ran.out, /\x1b|\u202E/)
  })
  it("makes no state folder, and has nothing to delete in one that is not there", async (t) => {
    const { run, dir } = place(t)
    const ran = await run(["runs", "prune", "--yes"])
    assert.deepEqual([ran.code, ran.out, ran.err], [0, "", "there is nothing to delete\n"])
    assert.deepEqual(readdirSync(dir), [])
  })
})

describe("runs prune ID and runs prune FILE", () => {
  it("delete what is named, whatever its age and status", async (t) => {
    const { prune, put, held } = placeWithRuns(t)
    const [byId, byFile, lost, other] = [
      put({ status: "pending", days: 0 }),
      put({ status: "interrupted", days: 1, remembers: "nothing" }),
      put({ days: 0 }),
      put({ days: 99 }),
    ]
    rmSync(lost.file)
    const ran = await prune(["--yes", byId.runId.slice(4, 12), byFile.file, lost.runId])
    assert.equal(ran.code, 0, ran.err)
    assert.match(ran.out, /asks: Which environment\?/)
    assert.match(ran.out, /^deleted: 2 runs and what is remembered of 1 run whose file is gone, /m)
    assert.deepEqual(Object.keys(held()).sort(), [other.file, other.entry].sort())
  })
  it("are refused, all of them, where one is nothing to delete", async (t) => {
    const { prune, put, held, path, runs } = placeWithRuns(t)
    const [fine, outside, used, damaged] = [put(), put({ file: path("mine.run.jsonl") }), put(), put()]
    hold(used.file, parent())
    appendFileSync(damaged.file, "rubbish\n{}\n")
    const link = join(runs, "2026-01-01T000000-abcdef.run.jsonl")
    symlinkSync(outside.file, link)
    const before = held()
    const cases: [named: string[], code: number, told: RegExp][] = [
      [["run_nothing"], 5, /run_nothing is no run that was made here: name the id of one that toolnexus runs lists/],
      [
        ["mine.run.jsonl"],
        2,
        /mine\.run\.jsonl is not deleted: \S+: toolnexus did not give it its place: remove it yourself/,
      ],
      [[outside.runId], 2, /is not deleted: \S+mine\.run\.jsonl: .*remove it yourself/],
      [[link], 2, /it is a symbolic link/],
      [[used.runId], 5, /in use by process \d+/],
      [[damaged.file], 5, /is damaged at line/],
      [["--all"], 2, /leave --older-than, --status and --all out/],
      [["--older-than", "3d"], 2, /leave --older-than/],
    ]
    for (const [named, code, told] of cases) {
      const ran = await prune(["--yes", fine.runId, ...named])
      assert.equal(ran.code, code, `${named}: ${ran.err}`)
      assert.match(ran.err, told)
      assert.equal(ran.err.trimEnd().split("\n").length, 1, ran.err)
      assert.deepEqual(held(), before)
    }
    assert.equal((await prune(["--yes", fine.runId, "--output", "json", "run_nothing"])).json.error.code, "no_run")
  })
})

describe("runs prune --output json", () => {
  it("says what was deleted and what was kept, and why", async (t) => {
    const { prune, put } = placeWithRuns(t)
    const [old, young, pending, used, lost] = [put(), put({ days: 1 }), put({ status: "pending" }), put(), put()]
    hold(used.file, parent())
    rmSync(lost.file)
    const listed = await prune(["--output", "json"])
    assert.deepEqual([listed.code, listed.json.status, listed.json.runs[0].deleted], [3, "pending", false])
    const { json } = await prune(["--output", "json", "--yes"])
    assert.equal(json.status, "deleted")
    assert.deepEqual(
      json.runs.map((it: Record<string, unknown>) => [it.runId, it.status, it.prompt, it.deleted]),
      [[old.runId, "done", "tidy up", true]],
    )
    assert.deepEqual(
      json.remembered.map((it: { runId: string }) => it.runId),
      [lost.runId],
    )
    const kept = Object.fromEntries(json.kept.map((it: { runId: string; why: string }) => [it.runId, it.why]))
    assert.deepEqual(kept, { [young.runId]: "young", [pending.runId]: "status", [used.runId]: "in use" })
    assert.ok(json.freedBytes > json.runs[0].bytes && json.runs[0].bytes > 1000)
  })
  it("is a line for each with jsonl", async (t) => {
    const { prune, put } = placeWithRuns(t)
    const ids = [put(), put({ days: 50 })].map(({ runId }) => runId)
    const { out } = await prune(["--output", "jsonl", "--yes"])
    const lines = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.deepEqual(lines.map((it) => [it.runId, it.deleted]).sort(), ids.map((id) => [id, true]).sort())
  })
})

describe("a mistake on the command line of runs prune", () => {
  for (const [argv, told] of [
    [["--older-than", "30"], /duration above 0, such as 90s/],
    [["--status", "halted"], /it must be of done, failed, pending, incomplete, interrupted/],
    [["--status", "done", "--all"], /cannot be used with/],
    [["--yse"], /unknown option '--yse': Did you mean --yes\?/],
  ] as const) {
    it(argv.join(" "), async (t) => {
      const { prune } = placeWithRuns(t)
      const ran = await prune([...argv])
      assert.equal(ran.code, 2)
      assert.match(ran.err, told)
      assert.equal(ran.err.trimEnd().split("\n").length, 1)
    })
  }
})
