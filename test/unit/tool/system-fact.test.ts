import assert from "node:assert/strict"
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { test } from "node:test"
import { errorText } from "../../../src/cli/output/error-text.ts"
import { systemFact } from "../../../src/tool/system-fact.ts"
import { temporaryFolder } from "../../support/folder.ts"

const folder = temporaryFolder({ file: "x", "full/file": "" })
symlinkSync("circle", folder.at("circle"))

const FAILING: Record<string, () => unknown> = {
  "no such file or folder": () => readFileSync(folder.at("none")),
  "a part of its path is no folder": () => readdirSync(folder.at("file/below")),
  "it is a folder": () => readFileSync(folder.path),
  "too many symbolic links": () => readFileSync(folder.at("circle")),
  "the name is too long": () => readFileSync(folder.at("x".repeat(300))),
  "it is there already": () => mkdirSync(folder.at("full")),
  "the folder is not empty": () => rmdirSync(folder.at("full")),
  "it holds a character that no path can have": () => readFileSync("a\0b"),
  "invalid argument": () => renameSync(folder.at("full"), folder.at("full/below")),
}

function thrownBy(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
  return assert.fail("it was to fail")
}

for (const [words, call] of Object.entries(FAILING)) {
  test(`what the system refuses is said in words, without its call: ${words}`, () => {
    assert.equal(systemFact(thrownBy(call)), words)
  })
}

test("what is no failure of the system keeps its own words", () => {
  assert.equal(systemFact(new Error("EX: mine, not yours")), "EX: mine, not yours")
  assert.equal(systemFact("text"), "text")
})

test("an error of the system that nobody caught is said with its path", () => {
  assert.equal(
    errorText(thrownBy(() => readFileSync(folder.at("none")))),
    `${folder.at("none")}: no such file or folder`,
  )
  const linked = thrownBy(() => linkSync(folder.at("file"), folder.at("full")))
  assert.equal(errorText(linked), `${folder.at("file")}: it is there already`)
  writeFileSync(folder.at("m.txt"), "")
  assert.equal(errorText(new Error("line one\n line two")), "line one line two")
})
