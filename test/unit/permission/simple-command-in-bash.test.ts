import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import fc from "fast-check"
import { isSimpleCommand } from "../../../src/permission/simple-command.ts"

const BASH = "/bin/bash"
const folder = mkdtempSync(join(tmpdir(), "toolnexus-simple-"))
after(() => rmSync(folder, { recursive: true, force: true }))

const PIECES = [
  ..."ab1-=+#~!^%@,:.{}[]*?()$`\\;&|<>\n\t é",
  ...["if", "time", "'", '"', "''", '"b c"', "'b;c'", " ", " ", " -x "],
]

test("what counts as one simple command is one for bash too", {
  skip: existsSync(BASH) ? false : "no bash here",
}, () => {
  const command = fc
    .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 })
    .map((pieces) => pieces.join(""))
    .filter(isSimpleCommand)
  const numRuns = process.env.TOOLNEXUS_TEST_SIZE === "long" ? 5_000 : 150
  fc.assert(
    fc.property(command, (text) => {
      // Nothing can be found in this PATH: bash only says what it would run.
      const script = `PS4='+@ '; BASH_XTRACEFD=2; set -x; ${text}`
      const options = { env: { PATH: "/nonexistent" }, encoding: "utf8", cwd: folder } as const
      const { stderr } = spawnSync(BASH, ["--norc", "-c", script], options)
      assert.equal(stderr.split("\n").filter((line) => line.startsWith("+@ ")).length, 1, stderr)
    }),
    { numRuns },
  )
  assert.deepEqual(readdirSync(folder), [])
})
