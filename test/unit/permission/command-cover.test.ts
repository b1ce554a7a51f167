import assert from "node:assert/strict"
import { mkdirSync, symlinkSync } from "node:fs"
import { test } from "node:test"
import { isPlainCommand, misfitOfCommand } from "../../../src/permission/command-cover.ts"
import { temporaryFolder } from "../../support/folder.ts"

const folder = temporaryFolder({ "src/a": "", "bin/real": "" })
mkdirSync(folder.at("src/deep"))
symlinkSync("/etc/passwd", folder.at("src/link"))
symlinkSync("/usr/bin/env", folder.at("bin/python"))
symlinkSync("../src/a", folder.at("bin/inside"))

const why = (pattern: string, command: string) => misfitOfCommand(pattern, command, folder.path)?.why

const COVERED: [pattern: string, command: string][] = [
  ["git status*", "git status --short"],
  ["git*", "git log -c --cc -p"],
  ["git*", "git switch -c new"],
  ["git*", "git add a b c config"],
  ["git*", "git -C sub --no-pager diff"],
  ["git log*", "git log --grep 'a; b | c'"],
  ["find*", "find . -name '*.ts' -newer x"],
  ["sort*", "sort -rnk2 x"],
  ["sed*", "sed -n 1,5p x"],
  ["sed*", "sed -n -e 5p x"],
  ["sed*", "sed -En '/a.c/,$p' x"],
  ["sed*", "sed 's/a\\/b/c/g' x"],
  ["awk*", "awk '{ print $1 }' x"],
  ["tar*", "tar -xzf a.tgz"],
  ["npm*", "npm run build"],
  ["make*", "make -C sub all"],
  ["python*", "python3.11 -m pytest -x"],
  ["bash*", "bash script.sh"],
  ["*", "env A=1 npm test"],
  ["*", "timeout 60 npm test"],
  ["*", "find . -delete"],
  ["timeout 60 npm test*", "timeout 60 npm test -- --grep y"],
  ["git -c *", "git -c user.name=x commit"],
  ["find * -exec grep *", "find . -name x -exec grep y ';'"],
  ["find * -exec grep *", "find . -name '*.ts' -exec grep -n 'a b' x ';'"],
  ["find . -exec ls x ';' -exec wc x ';'", "find . -exec ls x ';' -exec wc x ';'"],
  ["awk '{ print > 1 }' *", "awk '{ print > 1 }' x"],
  ["awk 'BEGIN { system(1) }'", "awk 'BEGIN { system(1) }'"],
  ["sh -c 'a; b'", "sh -c 'a; b'"],
  ["sort -o*", "sort -ox y"],
  ["git log --output=*", "git log --output=x"],
  ["git -c core.pager=cat log*", "git -c core.pager=cat log -3"],
  ['git commit -m "*"', 'git commit -m "a b"'],
  ["cat src/*", "cat src/a"],
  ["cat src/*", "cat src/deep/../a"],
  ["cat *", "cat ../x"],
  ["cat *", "cat src/link"],
  ["cat src/link", "cat src/link"],
  ["bin/python -m pytest*", "bin/python -m pytest -x"],
  ["bin/*", "bin/real"],
  ["bin/*", "bin/inside"],
  ["curl https://a.test/pub/*", "curl https://a.test/pub/x"],
]

for (const [pattern, command] of COVERED) {
  test(`allow ${pattern} is for ${JSON.stringify(command)}`, () => assert.equal(why(pattern, command), undefined))
}

const NOT_COVERED: [pattern: string, command: string, why: RegExp][] = [
  ["git status*", "git push", /does not fit/],
  ["git status*", "git status; ls", /not one simple command/],
  [
    "find*",
    "find . -delete",
    /^a \* does not stand for "-delete", which runs another command, writes or deletes: a rule must write it out$/,
  ],
  ["find . -exec*", "find . -execdir rm x ';'", /"-execdir"/],
  ["find * -exec grep *", "find . -exec grep x y ';' -exec rm x ';'", /"-exec"/],
  ["find * -exec grep *", "find . -name ' -exec grep ' -exec rm x ';'", /part of a quoted text/],
  ["git*", "git -c alias.x=!rm x", /"-c", which has a text or a file run/],
  ["git*", "git --no-pager -c alias.x=!rm x", /"-c"/],
  ["git*", "git config core.fsmonitor rm", /"config"/],
  ["git*", "git clone ext::sh x", /"ext::sh"/],
  ["git*", "/usr/bin/git status", /does not fit/],
  ["*git*", "/usr/bin/git -c alias.x=!rm x", /"-c"/],
  ["python*", "python3.11 -Bc 'x'", /"-Bc"/],
  ["timeout*", "timeout 5 bash -c x", /"bash"/],
  ["timeout * git *", "timeout 5 git -c alias.x=!rm x", /"-c"/],
  ["sed*", "sed -n '1,5p;6e' x", /"1,5p;6e"/],
  ["sed*", "sed 's/a/b/w c' x", /which has a text/],
  ["sed*", "sed -e 5p -e 6e x", /"6e"/],
  ["sort *", `sort ${"x ".repeat(2000)}`, /more words than are looked at/],
  ["cat src/*", "cat src/../../etc/passwd", /"src\/..\/..\/etc\/passwd" leads to "..\/etc\/passwd"/],
  ["cat src/*", "cat src/link", /"src\/link" leads to "\/etc\/passwd"/],
  ["cat --file=src/*", "cat --file=src/../x", /leads to "--file=x"/],
  ["bin/*", "bin/python x", /leads to "\/.*env"/],
  ["bin/*", "bin/../../bin/rm", /leads to/],
  ["curl https://a.test/pub/*", "curl https://a.test/pub/../key", /leads to "https:\/\/a.test\/key"/],
]

for (const [pattern, command, reason] of NOT_COVERED) {
  test(`allow ${pattern} is not for ${JSON.stringify(command.slice(0, 80))}`, () => {
    assert.match(why(pattern, command) ?? "(it is)", reason)
  })
}

test("what is written in a plain command is what runs", () => {
  for (const command of ["ls -l", "env A=1 ls", "find . -delete"]) assert.equal(isPlainCommand(command), true, command)
  for (const command of ["ls; ls", "$x", "sh -c 'ls'", "env sh -c ls", "eval ls", "test -v 'a[$(ls)]'"]) {
    assert.equal(isPlainCommand(command), false, command)
  }
})

test("a very long command is judged in one go", () => {
  assert.match(why("*", `find ${"x ".repeat(300_000)}`) ?? "", /more words/)
  assert.equal(why("*", `echo ${"a".repeat(1_000_000)}`), undefined)
})
