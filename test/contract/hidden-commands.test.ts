import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { before, test } from "node:test"
import { createGate, createToolkit, type Rule } from "../../src/index.ts"
import { temporaryFolder } from "../support/folder.ts"

// Each command here takes the file x away, or writes into it, by a way that a rule's text does not show. Where its programs are
// installed that is proven by running it.

interface Hidden {
  command: string
  /** An `allow` whose text fits, and which must not let it pass. Without one none fits but those of everybody. */
  allow?: string
  /** What `deny bash(rm*)` comes to: where rm is not readable in it, it is asked about at least. */
  deny: "refuse" | "ask"
  /** Not run here: it needs a network, a terminal, another program or more than a folder. */
  runs?: "not here"
  /** One simple command that runs nothing but rm: `allow bash` lets it pass as it lets rm pass, and no narrower rule does. */
  simple?: true
}

const list = (prefix: string, commands: Record<string, string>, deny: Hidden["deny"] = "refuse") =>
  Object.fromEntries(Object.entries(commands).map(([what, command]) => [what, { command, allow: prefix, deny }]))

const SHELL: Record<string, Hidden> = {
  ...list("ls*", {
    "a list": "ls; rm -f x",
    "a list without spaces": "ls;rm -f x",
    "an and": "ls && rm -f x",
    "an or": "ls not-there || rm -f x",
    "a pipe": "ls | rm -f x",
    "a pipe for both outputs": "ls |& rm -f x",
    "the background": "ls & rm -f x",
    "a line end": "ls\nrm -f x",
    "a carriage return and a line end": "ls\r\nrm -f x",
    "a continued line": "ls \\\n; rm -f x",
    "a substitution": "ls $(rm -f x)",
    "an old substitution": "ls `rm -f x`",
    "a substitution in quotes": 'ls "$(rm -f x)"',
    "an old substitution in quotes": 'ls "`rm -f x`"',
    "a substitution in arithmetic": "ls $(( 1 $(rm -f x) ))",
    "a default of a parameter": "ls ${none:-$(rm -f x)}",
    "an index of an array": "ls ${none[$(rm -f x)]}",
    "a process substitution": "ls <(rm -f x)",
    "a process substitution for output": "ls > >(rm -f x)",
    "a function with an innocent name": "ls() { rm -f x; }; ls",
    "a trap": "ls; trap 'rm -f x' EXIT",
    "a here document for a shell": "ls; sh <<E\nrm -f x\nE",
    "a here string for a shell": "ls; sh <<< 'rm -f x'",
    "a prompt's expansion": "ls; a='$(rm -f x)'; : ${a@P}",
    "a substitution in a here document": "ls; cat <<E\n$(rm -f x)\nE",
  }),
  ...list(
    "ls*",
    {
      "a redirection": "ls > x",
      "a redirection of errors": "ls not-there 2>x",
      "a redirection of both": "ls &> x",
      "a redirection that insists": "ls >| x",
      "help and a redirection": "ls --help >x",
      "a word of pieces": "ls; a=r; ${a}m -f x",
      "a word with an empty expansion": "ls; r${none}m -f x",
      "a word with an empty substitution": "ls; r$()m -f x",
      "a word with no arguments in it": "ls; r$@m -f x",
      "an ANSI-C quote": "ls; $'\\x72m' -f x",
      "a file pattern as a program": "ls; /bin/r? -f x",
      "a set as a program": "ls; /bin/[r]m -f x",
      "a list in braces as a program": "ls; r{m,} -f x",
      "an encoded text for a shell": "ls; printf '\\162m -f x' | sh",
      "what a program prints for a shell": "ls; printf 'x f- mr' | rev | sh",
      "a name that is put together": "ls; $(printf r; printf m) -f x",
    },
    "ask",
  ),
  ...list("*", {
    "a group": "{ rm -f x; }",
    "a subshell": "(rm -f x)",
    "a negation": "! rm -f x",
    "a keyword": "time rm -f x",
    "a condition": "if true; then rm -f x; fi",
    "a loop": "while rm x; do :; done",
    "a case": "case a in a) rm -f x;; esac",
    "a test with a substitution": "[[ -n $(rm -f x) ]]",
    "a process beside": "coproc rm -f x; wait",
    "an assignment in front": "LS=1 rm -f x",
    "a search path in front": "PATH=/bin rm -f x",
    "a variable": "a=rm; $a -f x",
    "an alias": "shopt -s expand_aliases\nalias ls='rm -f x'\nls",
    "a command of git by the environment": "GIT_SSH_COMMAND='rm -f x;' git ls-remote ssh://localhost/x",
    "a list in braces": "{rm,-f,x}",
    "another separator": "rm${IFS}-f${IFS}x",
    "a backslash": "\\rm -f x",
    "a backslash in the word": "r\\m -f x",
    "a backslash and a line end in the word": "r\\\nm -f x",
    "a home folder as a path": "HOME=/bin; ~/rm -f x",
    "a comment": "rm -f x # ls",
    "a here document at once": "bash <<'E'\nrm -f x\nE",
    "a text that is evaluated": "eval 'r''m -f x'",
    "a shell's option": "bash -c 'rm -f x'",
    "a shell's option among others": "bash -ec 'rm -f x'",
    "another shell's": "/bin/sh -c 'rm -f x'",
    "a shell behind a launcher": "timeout 5 bash -c 'rm -f x'",
    "a shell behind two": "env nice sh -c 'rm -f x'",
    "words that env splits": "env -S 'rm -f x'",
    "a program of awk": "awk 'BEGIN { system(\"rm -f x\") }'",
    "a pipe of awk": "awk 'BEGIN { \"rm -f x\" | getline }'",
    "a command of sed": "sed '1e rm -f x' y",
    "a program of perl": "perl -e 'system(\"rm -f x\")'",
    "a program of perl among options": "perl -we 'system(q(rm -f x))'",
    "a program of Python": "python3 -c 'import os; os.system(\"rm -f x\")'",
    "a program of Node": "node -e 'child_process.execSync(`rm -f x`)'",
    "a rule of make": "make --eval='all:;rm -f x' all",
    "a variable of make": "make 'X=$(shell rm -f x)' '--eval=all:;@echo $(X)' all",
    "a lock": "flock . -c 'rm -f x'",
    "an alias of git": "git -c alias.z='!rm -f x' z",
    "a program of git's": "git -c core.fsmonitor='rm -f x;' status",
    "a way to another machine of git's": "git -c core.sshCommand='rm -f x;' ls-remote ssh://localhost/x",
    "a program for the other side": "git ls-remote --upload-pack='rm -f x;' .",
    "such a program, shortened": "git ls-remote --upload='rm -f x;' .",
    "a pager of git's": "git grep --no-index -O'rm -f x;:' a y",
    "a check point of tar": "tar -cf /dev/null --checkpoint=1 --checkpoint-action='exec=rm -f x' y",
    "a compressor of tar": "tar -cf z -I 'sh -c \"rm -f x\" z' y",
    "a filter": "split --filter='rm -f x' y",
    "an index that test looks for": "test -v 'a[$(rm -f x)]'",
    "an index that printf writes to": "printf -v 'a[$(rm -f x)]' 1",
    "an index that read writes to": "read 'a[$(rm -f x)]'",
    "an index that is declared": "declare 'a[$(rm -f x)]=1'",
    "an expression": "let 'a[$(rm -f x)]'",
    "words to choose from": "compgen -W '$(rm -f x)'",
    "a proxy of ssh": "ssh -o ProxyCommand='rm -f x' localhost",
  }),
  ...list(
    "*",
    {
      "words that env splits, in one": "env '-Srm -f x'",
      "a way of git's to call programs": "git --exec-path=. z",
      "a result of sed that is run": "sed -n 's/.*/r\\x6d -f x/ep' y",
      "a file that sed writes": "sed -n 'w x' y",
      "a program of awk that writes": "awk 'BEGIN { print > \"x\" }'",
    },
    "ask",
  ),
  "a pager of man": { command: "man -P 'rm -f x' ls", allow: "man*", deny: "refuse", runs: "not here" },
  "a preprocessor of rg": { command: "rg --pre rm x", allow: "rg*", deny: "refuse", runs: "not here" },
  "a command of an editor": { command: "vim -es -c '!rm -f x' -c q", allow: "vim*", deny: "refuse", runs: "not here" },
  "a command of a pager": { command: "less '+!rm -f x' y", allow: "less*", deny: "refuse", runs: "not here" },
  "a package that is run": { command: "npm exec rm x", allow: "npm*", deny: "refuse", runs: "not here", simple: true },
  "a container": {
    command: "docker run -v .:/a b rm a/x",
    allow: "docker*",
    deny: "refuse",
    runs: "not here",
    simple: true,
  },
  "another machine": { command: "ssh localhost rm x", deny: "refuse", runs: "not here", simple: true },
  "a library in front": { command: "LD_PRELOAD=./a.so ls", allow: "LD*", deny: "ask", runs: "not here" },
  "another user": { command: "sudo rm -f x", deny: "refuse", runs: "not here", simple: true },
  "text for the eye": { command: "ls \u202e; rm -f x", allow: "ls*", deny: "refuse" },
  "a space that is none": { command: "ls\u00a0; rm -f x", allow: "ls*", deny: "refuse" },
  "a letter that cannot be seen": { command: "ls \u200b; rm -f x", allow: "ls*", deny: "refuse" },
}

const PROGRAMS: Record<string, Hidden> = {
  "a command of find": {
    command: "find . -maxdepth 0 -exec rm -f x ';'",
    allow: "find*",
    deny: "refuse",
    simple: true,
  },
  "a command of find in its folder": {
    command: "find y -execdir rm -f x ';'",
    allow: "find*",
    deny: "refuse",
    simple: true,
  },
  "find that deletes": { command: "find . -name x -delete", allow: "find . -name *", deny: "ask", simple: true },
  "find that writes": { command: "find y -fprint x", allow: "find*", deny: "ask", simple: true },
  "sort that writes": { command: "sort -o x y", allow: "sort*", deny: "ask", simple: true },
  "sort that writes, in one": { command: "sort -uox y", allow: "sort*", deny: "ask", simple: true },
  "sort that writes, shortened": { command: "sort --outp=x y", allow: "sort*", deny: "ask", simple: true },
  "git that writes": { command: "git diff --output=x", allow: "git diff*", deny: "ask", simple: true },
  "curl that writes": { command: "curl -so x file:///dev/null", allow: "curl*", deny: "ask", simple: true },
  "sed that writes": { command: "sed -i 1d x", allow: "sed*", deny: "ask", simple: true },
  "sed that writes, in one": { command: "sed -ni.old 2p x", allow: "sed*", deny: "ask", simple: true },
  "another file of make": { command: "make -sf makes all", allow: "make*", deny: "ask", simple: true },
}

/** Nothing but rm behind a word that is no operator: no narrow rule allows it, and a denial of rm sees it. */
const LAUNCHED = [
  "rm\t-f\tx",
  "/bin/rm -f x",
  "/bin/../bin/rm -f x",
  "../../../../bin/rm -f x",
  "'rm' -f x",
  "r''m -f x",
  'r"m" -f x',
  "env rm -f x",
  "env -i A=1 rm -f x",
  "command rm -f x",
  "builtin command rm -f x",
  "exec rm -f x",
  "nice -n 5 rm -f x",
  "nohup rm -f x",
  "timeout 5 rm -f x",
  "setsid -w rm -f x",
  "stdbuf -o0 rm -f x",
  "xargs rm -f x",
  "xargs -n 1 /bin/rm -f x",
]

const HIDDEN: Record<string, Hidden> = {
  ...SHELL,
  ...PROGRAMS,
  ...Object.fromEntries(
    LAUNCHED.map((command) => [`as ${command}`, { command, deny: "refuse" as const, simple: true as const }]),
  ),
}

const NARROW = ["git status*", "ls*", "find . -name *", "cat y*", "npm test*"]
const folder = temporaryFolder({ y: "a\nb\n", "git-z": "#!/bin/sh\nrm -f x\n", makes: "all:\n\trm -f x\n" })
const toolkit = await createToolkit({ builtins: ["bash"], cwd: folder.path })
const tool = toolkit.get("bash")
assert.ok(tool)
const HAS_BASH = existsSync("/bin/bash")

before(() => {
  spawnSync("git", ["init", "-q"], { cwd: folder.path })
  spawnSync("chmod", ["+x", "git-z"], { cwd: folder.path })
})

async function decided(command: string, ...rules: (readonly [Rule["effect"], string])[]): Promise<string> {
  const gate = createGate({
    cwd: folder.path,
    rules: rules.map(([effect, rule]) => ({ effect, rule: `bash(${rule})` })),
  })
  return (await gate.decide({ name: "bash", input: { command }, tool: tool! })).decision
}

const allow = (rule: string) => ["allow", rule] as const
const installed = (command: string) => {
  const needed = ["python3", "node", "curl", "ssh", "git", "make", "perl", "flock", "tar", "awk"].find((name) =>
    command.includes(name),
  )
  return needed === undefined || spawnSync("which", [needed]).status === 0
}

test("there are at least 60 ways of hiding a command here", () => assert.ok(Object.keys(HIDDEN).length >= 60))

for (const [what, hidden] of Object.entries(HIDDEN)) {
  test(`rm is not allowed by ${what}: ${JSON.stringify(hidden.command)}`, async () => {
    const { command } = hidden
    assert.equal(await decided(command, ...NARROW.map(allow)), "ask")
    if (hidden.allow !== undefined) assert.equal(await decided(command, allow(hidden.allow)), "ask")
    assert.equal(await decided(command, allow("*")), hidden.simple ? "allow" : "ask")
    assert.equal(
      await decided(command, ["deny", "rm*"], allow("*"), ...NARROW.map(allow)),
      hidden.deny === "ask" && hidden.simple ? "allow" : hidden.deny,
    )
  })
}

// What cannot be run proves nothing, but the gate's part is tested above.
for (const [what, { command, runs }] of Object.entries(HIDDEN)) {
  const skip = !HAS_BASH ? "no bash here" : (runs ?? (installed(command) ? false : "its program is not installed here"))
  test(`${what} does what is hidden`, { skip }, () => {
    folder.put("x", "line\nother\n")
    const { stderr, stdout } = spawnSync("/bin/bash", ["-c", command], {
      cwd: folder.path,
      encoding: "utf8",
      timeout: 20_000,
    })
    const left = existsSync(folder.at("x")) ? readFileSync(folder.at("x"), "utf8") : undefined
    assert.notEqual(left, "line\nother\n", `${stdout}${stderr}`)
  })
}
