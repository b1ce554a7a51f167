import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { existsSync, rmSync, symlinkSync } from "node:fs"
import { describe, it, type TestContext } from "node:test"
import { startModuleTools } from "../../../../src/cli/tools/module-tools.ts"
import { createToolHosts } from "../../../../src/cli/tools/tool-hosts.ts"
import { manualClock } from "../../../../src/testing/index.ts"
import { type Folder, temporaryFolder } from "../../../support/folder.ts"

const RUNS = `import { writeFileSync } from "node:fs"
import { word } from "./word.mjs"
writeFileSync("ran", "")
export default ({ defineTool }) => [defineTool({ name: "say", description: "d", run: () => word })]
`
const CHANGED = /cannot be used: .* is not what it was when its project was trusted: look at it with toolnexus trust$/

function sealOf(folder: Folder, name: string): string {
  return createHash("sha256").update(folder.text(name)).digest("hex")
}

/** Loads a module where only what is sealed may run. */
async function load(t: TestContext, folder: Folder, name: string, seals: Record<string, string>) {
  const hosts = createToolHosts()
  const absolute = Object.fromEntries(Object.entries(seals).map(([file, seal]) => [folder.at(file), seal]))
  const options = { hosts, cwd: folder.path, clock: manualClock(), seals: absolute, onLine: () => {} }
  const started = await startModuleTools([folder.at(name)], options)
  t.after(() => started.close())
  return started.files[0]?.tools ?? []
}

describe("a module of a trusted project", { timeout: 30_000 }, () => {
  it("runs where it is what was looked at, with what it imports", async (t) => {
    const folder = temporaryFolder({ "tools.mjs": RUNS, "word.mjs": 'export const word = "hello"' })
    const seals = { "tools.mjs": sealOf(folder, "tools.mjs"), "word.mjs": sealOf(folder, "word.mjs") }
    const [tool] = await load(t, folder, "tools.mjs", seals)
    assert.equal((await tool?.execute({}))?.output, "hello")
  })
  it("does not run where it, or what it imports, is something else by then", async (t) => {
    const folder = temporaryFolder({ "tools.mjs": RUNS, "word.mjs": 'export const word = "hello"' })
    const seals = { "tools.mjs": sealOf(folder, "tools.mjs"), "word.mjs": sealOf(folder, "word.mjs") }
    for (const name of ["tools.mjs", "word.mjs"]) {
      const before = folder.text(name)
      folder.put(name, `${before}\n`)
      await assert.rejects(load(t, folder, "tools.mjs", seals), CHANGED)
      folder.put(name, before)
    }
    assert.equal(existsSync(folder.at("ran")), false)
  })
  it("does not run where a link leads elsewhere by then", async (t) => {
    const folder = temporaryFolder({
      "looked/tools.mjs": RUNS,
      "looked/word.mjs": 'export const word = "hello"',
      "other/tools.mjs": `${RUNS}//`,
      "other/word.mjs": "",
    })
    symlinkSync("looked", folder.at("link"))
    const seals = { "link/tools.mjs": sealOf(folder, "looked/tools.mjs") }
    rmSync(folder.at("link"))
    symlinkSync("other", folder.at("link"))
    await assert.rejects(load(t, folder, "link/tools.mjs", seals), CHANGED)
    assert.equal(existsSync(folder.at("ran")), false)
  })
  it("may be CommonJS", async (t) => {
    const source =
      "module.exports = ({ defineTool }) => [defineTool({ name: 'say', description: 'd', run: () => 'hello' })]"
    const folder = temporaryFolder({ "tools.cjs": source })
    const seals = { "tools.cjs": sealOf(folder, "tools.cjs") }
    const [tool] = await load(t, folder, "tools.cjs", seals)
    assert.equal((await tool?.execute({}))?.output, "hello")
    folder.put("tools.cjs", `${source}\n`)
    await assert.rejects(load(t, folder, "tools.cjs", seals), CHANGED)
  })
})
