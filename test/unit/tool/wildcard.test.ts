import assert from "node:assert/strict"
import { test } from "node:test"
import { matchesWildcard } from "../../../src/tool/wildcard.ts"

test("a star stands for any characters, line ends and slashes included", () => {
  assert.equal(matchesWildcard("a*c", "ac"), true)
  assert.equal(matchesWildcard("a*c", "a/\nb/c"), true)
  assert.equal(matchesWildcard("*", ""), true)
  assert.equal(matchesWildcard("src/**", "src/a/b"), true)
  assert.equal(matchesWildcard("*b*d*", "abcd"), true)
  assert.equal(matchesWildcard("mcp:files/*", "mcp:files/read_file"), true)
})

test("what stands around the stars must be there, in order, and nothing twice", () => {
  assert.equal(matchesWildcard("ab", "abc"), false)
  assert.equal(matchesWildcard("aba*aba", "aba"), false)
  assert.equal(matchesWildcard("*d*b*", "abcd"), false)
  assert.equal(matchesWildcard("a.c", "abc"), false)
  assert.equal(matchesWildcard("a*x*c", "axc"), true)
  assert.equal(matchesWildcard("a*c*c", "ac"), false)
})

test("a hostile text costs no more than its length", () => {
  assert.equal(matchesWildcard("*a*a*a*a*a*a*a*a*b", "a".repeat(1_000_000)), false)
})
