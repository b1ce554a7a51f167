import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { test } from "node:test"
import { watchLoads } from "../support/loaded-modules.ts"
import { replyCalls, replyText, scriptedEndpoint } from "../support/scripted-endpoint.ts"

const bin = resolve(import.meta.dirname, "../../bin/toolnexus.js")
const work = mkdtempSync(join(tmpdir(), "toolnexus-modules-"))

async function start(execArgv: string[], args: string[]): Promise<number> {
  const env = { PATH: process.env.PATH ?? "", HOME: work, TOOLNEXUS_STATE_DIR: join(work, "state") }
  const child = spawn(process.execPath, [...execArgv, bin, ...args], {
    cwd: work,
    env,
    stdio: "ignore",
    detached: true,
  })
  const [code] = await once(child, "exit")
  return code
}

async function loadedBy(...args: string[]) {
  const watch = watchLoads()
  await start(watch.execArgv, args)
  return watch.loaded()
}

/** Each a few files and a few milliseconds; whatever else a command needs is loaded where it is used. */
const LIGHT = ["commander", "eventsource-parser"]

function heavy(packages: readonly string[]): string[] {
  return packages.filter((name) => !LIGHT.includes(name))
}

test("--version loads nothing of ours and no package", async () => {
  assert.deepEqual(await loadedBy("--version"), { own: [], packages: [] })
})

test("--help loads commander and nothing heavy", async () => {
  assert.deepEqual((await loadedBy("--help")).packages, ["commander"])
  assert.deepEqual((await loadedBy("run", "--help")).packages, ["commander"])
})

test("completing a line loads commander, and nothing heavy where it looks at files", async () => {
  assert.deepEqual((await loadedBy("__complete", "fish", "run", "--")).packages, ["commander"])
  assert.deepEqual((await loadedBy("completion", "zsh")).packages, ["commander"])
  for (const line of [["run", "--profile"], ["tools", "call"], ["run", "--deny"], ["resume"]])
    assert.deepEqual(heavy((await loadedBy("__complete", "fish", ...line, "")).packages), [])
})

test("listing runs loads commander and nothing heavy", async () => {
  assert.deepEqual(heavy((await loadedBy("runs", "list")).packages), [])
})

test("showing settings loads commander and nothing heavy", async () => {
  assert.deepEqual(heavy((await loadedBy("config")).packages), [])
  assert.deepEqual(heavy((await loadedBy("config", "get", "limits.maxTurns")).packages), [])
})

test("run and resume load nothing heavy up to their first request, and our own code comes in few files", async () => {
  const seen: ReturnType<ReturnType<typeof watchLoads>["loaded"]>[] = []
  let watch = watchLoads()
  const note = (reply: ReturnType<typeof replyText>) => () => {
    seen.push(watch.loaded())
    return reply
  }
  await using endpoint = await scriptedEndpoint([
    note(replyCalls([{ id: "c1", name: "bash", arguments: { command: "true" } }])),
    note(replyText("done")),
  ]).listen()
  const options = ["--base-url", endpoint.baseUrl, "--model", "m"]
  const file = join(work, "a.run.jsonl")
  assert.equal(await start(watch.execArgv, ["run", ...options, "--file", file, "go"]), 3)
  watch = watchLoads()
  assert.equal(await start(watch.execArgv, ["resume", ...options, file, "--decline"]), 0)
  assert.equal(seen.length, 2)
  for (const { own, packages } of seen) {
    assert.deepEqual(heavy(packages), [])
    assert.ok(own.length <= 16, `our own code: ${own.join(", ")}`)
  }
})

test("answer loads nothing heavy", async () => {
  await using endpoint = await scriptedEndpoint([
    replyCalls([{ id: "c1", name: "bash", arguments: { command: "true" } }]),
  ]).listen()
  const file = join(work, "b.run.jsonl")
  await start([], ["run", "--base-url", endpoint.baseUrl, "--model", "m", "--file", file, "go"])
  assert.deepEqual(heavy((await loadedBy("answer", file, "--approve")).packages), [])
})

test("the library alone is loaded in two files, and no built-in tool, MCP server or skill is among them", () => {
  const dist = resolve(import.meta.dirname, "../../dist")
  const loaded = new Set<string>()
  const load = (file: string): void => {
    if (loaded.has(file)) return
    loaded.add(file)
    const text = readFileSync(file, "utf8")
    for (const [, path = ""] of text.matchAll(/^(?:import|\} from) "(\.[^"]+)"/gm)) load(resolve(dirname(file), path))
  }
  load(join(dist, "index.js"))
  const held = [...loaded].flatMap((file) => [...readFileSync(file, "utf8").matchAll(/^\/\/ src\/(.+)$/gm)])
  const sources = held.map(([, source = ""]) => source)
  const later = sources.filter((source) => /^tools\/(builtins|mcp|skills)\//.test(source))
  assert.deepEqual(later, ["tools/builtins/builtin-names.ts"])
  assert.ok(sources.includes("run/engine.ts"))
  const large = [...loaded].filter((file) => statSync(file).size > 1000)
  assert.equal(large.length, 2, [...loaded].join(", "))
})
