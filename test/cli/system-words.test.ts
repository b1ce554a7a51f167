import assert from "node:assert/strict"
import { mkdirSync, symlinkSync } from "node:fs"
import { test } from "node:test"
import { place } from "./command-line.ts"

/** As Node and the system say it. */
const RAW =
  /\bE(?!FFECT)[A-Z]{3,}\b|no such file or directory|, (?:open|stat|lstat|scandir|realpath|access|mkdir|rename|unlink) '/

const run = (...words: string[]) => ["run", "x", "--model", "demo", ...words]
const NAMING: Record<string, (path: string) => string[]> = {
  "--skills": (path) => run("--skills", path),
  "--tools of a module": (path) => run("--tools", `${path}.mjs`),
  "--tools of a list": (path) => run("--tools", `${path}.json`),
  "--relay": (path) => run("--relay", path),
  "--mcp": (path) => run("--mcp", path),
  "--cwd": (path) => run("--cwd", path),
  "--file": (path) => run("--file", `${path}/x.run.jsonl`),
  "tools --skills": (path) => ["tools", "--skills", path],
  "policy test --cwd": (path) => ["policy", "test", "bash", "ls", "--cwd", path],
  resume: (path) => ["resume", path],
  "resume --answers": (path) => ["resume", "a.run.jsonl", "--answers", path],
  answer: (path) => ["answer", path, "--approve"],
  "runs show": (path) => ["runs", "show", path],
  "runs verify": (path) => ["runs", "verify", path],
  "runs unlock": (path) => ["runs", "unlock", path],
  trust: (path) => ["trust", path],
  "trust --revoke": (path) => ["trust", "--revoke", path],
}
const PATHS = ["none", "file/below", "circle", "x".repeat(300), "folder"]

for (const [what, argv] of Object.entries(NAMING)) {
  test(`${what} of a path that cannot be used is said in our words, on one line`, async (t) => {
    const here = place(t)
    here.write("file", "x")
    mkdirSync(here.path("folder"))
    symlinkSync("circle", here.path("circle"))
    symlinkSync("circle.mjs", here.path("circle.mjs"))
    symlinkSync("circle.json", here.path("circle.json"))
    for (const path of PATHS) {
      const ran = await here.run(argv(path))
      assert.doesNotMatch(ran.out + ran.err, RAW, `${argv(path).join(" ")}\n${ran.err}`)
      assert.ok(ran.code === 0 || /^(toolnexus: )?\S/.test(ran.err), `${argv(path)}: ${ran.code} ${ran.err}`)
    }
  })
}
