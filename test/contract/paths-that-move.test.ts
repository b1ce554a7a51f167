import assert from "node:assert/strict"
import { readdirSync, renameSync, rmSync, symlinkSync } from "node:fs"
import { test } from "node:test"
import { createGate, createInProcessClient, createToolkit, type Rule } from "../../src/index.ts"
import { scriptedModel } from "../../src/testing/index.ts"
import { calls, resultsIn } from "../support/agent.ts"
import { temporaryFolder } from "../support/folder.ts"

const RULES: Rule[] = ["write", "edit", "apply_patch"].map((tool) => ({ effect: "allow", rule: `${tool}(src/**)` }))

/** What a call comes to when somebody moves things after the rules let it pass and before it is carried out. */
async function meanwhile(name: string, input: Record<string, unknown>, move: (at: (name: string) => string) => void) {
  const outer = temporaryFolder({ "work/src/f": "mine\n", "work/src/g": "mine\n", "out/f": "secret\n" })
  const cwd = outer.at("work")
  const toolkit = await createToolkit({ builtins: true, cwd })
  const client = createInProcessClient({
    model: "m",
    generate: scriptedModel([calls([name, input]), "done"]).generate,
    gate: createGate({ rules: RULES, cwd }),
    hooks: { beforeTool: () => void move(outer.at) },
  })
  const { messages, status } = await client.run("go", { toolkit })
  return { output: String(resultsIn(messages)[0]?.[1]), status, outer }
}

/** The folder of the file becomes a link that leads out. */
const folderMoves = (at: (name: string) => string) => {
  renameSync(at("work/src"), at("work/before"))
  symlinkSync("../out", at("work/src"))
}
const fileMoves = (at: (name: string) => string) => {
  rmSync(at("work/src/f"))
  symlinkSync("../../out/f", at("work/src/f"))
}
const MOVED = /leads elsewhere than when it was looked at/
const PATCH = "--- a/src/f\n+++ b/src/f\n@@ -1 +1 @@\n-secret\n+changed\n"

const CALLS: [name: string, input: Record<string, unknown>][] = [
  ["read", { path: "src/f" }],
  ["grep", { pattern: ".", path: "src/f" }],
  ["write", { path: "src/f", content: "changed" }],
  ["edit", { path: "src/f", oldText: "secret", newText: "changed" }],
  ["apply_patch", { patch: PATCH }],
]

for (const [name, input] of CALLS) {
  for (const [what, move] of Object.entries({ "a folder": folderMoves, "a file": fileMoves })) {
    test(`${name}: ${what} that became a link out after the call was allowed is not followed`, async () => {
      const { output, status, outer } = await meanwhile(name, input, move)
      assert.match(output, MOVED)
      assert.equal(status, "done")
      assert.equal(output.includes("secret"), false)
      assert.equal(outer.text("out/f"), "secret\n")
      assert.deepEqual(readdirSync(outer.at("out")), ["f"])
    })
  }
}

test("glob: a folder that became a link out after the call was allowed is not listed", async () => {
  const { output } = await meanwhile("glob", { pattern: "*", path: "src" }, folderMoves)
  assert.match(output, MOVED)
})

test("write: a folder that was not there yet and became a link out is not written through", async () => {
  const { output, outer } = await meanwhile("write", { path: "src/new/f", content: "changed" }, (at) => {
    symlinkSync("../../out", at("work/src/new"))
  })
  assert.match(output, MOVED)
  assert.deepEqual([outer.text("out/f"), readdirSync(outer.at("out"))], ["secret\n", ["f"]])
})

test("what moves within what is allowed is followed, and what stays is done", async () => {
  const { output, outer } = await meanwhile("edit", { path: "src/f", oldText: "mine", newText: "ours" }, (at) => {
    rmSync(at("work/src/f"))
    symlinkSync("g", at("work/src/f"))
  })
  assert.match(output, /replaced 1 place/)
  assert.equal(outer.text("work/src/g"), "ours\n")
  const stays = await meanwhile("write", { path: "src/new/f", content: "x" }, () => {})
  assert.match(stays.output, /made/)
})

test("a gate of the host's that does not know of it is not asked twice", async () => {
  const outer = temporaryFolder({ f: "x\n" })
  let asked = 0
  const client = createInProcessClient({
    model: "m",
    generate: scriptedModel([calls(["read", { path: "f" }]), "done"]).generate,
    gate: {
      decide() {
        asked++
        return { decision: "allow", by: "rule" }
      },
    },
  })
  const toolkit = await createToolkit({ builtins: ["read"], cwd: outer.path })
  assert.match(String(resultsIn((await client.run("go", { toolkit })).messages)[0]?.[1]), /1\tx/)
  assert.equal(asked, 1)
})
