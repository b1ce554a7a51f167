import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { test } from "node:test"

const src = resolve(import.meta.dirname, "../../src")

/** Floors, and why: an import goes down, or stays in its folder, or says here why it may cross. */
const FLOORS: Record<string, number> = {
  suspension: 1,
  tool: 1,
  event: 1,
  endpoint: 2,
  tools: 2,
  journal: 2,
  permission: 2,
  run: 3,
  agents: 4,
  "index.ts": 5,
  cli: 6,
  testing: 6,
}

interface Import {
  file: string
  from: string
  to: string
}

function imports(): Import[] {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
  return files.flatMap((file) => {
    const text = readFileSync(join(src, file), "utf8")
    const targets = [...text.matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map(([, target = ""]) => target)
    return targets.map((target) => {
      const to = relative(src, resolve(src, dirname(file), target))
      return { file, from: folderOf(file), to: folderOf(to) }
    })
  })
}

function folderOf(file: string): string {
  return file.split("/")[0] ?? file
}

const crossing = imports().filter(({ from, to }) => from !== to)

test("every folder has a floor", () => {
  const folders = new Set(readdirSync(src))
  assert.deepEqual(
    [...folders].filter((folder) => !(folder in FLOORS)),
    [],
    "say in this test where a new folder belongs",
  )
})

test("imports go down only: what is below can be tested, replaced and understood without what is above", () => {
  const up = crossing.filter(({ from, to }) => (FLOORS[from] ?? 0) < (FLOORS[to] ?? 0))
  assert.deepEqual(up, [])
})

test("sources on the second floor do not know each other: each can be swapped alone", () => {
  const across = crossing.filter(({ from, to }) => FLOORS[from] === 2 && FLOORS[to] === 2)
  assert.deepEqual(across, [])
})

test("the command line and the testing kit see only the public index: they prove that it is enough", () => {
  const deep = crossing.filter(({ from, to }) => FLOORS[from] === 6 && to !== "index.ts")
  assert.deepEqual(deep, [])
})

test("servers and HTTP tools need none of the built-ins' own files: what several sources share lies in tools/", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  const guilty = files
    .filter((file) => /^tools\/(mcp|http|web)\/.*\.ts$/.test(file))
    .filter((file) => /from "[^"]*\/builtins\//.test(readFileSync(join(src, file), "utf8")))
  assert.deepEqual(guilty, [])
})

test("run and agents touch no file, socket, clock or terminal themselves, so whole runs are tested without any", () => {
  const wiring = new Set(["run/client.ts", "run/run-file.ts"])
  const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  const guilty = files
    .filter((file) => /^(run|agents)\/.*\.ts$/.test(file) && !wiring.has(file))
    .filter((file) =>
      /"node:(fs|net|http|https|tty|child_process|readline)|Date\.now\(|setTimeout\(|process\.(std|env|cwd)/.test(
        codeOf(file),
      ),
    )
  assert.deepEqual(guilty, [])
})

/** What a file does, without what its comments say. */
function codeOf(file: string): string {
  return readFileSync(join(src, file), "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")
}
