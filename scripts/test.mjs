// Runs every test: builds the package (the command line's tests start the built program), bundles the tests, runs them two files at
// a time. Arguments pick the files whose path holds one of them.
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { BUNDLES, bundle } from "./bundle.mjs"

process.chdir(join(import.meta.dirname, ".."))
const parts = process.argv.slice(2)

const build = spawnSync(process.execPath, ["scripts/build.mjs", "--code"], { stdio: "inherit" })
if (build.status !== 0) process.exit(build.status ?? 1)

const sources = filesIn("test", ".test.ts").filter(
  (file) => parts.length === 0 || parts.some((part) => file.includes(part)),
)
if (sources.length === 0) {
  // Without files `node --test` looks for some itself, and takes programs that tests start for tests.
  console.error(`no test file has ${parts.join(" or ")} in its path`)
  process.exit(1)
}
rmSync(BUNDLES, { recursive: true, force: true })
mkdirSync(BUNDLES, { recursive: true })
await bundle(sources, { outdir: BUNDLES, splitting: true })
const tests = filesIn(BUNDLES, ".test.mjs")
// A test that hangs is a failed test. The long sizes may take their time.
const timeoutMs = process.env.TOOLNEXUS_TEST_SIZE === "long" ? 3_600_000 : 240_000
const args = [
  "--enable-source-maps",
  "--test",
  `--test-timeout=${timeoutMs}`,
  "--test-concurrency=2",
  "--test-reporter=spec",
  ...tests,
]
const run = spawnSync(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] })
process.exit(run.status ?? 1)

function filesIn(folder, ending) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}
