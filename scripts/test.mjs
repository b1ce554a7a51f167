// Runs every test: builds once (the command line's tests start the built program), then the suites, two files at a time.
import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"

const root = new URL("..", import.meta.url).pathname
process.chdir(root)
const [only] = process.argv.slice(2)

const build = spawnSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" })
if (build.status !== 0) process.exit(build.status ?? 1)

const files = testFiles("test").filter((file) => !only || file.includes(only))
const args = ["--import", "tsx", "--test", "--test-concurrency=2", "--test-reporter=spec", ...files]
const run = spawnSync(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] })
process.exit(run.status ?? 1)

function testFiles(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}
