import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { describe, it } from "node:test"
import { programWords, resumeCommand, shellQuote } from "../../../../src/cli/output/resume-command.ts"

const started = { env: {}, script: "/usr/local/bin/toolnexus", cwd: "/srv" }

describe("the resume command", () => {
  it("is quoted so that a shell reads the name back", () => {
    for (const name of ["a b", "it's", "$(touch x)", "a\nb", "`x`", "ä", "\u202Ex", "a\\b'\n", "*", "~", "-x"]) {
      const line = shellQuote(name)
      assert.ok(!line.includes("\n"), line)
      assert.equal(execFileSync("bash", ["-c", `printf %s ${line}`], { encoding: "utf8" }), name)
    }
  })
  it("is read back by every POSIX shell where a name holds control characters", () => {
    const names = ["\u001b[2Jx", "-\t%s%%\\n", "a\n\nb", 'it\'s "(so)" $(touch x) `y`\r', "\u202Eä\u0007", "--\u0001!x"]
    for (const shell of ["sh", "bash"]) {
      for (const name of names) {
        const line = shellQuote(name)
        assert.doesNotMatch(line, /[\u0000-\u001f\u202e]/)
        assert.equal(execFileSync(shell, ["-c", `printf %s ${line}`], { encoding: "utf8" }), name, `${shell} ${line}`)
      }
    }
  })
  it("leaves a plain name plain", () => {
    assert.equal(resumeCommand("runs/a.run.jsonl", started), "toolnexus resume runs/a.run.jsonl")
  })
  it("does not let a name pass for an option", () => {
    assert.equal(resumeCommand("-x.run.jsonl", started), "toolnexus resume ./-x.run.jsonl")
  })
  it("uses npx where it was started so", () => {
    const script = "/srv/node_modules/.bin/toolnexus"
    const npx = { npm_command: "exec", npm_lifecycle_event: "npx" }
    assert.deepEqual(programWords({ ...started, env: npx, script }), ["npx", "toolnexus"])
    assert.deepEqual(programWords({ ...started, env: npx, script: "/cache/_npx/1/node_modules/.bin/toolnexus" }), [
      "npx",
      "toolnexus",
    ])
    assert.deepEqual(programWords({ ...started, env: { npm_lifecycle_event: "ask" }, script }), ["npx", "toolnexus"])
    assert.deepEqual(programWords({ ...started, script }), ["npx", "toolnexus"])
  })
  it("uses the runner's own word under pnpm", () => {
    const env = { npm_command: "exec", npm_config_user_agent: "pnpm/9.0.0 npm/? node/v20" }
    assert.deepEqual(programWords({ ...started, env }), ["pnpm", "exec", "toolnexus"])
  })
  it("uses the name where it is installed for all, and the path of the script where node was given it", () => {
    const global = "/usr/lib/node_modules/toolnexus/bin/toolnexus.js"
    assert.deepEqual(programWords(started), ["toolnexus"])
    assert.deepEqual(programWords({ ...started, script: global }), ["node", global])
    assert.deepEqual(programWords({ ...started, script: "/srv/bin/toolnexus.js" }), ["node", "bin/toolnexus.js"])
  })
})
