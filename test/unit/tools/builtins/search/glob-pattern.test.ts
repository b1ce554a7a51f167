import assert from "node:assert/strict"
import { test } from "node:test"
import { globPattern } from "../../../../../src/tools/builtins/search/glob-pattern.ts"
import { parseIgnoreRules } from "../../../../../src/tools/builtins/search/ignore-rules.ts"

const CASES: [pattern: string, fits: string[], not: string[]][] = [
  ["*.ts", ["a.ts", ".ts"], ["a.tsx", "src/a.ts"]],
  ["**/*.ts", ["a.ts", "src/a.ts", "a/b/c.ts"], ["a.js"]],
  ["src/**", ["src/a", "src/a/b", "src"], ["srcx/a", "a/src"]],
  ["a/**/z", ["a/z", "a/b/z", "a/b/c/z"], ["a/b", "z"]],
  ["a/**/b/**/c", ["a/b/c", "a/x/b/y/c", "a/b/b/c"], ["a/c", "a/b/x"]],
  ["?.[a-c]", ["x.a", "é.c"], ["xx.a", "x.d"]],
  ["[!a]*", ["b", "bc"], ["a", "ab"]],
  ["*a*b*c", ["abc", "xaxbxc"], ["acb"]],
  ["{a,b{c,d}}.ts", ["a.ts", "bc.ts", "bd.ts"], ["b.ts"]],
  ["\\*", ["*"], ["a"]],
  ["./a//b", ["a/b"], ["a"]],
  ["[", ["["], ["a"]],
]

for (const [pattern, fits, not] of CASES) {
  test(`${pattern} fits ${fits.join(", ")} and not ${not.join(", ")}`, () => {
    const matches = globPattern(pattern)
    assert.deepEqual(
      [...fits, ...not].filter((path) => matches?.(path)),
      fits,
    )
  })
}

test("a hostile pattern takes no time", () => {
  const matches = globPattern(`${"*a".repeat(500)}*b`)
  const folders = globPattern(`${"**/a/".repeat(200)}b`)
  const started = performance.now()
  assert.equal(matches?.("a".repeat(5000)), false)
  assert.equal(folders?.("a/".repeat(2000)), false)
  assert.ok(performance.now() - started < 5_000)
})

test("of a .gitignore the last line that fits counts, folders and anchors are told apart", () => {
  const { verdict } = parseIgnoreRules("# words\n*.log\n!keep.log\nbuild/\n/top\ndocs/*.md\n\\#odd\n{x}\n\n")
  const said = (path: string, kind: "file" | "folder" = "file") => verdict(path, kind)
  assert.deepEqual(
    ["a.log", "x/a.log", "x/keep.log", "top", "x/top", "docs/a.md", "x/docs/a.md", "#odd", "{x}", "x"].map((path) =>
      said(path),
    ),
    ["ignored", "ignored", "kept", "ignored", undefined, "ignored", undefined, "ignored", "ignored", undefined],
  )
  assert.deepEqual(
    [said("build"), said("build", "folder"), said("x/build", "folder")],
    [undefined, "ignored", "ignored"],
  )
})
