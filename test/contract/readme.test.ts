import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { test } from "node:test"
import { transformSync } from "esbuild"
import { readUserConfiguration } from "../../src/cli/configuration/configuration.ts"

const root = resolve(import.meta.dirname, "../..")
const readme = readFileSync(join(root, "README.md"), "utf8")
const pages = readdirSync(join(root, "docs")).map((name) => readFileSync(join(root, "docs", name), "utf8"))
const blocksIn = (page: string, language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(([, block = ""]) => block)
const programs = [readme, ...pages].flatMap((page) => blocksIn(page, "ts"))

test("every program in the README and the pages beside it runs on the built package, and prints what its comments say", () => {
  assert.equal(programs.length, 4)
  const folder = mkdtempSync(join(tmpdir(), "toolnexus-readme-"))
  mkdirSync(join(folder, "node_modules"))
  symlinkSync(root, join(folder, "node_modules", "toolnexus"))
  for (const [at, program] of programs.entries()) {
    const file = join(folder, `program-${at}.mjs`)
    const script = transformSync(program, { loader: "ts", format: "esm" }).code
    writeFileSync(file, script)
    const printed = execFileSync(process.execPath, [file], { encoding: "utf8", cwd: folder })
    for (const [, said = ""] of program.matchAll(/console\.log\(.*\) \/\/ (.*)/g)) {
      if (!said.startsWith("what ")) assert.ok(printed.includes(said), `${said} in:\n${printed}`)
    }
  }
})

test("the README's configuration file is one", () => {
  const [json = ""] = blocksIn(readme, "json")
  const file = join(mkdtempSync(join(tmpdir(), "toolnexus-readme-")), "config.json")
  writeFileSync(file, json)
  const { profile, profiles, rules, limits, unknown } = readUserConfiguration(file)
  assert.ok(profiles.has(profile ?? ""))
  assert.deepEqual(unknown, [])
  assert.deepEqual([rules.allow.length, rules.deny.length, limits.maxTurns], [1, 1, 50])
})

test("the README's test command is what CI runs, and each dependency has its line", () => {
  assert.match(readme, /^npm ci && npm run verify /m)
  assert.match(readFileSync(join(root, ".ci/run"), "utf8"), /npm run verify/)
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const named = Object.keys(dependencies).filter((name) => !new RegExp(`^\\| \`${name}\` +\\| \\S`, "m").test(readme))
  assert.deepEqual(named, [])
})
