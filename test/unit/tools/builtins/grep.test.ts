import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, truncateSync } from "node:fs"
import { after, test } from "node:test"
import { ripgrepPath, searchWithRipgrep } from "../../../../src/tools/builtins/search/ripgrep.ts"
import { searchHere } from "../../../../src/tools/builtins/search/search-here.ts"
import { workingFolder } from "../../../support/folder.ts"

const path = process.env.PATH ?? ""
after(() => {
  process.env.PATH = path
})
const rg = ripgrepPath(path)

for (const [how, searchPath, skip] of [
  ["without ripgrep", "/nowhere", false],
  ["with ripgrep", path, rg === undefined && "ripgrep is not installed"],
] as const) {
  const searching = (title: string, work: () => Promise<void>) =>
    test(`${how}: ${title}`, { skip }, async () => {
      process.env.PATH = searchPath
      await work()
    })

  const folder = await workingFolder({
    "a.ts": "let one\nlet two\n",
    "b.md": "One\r\n",
    ".hidden/c.ts": "one more\n",
    "sub/d.ts": `${"x".repeat(3000)} one\n`,
    "odd \n name.ts": "one\n",
    data: Buffer.from("one\n\0"),
    ".git/HEAD": "one",
    ".gitignore": "ignored\n*.log\n!kept.log\n/sub/only-here.ts\n",
    "ignored/e.ts": "one\n",
    "f.log": "one\n",
    "kept.log": "one kept\n",
    "sub/only-here.ts": "one\n",
    "sub/deep/only-here.ts": "one deep\n",
  })
  symlinkSync("/etc", folder.at("link"))
  execFileSync("mkfifo", [folder.at("pipe")], { env: { PATH: path } }) // a test that runs already may have changed it
  const grep = async (pattern: string, more: object = {}) => (await folder.call("grep", { pattern, ...more })).output

  searching(
    "lines come with path and number, without what git ignores, what is binary and what links lead to",
    async () => {
      const found = (await grep("one"))
        .split("\n")
        .map((line) => (line.startsWith("sub/d.ts") ? line.slice(0, 11) : line))
      assert.deepEqual(found.sort(), [
        '"odd \\n name.ts":1:one',
        ".hidden/c.ts:1:one more",
        "a.ts:1:let one",
        "kept.log:1:one kept",
        "sub/d.ts:1:",
        "sub/deep/only-here.ts:1:one deep",
      ])
    },
  )

  searching("a glob, a folder, a file and the case narrow it or widen it", async () => {
    assert.equal(await grep("one", { glob: "*.log" }), "kept.log:1:one kept")
    assert.equal(await grep("one", { glob: "sub/**/only*" }), "sub/deep/only-here.ts:1:one deep")
    assert.equal(await grep("^one$", { ignoreCase: true, glob: "*.md" }), "b.md:1:One")
    assert.equal(await grep("one", { path: "ignored" }), "ignored/e.ts:1:one")
    assert.equal(await grep("one", { path: "f.log" }), "f.log:1:one")
    assert.equal(await grep("one", { path: folder.at("a.ts") }), "a.ts:1:let one")
    assert.equal(await grep("nothing like it"), "(nothing found)")
    assert.equal(await grep("-e", { glob: "*.md" }), "(nothing found)")
  })

  searching("more than the limit is told, and offset goes on", async () => {
    assert.equal(
      await grep("let", { limit: 1 }),
      "a.ts:1:let one\n[There are more: go on with offset 1, or narrow the search]",
    )
    assert.equal(await grep("let", { limit: 1, offset: 1 }), "a.ts:2:let two")
    assert.equal(await grep("let", { offset: 5 }), "(there are 2, and offset is 5)")
  })

  searching("a long line is cut", async () => {
    const line = await grep("one", { path: "sub/d.ts" })
    assert.ok(line.length < 600, line)
  })

  searching("what cannot be searched is an error, and nothing is waited for", async () => {
    assert.match(await grep("("), /^The pattern cannot be read \(/)
    assert.match(await grep("a\nb"), /one line at a time/)
    assert.match(await grep("a", { path: "gone" }), /^gone is not there/)
    assert.match(await grep("a", { path: "pipe" }), /^pipe is a pipe/)
    assert.match(await grep("a", { path: "/dev/zero" }), /is a device/)
    for (const glob of ["../*", "/etc/*", "{a,../b}/*", "~/x"])
      assert.match(await grep("a", { glob }), /must be relative/)
    const aborted = await folder.call("grep", { pattern: "one" }, { signal: AbortSignal.abort(new Error("stopped")) })
    assert.deepEqual(aborted, { output: "stopped", isError: true })
  })
}

test("without ripgrep a pattern that would take for ever is stopped, and a file of 200 MB is left out and told", async () => {
  process.env.PATH = "/nowhere"
  const folder = await workingFolder({ f: `${"a".repeat(50)}b\n`, g: "abc\n" })
  assert.match((await folder.call("grep", { pattern: "^(a+)+$", path: "f" })).output, /takes too long on the file/)
  mkdirSync(folder.at("big"))
  folder.put("big/large", "abc\n")
  truncateSync(folder.at("big/large"), 200 * 1024 * 1024)
  assert.equal(
    (await folder.call("grep", { pattern: "abc" })).output,
    "g:1:abc\n[1 file over 20 MiB not searched: search such a file with bash and grep]",
  )
})

test("a search that takes too long ends with what it found by then", async () => {
  const folder = await workingFolder({ a: "abc\n" })
  const root = { file: folder.path, kind: "folder" as const }
  const search = { pattern: "abc", case: "exact" as const, root, wanted: () => true, most: 10 }
  const notice = /^\[Stopped after 30 s, and not all was looked at: name a smaller folder in path\]$/
  const over = { signal: undefined, time: AbortSignal.abort() }
  const here = await searchHere(search, over)
  assert.deepEqual([here.lines, here.notices.length], [[], 1])
  assert.match(here.notices[0] ?? "", notice)
  if (rg !== undefined) assert.match((await searchWithRipgrep(rg, search, over)).notices[0] ?? "", notice)
})
