import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { test } from "node:test"
import { loadToolModule } from "../../../../src/cli/tools/tool-module.ts"
import { temporaryFolder } from "../../../support/folder.ts"

const folder = temporaryFolder({
  "broken.mjs": "export default [\n  const x\n]\n",
  "imports-broken.mjs": 'import "./broken.mjs"\nexport default []\n',
})
mkdirSync(folder.at("folder.mjs"))
execFileSync("mkfifo", [folder.at("pipe.mjs")])

const TOOL = `{ name: "t", description: "d", inputSchema: {}, source: "custom", execute: async () => "" }`

/** What a module is, and what is said of it behind "cannot be used: ". */
const UNUSABLE: Record<string, [source: string | undefined, message: RegExp]> = {
  "missing.mjs": [undefined, /^no such file or folder: name another one with --tools$/],
  "folder.mjs": [undefined, /^it is a folder: name another one with --tools$/],
  "pipe.mjs": [undefined, /^it is no regular file: name another one with --tools$/],
  "broken.mjs": [undefined, /^Unexpected token 'const' \(line 2\): correct the module$/],
  "unended.mjs": ["export default [\n\n{", /^Unexpected end of input \(line 3\): correct the module$/],
  "twice.mjs": ["let a = 1\nlet a = 2\n", /^Identifier 'a' has already been declared \(line 2\): correct the module$/],
  "imports-broken.mjs": [undefined, /^Unexpected token 'const' \(in a file that it imports\): correct the module$/],
  "wrong-import.mjs": [
    '\nimport { nope } from "node:fs"\n',
    /^The requested module 'node:fs' does not provide an export named 'nope' \(line 2\): correct the module$/,
  ],
  "no-package.mjs": [
    'import "not-installed-anywhere"',
    /^Cannot find package 'not-installed-anywhere' imported from .*: install it there \(npm install not-installed-anywhere\)$/,
  ],
  "no-file.mjs": [
    'import "./nowhere.mjs"',
    /^Cannot find module '.*nowhere\.mjs' imported from .*: correct the import$/,
  ],
  "throws.mjs": ["\n\nthrow new TypeError('no\\n database')", /^no database \(line 3\): correct the module$/],
  "throws-text.mjs": ["throw 'no database'", /^no database: correct the module$/],
  "function-throws.mjs": [
    "export default () => {\n  throw new Error('not today')\n}",
    /^not today \(line 2\): correct the module$/,
  ],
  "commonjs.mjs": ["module.exports = []", /^module is not defined in ES module scope \(line 1\): correct the module$/],
  "named.mjs": ["export const tools = []", /^it has no default export: write export default \[defineTool\(/],
  "object.mjs": [
    "export default { a: 1 }",
    /^its default export gives object, not a list of tools: write export default \[/,
  ],
  "null.mjs": ["export default () => null", /^its default export gives null, not a list of tools: write/],
  "one.mjs": [`export default ${TOOL}`, /^its default export gives object, not a list of tools/],
  "text-in-list.mjs": [
    `export default [${TOOL}, "x"]`,
    /^entry 1 of its list is string, no tool: make it with defineTool/,
  ],
  "hole-in-list.mjs": [`export default [${TOOL}, undefined]`, /^entry 1 of its list is undefined, no tool/],
  "promise-in-list.mjs": [
    `export default [Promise.resolve(${TOOL})]`,
    /^entry 0 of its list is a promise, no tool: await it$/,
  ],
  "definition.mjs": [
    `export default [${TOOL}, { name: "x", description: "d", run() {} }]`,
    /^entry 1 of its list \(x\) is what defineTool takes, not what it gives: write defineTool\(/,
  ],
  "no-execute.mjs": [
    `export default [{ name: "x" }]`,
    /^entry 0 of its list \(x\) is no tool, as it has no execute: make it/,
  ],
  "no-name.mjs": [`export default [{ execute() {} }]`, /^entry 0 of its list is no tool, as it has no name: make it/],
  "no-description.mjs": [
    `export default [{ name: "x", execute() {} }]`,
    /^entry 0 of its list \(x\) is no tool, as it has no description/,
  ],
  "no-schema.mjs": [
    `export default [{ name: "x", description: "d", execute() {} }]`,
    /^entry 0 of its list \(x\) is no tool, as it has no inputSchema/,
  ],
  "bad-definition.mjs": [
    `export default ({ defineTool }) => [defineTool({ name: "x", description: "d" })]`,
    /^a tool cannot be defined like this: run of "x" must be a function, got undefined \(line 1\): correct the module$/,
  ],
  "tools.py": [
    "print(1)",
    /^Unknown file extension "\.py" for .*: a tools module is JavaScript \(\.mjs, \.js\) or TypeScript \(\.ts\)/,
  ],
  "tools.tsx": [
    "export default []",
    /^Node [\d.]+ does not run \.tsx files: .*make JavaScript of it: npx esbuild .*tools\.tsx .*--outfile=.*tools\.mjs$/,
  ],
}

for (const [name, [source, message]] of Object.entries(UNUSABLE)) {
  test(`the tools module ${name} is refused in one line: the fact, where, and what to do`, async () => {
    if (source !== undefined) folder.put(name, source)
    const path = folder.at(name)
    await assert.rejects(loadToolModule(path, undefined), (error: Error & { code: string }) => {
      assert.equal(error.code, "configuration")
      const start = `the tools module ${path} cannot be used: `
      assert.ok(error.message.startsWith(start), error.message)
      assert.match(error.message.slice(start.length), message)
      assert.doesNotMatch(error.message, /\n/)
      return true
    })
  })
}

test("a TypeScript module runs where Node can, and where it cannot the message says what to do", async () => {
  folder.put("typed.ts", `const name: string = "typed"\nexport default [{ ...${TOOL}, name }]\n`)
  folder.put("imports-typed.mjs", `export { default } from "./typed.ts"\n`)
  const canRun = Boolean((process.features as { typescript?: unknown }).typescript)
  for (const name of ["typed.ts", "imports-typed.mjs"]) {
    if (canRun) {
      assert.deepEqual(
        (await loadToolModule(folder.at(name), undefined)).map((tool) => tool.name),
        ["typed"],
      )
      continue
    }
    const file = name === "typed.ts" ? "" : ` (${folder.at("typed.ts")})`
    await assert.rejects(loadToolModule(folder.at(name), undefined), {
      message:
        `the tools module ${folder.at(name)} cannot be used: Node ${process.versions.node} does not run .ts files${file}: ` +
        `use Node 22.18 or newer, or make JavaScript of it: npx esbuild ${folder.at("typed.ts")} --bundle --packages=external ` +
        `--platform=node --format=esm --outfile=${folder.at("typed.mjs")}`,
    })
  }
})

test("an enum, which Node does not strip, is named with its line where TypeScript runs", async (t) => {
  if (!(process.features as { typescript?: unknown }).typescript) return t.skip("this Node does not run TypeScript")
  folder.put("enum.ts", "\nenum Color { red }\nexport default []\n")
  await assert.rejects(
    loadToolModule(folder.at("enum.ts"), undefined),
    /enum is not supported.* \(line 2\): correct the module$/,
  )
})
