import assert from "node:assert/strict"
import { test } from "node:test"
import { isSimpleCommand } from "../../../src/permission/simple-command.ts"

const SIMPLE = [
  "git status",
  "  git status --short  ",
  "git log --grep 'a; b && c > d'",
  'git commit -m "it (works) | now"',
  "npm test -- --grep=x",
  "git show HEAD~1",
  "curl https://example.test/a#b",
  "echo a:b,c%d@e^f+g",
]

const NOT_SIMPLE: Record<string, string> = {
  "a list": "git status; rm x",
  "an and": "git status && rm x",
  "a pipe": "git status | sh",
  "the background": "git status & rm x",
  "a redirection": "git status > x",
  "a redirection from a file": "cat < x",
  "a here document": "cat << X",
  "a line end": "git status\nrm x",
  "a carriage return": "git status\rrm x",
  "a substitution": "git status $(rm x)",
  "an old substitution": "git status `rm x`",
  "a substitution in quotes": 'git status "$(rm x)"',
  "an old substitution in quotes": 'git status "`rm x`"',
  "a process substitution": "cat <(rm x)",
  "a variable": "git $X",
  "an escape": "\\rm x",
  "an escape in quotes": 'git "a\\"b"',
  "an assignment": "X=1 git status",
  "an appending assignment": "X+=1 git status",
  "a file pattern": "git add *",
  "a file pattern of one character": "cat ?",
  "a file pattern of a set": "cat [ab]",
  "a list in braces": "git {status,push}",
  "a home folder": "cat ~/x",
  "a comment": "rm x # --dry-run",
  "a group": "{ git status",
  "a subshell": "(git status)",
  "a negation": "! git status",
  "a keyword": "time git status",
  "a quoted keyword": "'if' x",
  "an open quote": "git 'status",
  "an open double quote": 'git "status',
  "an ANSI-C quote": "git $'\\x3b'",
  "a NUL": "git\0status",
  "an escape character": "git \u001b[2K",
  "a character that turns text round": "git \u202e status",
  "a no-break space": "git\u00a0status",
  "a line separator": "git \u2028 status",
  nothing: "",
  "only spaces": "   ",
}

for (const command of SIMPLE) {
  test(`${JSON.stringify(command)} is one simple command`, () => {
    assert.equal(isSimpleCommand(command), true)
  })
}

for (const [what, command] of Object.entries(NOT_SIMPLE)) {
  test(`a command with ${what} is not simple: ${JSON.stringify(command)}`, () => {
    assert.equal(isSimpleCommand(command), false)
  })
}

test("a very long command is read in one go", () => {
  assert.equal(isSimpleCommand(`echo ${"a".repeat(1_000_000)}`), true)
  assert.equal(isSimpleCommand(`echo ${"'a'".repeat(300_000)};`), false)
})
