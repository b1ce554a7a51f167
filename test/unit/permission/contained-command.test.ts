import assert from "node:assert/strict"
import { test } from "node:test"
import { mayContain } from "../../../src/permission/contained-command.ts"

const FOUND: [pattern: string, command: string][] = [
  ["rm*", "rm -rf x"],
  ["rm *", "ls; rm -rf x"],
  ["rm *", "ls;rm x"],
  ["rm *", "ls && rm x"],
  ["rm *", "ls || rm x"],
  ["rm *", "ls | rm x"],
  ["rm *", "ls & rm x"],
  ["rm *", "ls\nrm x"],
  ["rm *", "echo $(rm x)"],
  ["rm *", "echo `rm x`"],
  ["rm *", 'echo "$(rm x)"'],
  ["rm *", "cat <(rm x)"],
  ["rm *", "(rm x)"],
  ["rm *", "{ rm x; }"],
  ["rm *", "if true; then rm x; fi"],
  ["rm *", "X=1 rm x"],
  ["rm *", ">log rm x"],
  ["rm *", "sudo rm x"],
  ["rm *", "xargs -n 1 rm x"],
  ["rm *", "bash -c 'rm x'"],
  ["rm *", 'bash -c "rm x"'],
  ["rm *", "eval rm x"],
  ["rm *", "/bin/rm x"],
  ["rm *", "sudo ../../bin/rm x"],
  ["rm *", "bin/rm x"],
  ["rm *", "ls; tools/bin/rm x"],
  ["rm *", "\\rm x"],
  ["rm *", "r''m x"],
  ["rm *", "'rm' x"],
  ["rm *", 'r"m" x'],
  ["rm *", "r\\m x"],
  ["rm *", "r\\\nm x"],
  ["rm *", "rm\tx"],
  ["rm *", "rm   x"],
  ["rm *", "rm${IFS}x"],
  ["rm *", "{rm,x}"],
  ["rm*", "R=rm; $R x"],
  ["git push", "git push"],
  ["git push", "git   push"],
  ["git push", "ls; git push && echo ok"],
  ["git push", "git push >/dev/null"],
  ["git push", "sh -c 'git push'"],
  ["git push*--force*", "git push origin main --force"],
  ["git push * main", "git push origin main; ls"],
  ["*curl*", "ls; curl x"],
  ["rm *", "git -c alias.x='!rm y' x"],
  ["rm *", 'python3 -c \'subprocess.run(["rm", "x"])\''],
  ["rm *", "rm<x"],
  ["rm *", "r=rm; $r x"],
  ["rm *", "${x:-rm} y"],
  ["rm *", "IFS=,; a=rm,x; $a"],
  ["git push*", "git -C sub push"],
  ["git push*", "git --no-pager -c a.b=c push origin"],
  ["git push", "git --no-pager push"],
  ["git push*--force*", "git -C sub push --force"],
  ["git remote add*", "git -C sub remote -v add x"],
  ["npm run build*", "npm --prefix x run --silent build"],
  ["cat /etc/*", "cat //etc/passwd"],
  ["cat /etc/*", "cat /usr/../etc/passwd"],
  ["cat .env*", "cat ./.env"],
  ["git push *", "git push"],
  ["git push *", "git -C sub push"],
  ["git push *", "sudo git push && ls"],
  ["rm *", "xargs -a list rm"],
  ["rm *", "ls | xargs rm"],
  ["rm *", "parallel rm :::: list"],
  ["npm * publish *", "npm -w a publish"],
]

const NOT_FOUND: [pattern: string, command: string][] = [
  ["rm *", "ls"],
  ["rm *", "rmdir x"],
  ["rm *", "npm rmx y"],
  ["rm *", "farm x"],
  ["git push", "git push-to-checkout"],
  ["git push", "git pull"],
  ["git*", "curl https://github.com/x"],
  ["git push*--force*", "git push origin main"],
  ["nc *", "grep -rnc x"],
  ["git push*", "git stash push"],
  ["git push*", "git log push"],
  ["git push*", "git log --oneline"],
  ["git push *", "git push-to-checkout"],
  ["rm *", "ls rmdir"],
]

for (const [pattern, command] of FOUND) {
  test(`${pattern} is found in ${JSON.stringify(command)}`, () => assert.equal(mayContain(command, pattern), true))
}

for (const [pattern, command] of NOT_FOUND) {
  test(`${pattern} is not found in ${JSON.stringify(command)}`, () => assert.equal(mayContain(command, pattern), false))
}

test("a very long command is read in one go, and what is too much to look at is taken for what is looked for", () => {
  assert.equal(mayContain("git push ".repeat(100_000), "git push*--force*"), false)
  assert.equal(mayContain("git -x ".repeat(100_000), "git push*"), true)
  assert.equal(mayContain("a".repeat(1_000_000), "rm *"), false)
  assert.equal(mayContain("a/b -c ".repeat(100_000), "rm *"), false)
})
