import assert from "node:assert/strict"
import { test } from "node:test"
import { ToolNames } from "../../../../src/tools/mcp/tool-names.ts"

const named = (origins: [server: string, tool: string][], taken: string[] = [], names = new ToolNames()): string[] => [
  ...names
    .name(
      origins.map(([server, tool]) => ({ server, tool })),
      (name) => taken.includes(name),
    )
    .values(),
]

test("a tool is called SERVER_TOOL, with what endpoints take", () => {
  assert.deepEqual(
    named([
      ["fs", "read_file"],
      ["my.server", "do it"],
    ]),
    ["fs_read_file", "my_server_do_it"],
  )
})

test("names that would be the same get a hash each, whatever their order", () => {
  const both = named([
    ["a", "b.c"],
    ["a", "b c"],
  ])
  assert.equal(new Set(both).size, 2)
  for (const name of both) assert.match(name, /^a_b_c_[0-9a-f]{6}$/)
  assert.deepEqual(
    named([
      ["a", "b c"],
      ["a", "b.c"],
    ]),
    both.toReversed(),
  )
  assert.equal(
    new Set(
      named([
        ["a_b", "c"],
        ["a", "b_c"],
      ]),
    ).size,
    2,
  )
})

test("a name that a tool of the host's has, or that is too long, gets a hash", () => {
  assert.match(named([["fs", "read"]], ["fs_read"])[0] ?? "", /^fs_read_[0-9a-f]{6}$/)
  const long = named([
    ["s", "x".repeat(80)],
    ["s", "x".repeat(81)],
  ])
  assert.deepEqual([new Set(long).size, long.map(({ length }) => length)], [2, [64, 64]])
})

test("a tool keeps its name when others come", () => {
  const names = new ToolNames()
  assert.deepEqual(named([["a", "b.c"]], [], names), ["a_b_c"])
  const [first, second] = named(
    [
      ["a", "b.c"],
      ["a", "b c"],
    ],
    [],
    names,
  )
  assert.equal(first, "a_b_c")
  assert.match(second ?? "", /^a_b_c_[0-9a-f]{6}$/)
})
