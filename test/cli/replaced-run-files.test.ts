import assert from "node:assert/strict"
import { chownSync, copyFileSync, lstatSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs"
import { describe, it, type TestContext } from "node:test"
import { replyCalls, replyText, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { place, TOOLS } from "./command-line.ts"

const asRoot = process.getuid?.() === 0

/** A run of the state folder that waits for an answer. */
async function haltedPlace(t: TestContext) {
  const ask = replyCalls([{ id: "c1", name: "deploy", arguments: { service: "api" } }])
  const endpoint = await scriptedEndpoint([ask, replyText("done")]).listen()
  t.after(() => endpoint.close())
  const here = place(t)
  here.write("tools.mjs", TOOLS)
  const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--tools", "tools.mjs"]
  const { json } = await here.run(["run", "deploy it", ...options, "--output", "json"])
  const [name = ""] = readdirSync(here.path("state/runs")).filter((it) => it.endsWith(".run.jsonl"))
  return { ...here, endpoint, options, runId: String(json.runId), file: here.path(`state/runs/${name}`) }
}

const REPLACED: Record<string, { by(file: string, moved: string): void; fact: RegExp; skip: string | false }> = {
  "a symbolic link": {
    by: (file, moved) => {
      renameSync(file, moved)
      symlinkSync(moved, file)
    },
    fact: /is not used: it is a symbolic link; name the file that you mean by its path/,
    skip: false,
  },
  "another user's file": {
    by: (file) => chownSync(file, 65534, 65534),
    fact: /is not used: it belongs to another user \(65534\); name the file that you mean by its path/,
    skip: asRoot ? false : "only root can give a file away",
  },
}

describe("a run file of the state folder that was replaced", () => {
  for (const [what, { by, fact, skip }] of Object.entries(REPLACED)) {
    it(`by ${what} is refused by its id and by its path, and listed with the reason`, { skip }, async (t) => {
      const { run, file, path, runId, endpoint } = await haltedPlace(t)
      by(file, path("moved.run.jsonl"))
      const before = readFileSync(file, "utf8")
      for (const named of [runId, file]) {
        for (const command of [["runs", "show"], ["runs", "verify"], ["runs", "unlock"], ["answer"], ["resume"]]) {
          const isAnswer = command.length === 1
          const ran = await run([...command, named, ...(isAnswer ? ["--answer", "staging"] : [])])
          assert.equal(ran.code, 5, `${command} ${ran.err}`)
          assert.match(ran.err, fact)
        }
      }
      const listed = await run(["runs", "list", "--output", "json"])
      assert.equal(listed.json.runs.length, 1)
      assert.match(listed.json.runs[0].error.message, fact)
      assert.equal(readFileSync(file, "utf8"), before)
      assert.equal(endpoint.requests.length, 1)
    })
  }

  it("can be gone on with where it is named by its path outside of the folder, also by a link", async (t) => {
    const { run, file, path, options } = await haltedPlace(t)
    copyFileSync(file, path("copy.run.jsonl"))
    symlinkSync(path("copy.run.jsonl"), path("link.run.jsonl"))
    assert.ok(lstatSync(path("link.run.jsonl")).isSymbolicLink())
    const ran = await run(["resume", "link.run.jsonl", ...options, "--answer", "staging"])
    assert.deepEqual([ran.code, ran.out], [0, "done\n"])
  })
})
