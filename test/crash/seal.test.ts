import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { test } from "node:test"
import { temporaryFolder } from "../support/folder.ts"

const BIN = resolve(import.meta.dirname, "../../bin/toolnexus.js")

/** Notes what is remembered of runs at the moment in which a lock is let go of (its file is emptied). */
const WATCH = `import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
const empty = fs.ftruncateSync
fs.ftruncateSync = (handle, length) => {
  const known = join(process.env.TOOLNEXUS_STATE_DIR, "known")
  const sealed = fs.readdirSync(known).map((name) => "seal" in JSON.parse(fs.readFileSync(join(known, name), "utf8")))
  fs.appendFileSync(process.env.NOTES, JSON.stringify(sealed) + "\\n")
  empty(handle, length)
}
syncBuiltinESMExports()
`

test("what a run file holds is noted before the file is free: the next one who writes it is not taken for a stranger", () => {
  const folder = temporaryFolder({ "watch.mjs": WATCH })
  const env = { PATH: process.env.PATH ?? "", HOME: folder.path, TOOLNEXUS_STATE_DIR: folder.at("state") }
  const start = (...argv: string[]) =>
    spawnSync(process.execPath, ["--import", folder.at("watch.mjs"), BIN, ...argv], {
      cwd: folder.path,
      env: { ...env, NOTES: folder.at("notes") },
      stdio: "ignore",
    }).status
  assert.equal(start("run", "--model", "demo", "--file", "it.run.jsonl"), 3)
  assert.equal(start("answer", "it.run.jsonl", "--answer", "ada"), 0)
  assert.equal(start("resume", "it.run.jsonl"), 3)
  assert.equal(readFileSync(folder.at("notes"), "utf8"), "[true]\n[true]\n[true]\n")
})
