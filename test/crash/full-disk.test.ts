import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { place } from "../cli/command-line.ts"
import { replyCalls, replyText, scriptedEndpoint } from "../support/scripted-endpoint.ts"

const PAGE = 4096

/** `pay` has an effect: a line in a file on another disk. */
const toolsWriting = (paid: string): string => `import { appendFileSync } from "node:fs"
export default ({ defineTool }) => [
  defineTool({ name: "pay", description: "", run: () => { appendFileSync(${JSON.stringify(paid)}, "paid\\n"); return "paid" } }),
]
`

/** A small file system of its own; without the right to mount one the tests are skipped. */
function smallDisk(t: TestContext): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "toolnexus-disk-"))
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=128k", "none", folder]).status === 0
  t.after(() => {
    if (mounted) spawnSync("umount", [folder])
    rmSync(folder, { recursive: true, force: true })
  })
  return mounted ? folder : undefined
}

/** Fills a disk but for some pages. */
function fill(folder: string, pagesLeft: number): string {
  const file = join(folder, "filler")
  const handle = openSync(file, "w")
  let bytes = 0
  try {
    for (;;) bytes += writeSync(handle, Buffer.alloc(PAGE))
  } catch {
    closeSync(handle) // it is full
  }
  truncateSync(file, bytes - pagesLeft * PAGE)
  return file
}

async function payPlace(t: TestContext, said: string) {
  const here = place(t)
  const endpoint = await scriptedEndpoint([
    replyCalls([{ id: "c1", name: "pay", arguments: {} }], said),
    replyText("done"),
  ]).listen()
  t.after(() => endpoint.close())
  here.write("tools.mjs", toolsWriting(here.path("paid")))
  const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--tools", "tools.mjs", "--no-builtins"]
  const paid = () => (existsSync(here.path("paid")) ? readFileSync(here.path("paid"), "utf8") : "")
  return { ...here, options, paid, endpoint }
}

const NO_MOUNT = "it takes the right to mount a file system"

describe("a disk that is full", () => {
  it("stops the run before the side effect, with a clear line; with room again the run goes on", async (t) => {
    const disk = smallDisk(t)
    if (disk === undefined) return t.skip(NO_MOUNT)
    const { run, options, paid, endpoint } = await payPlace(t, "x".repeat(3 * PAGE))
    const file = join(disk, "it.run.jsonl")
    const filler = fill(disk, 2) // one for the lock, one for the run's first lines
    const full = await run(["run", "pay", "--file", file, ...options])
    assert.equal(full.code, 1, full.err)
    assert.match(full.err, /toolnexus: \S+ cannot be written: the disk is full; the run stops here and can be resumed/)
    assert.equal(paid(), "")
    rmSync(filler)
    const verified = await run(["runs", "verify", file])
    assert.equal(verified.code, 0, verified.out)
    endpoint.requests.length = 0
    const resumed = await run(["resume", file, ...options])
    assert.equal(resumed.code, 0, resumed.err)
    assert.equal(paid(), "paid\n")
  })
  it("without room for a lock or a file nothing is begun", async (t) => {
    const disk = smallDisk(t)
    if (disk === undefined) return t.skip(NO_MOUNT)
    const { run, options, paid, endpoint } = await payPlace(t, "")
    fill(disk, 0)
    const ran = await run(["run", "pay", "--file", join(disk, "it.run.jsonl"), ...options])
    assert.equal(ran.code, 1)
    assert.match(ran.err, /toolnexus: .*the disk is full \(.*\); make room, and try again$/m)
    assert.deepEqual([paid(), endpoint.requests.length], ["", 0])
  })
  it("/dev/full is no run file", async (t) => {
    const { run, options, paid } = await payPlace(t, "")
    const ran = await run(["run", "pay", "--file", "/dev/full", ...options])
    assert.equal(ran.code, 2)
    assert.match(ran.err, /^toolnexus: \/dev\/full is there already/m)
    assert.equal((await run(["resume", "/dev/full", ...options])).code, 5)
    assert.equal(paid(), "")
  })
})

describe("a disk that is read-only", () => {
  it("a run on it is shown, and not gone on with", async (t) => {
    const disk = smallDisk(t)
    if (disk === undefined) return t.skip(NO_MOUNT)
    const { run, options, paid } = await payPlace(t, "")
    const file = join(disk, "it.run.jsonl")
    const ask = ["--ask", "pay"]
    assert.equal((await run(["run", "pay", "--file", file, ...options, ...ask])).code, 3)
    assert.equal(spawnSync("mount", ["-o", "remount,ro", disk]).status, 0)
    assert.equal((await run(["runs", "show", file])).code, 0)
    assert.equal((await run(["runs", "verify", file])).code, 0)
    const before = readFileSync(file, "utf8")
    for (const argv of [
      ["answer", file, "--approve"],
      ["resume", file, "--approve", ...options],
    ]) {
      const ran = await run(argv)
      assert.equal(ran.code, 1)
      assert.match(ran.err, /toolnexus: .*the file system is read-only/)
    }
    assert.equal(readFileSync(file, "utf8"), before)
    assert.equal(paid(), "")
  })
  it("is no place for a state folder, and that is why", async (t) => {
    const disk = smallDisk(t)
    if (disk === undefined) return t.skip(NO_MOUNT)
    const { run, options, endpoint } = await payPlace(t, "")
    assert.equal(spawnSync("mount", ["-o", "remount,ro", disk]).status, 0)
    const ran = await run(["run", "pay", ...options], { env: { TOOLNEXUS_STATE_DIR: join(disk, "a", "state") } })
    assert.equal(ran.code, 2)
    assert.match(ran.err, /the state folder is not used: .* cannot be made \(the file system is read-only\)/)
    assert.equal(endpoint.requests.length, 0)
  })
})
