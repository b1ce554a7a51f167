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
]

for (const [pattern, command] of FOUND) {
  test(`${pattern} is found in ${JSON.stringify(command)}`, () => assert.equal(mayContain(command, pattern), true))
}

for (const [pattern, command] of NOT_FOUND) {
  test(`${pattern} is not found in ${JSON.stringify(command)}`, () => assert.equal(mayContain(command, pattern), false))
}
