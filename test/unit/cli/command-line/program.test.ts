import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Invocation } from "../../../../src/cli/command-line/invocation.ts"
import { parseCommandLine, UsageError } from "../../../../src/cli/command-line/program.ts"

function flagsOf(invocation: Invocation): Record<string, unknown> {
  assert.ok("flags" in invocation)
  return { ...invocation.flags }
}

describe("the command line", () => {
  it("takes options before and after the command, with the same meaning", () => {
    const after = parseCommandLine(["run", "do it", "--model", "m", "--quiet"])
    assert.deepEqual(parseCommandLine(["--model", "m", "--quiet", "run", "do it"]), after)
    assert.deepEqual(parseCommandLine(["--model", "m", "run", "--quiet", "do it"]), after)
    assert.deepEqual(parseCommandLine(["--model=m", "run", "do it", "--quiet"]), after)
  })
  it("gives run and resume the same options", () => {
    const options = [
      "--base-url",
      "http://h",
      "--tools",
      "a",
      "--tools",
      "b",
      "--answer",
      "x",
      "--timeout",
      "2m",
      "--no-input",
    ]
    const run = flagsOf(parseCommandLine(["run", "p", ...options]))
    assert.deepEqual(flagsOf(parseCommandLine(["resume", "f", ...options])), run)
    assert.deepEqual([run.tools, run.timeout, run.input, run.builtins], [["a", "b"], 120_000, false, true])
  })
  it("never takes a file for the value of an option", () => {
    const it = parseCommandLine(["resume", "--approve", "f.run.jsonl"])
    assert.equal(it.command === "resume" && it.file, "f.run.jsonl")
  })
  it("takes a value that looks like an option, or like a command", () => {
    assert.deepEqual(flagsOf(parseCommandLine(["resume", "f", "--answer", "-5"])).answer, ["-5"])
    assert.deepEqual(flagsOf(parseCommandLine(["--answer", "run", "resume", "f"])).answer, ["run"])
  })
  it("takes everything behind -- as it is", () => {
    const it = parseCommandLine(["run", "--quiet", "--", "--help"])
    assert.equal(it.command === "run" && it.prompt, "--help")
  })
  it("has no option with an optional value", () => {
    const it = parseCommandLine(["run", "--help"])
    assert.ok(it.command === "help" && !/--[a-z-]+ \[/.test(it.text))
  })
  it("lists with runs alone, with options too", () => {
    assert.equal(parseCommandLine(["runs"]).command, "runs list")
    const json = parseCommandLine(["--output", "json", "runs"])
    assert.equal(json.command, "runs list")
    assert.equal(flagsOf(json).output, "json")
    assert.equal(parseCommandLine(["runs", "show", "f"]).command, "runs show")
  })
  it("names no option in a command's help that the command always refuses or has no use for", () => {
    const helpOf = (...command: string[]) => {
      const it = parseCommandLine([...command, "--help"])
      return it.command === "help" ? it.text : ""
    }
    assert.doesNotMatch(
      helpOf("run"),
      /^ +--(answer|answers|answer-env|approve|decline|note|in-doubt|accept-recorded)\b/m,
    )
    assert.match(helpOf("run"), /^ +--file /m)
    assert.doesNotMatch(helpOf("resume"), /^ +--file /m)
    assert.match(helpOf("resume"), /^ +--approve /m)
    for (const which of ["list", "prune", "verify", "unlock"]) assert.doesNotMatch(helpOf("runs", which), /--verbose/)
    assert.doesNotMatch(helpOf("answer"), /--verbose/)
    assert.match(helpOf("runs", "show"), /--verbose +arguments and results/)
    const it = parseCommandLine(["run", "x", "--approve"])
    assert.equal(it.command === "run" && it.flags.approve, true)
  })
  it("gives its help to whoever asks, and to whoever says nothing", () => {
    const asked = parseCommandLine(["--help"])
    assert.ok(asked.command === "help" && asked.asked === "for it" && /resume FILE/.test(asked.text))
    const nothing = parseCommandLine([])
    assert.ok(nothing.command === "help" && nothing.asked === "for nothing")
    for (const command of ["run", "resume", "answer", "runs"]) {
      const it = parseCommandLine([command, "--help"])
      assert.ok(it.command === "help" && /Examples:\n/.test(it.text), command)
    }
  })
  it("knows --version", () => {
    assert.equal(parseCommandLine(["--version"]).command, "version")
  })
})

describe("a mistake on the command line is one line that says what to do", () => {
  const cases: [string[], RegExp][] = [
    [["rnu", "x"], /unknown command 'rnu': Did you mean run\?/],
    [["fix the tests"], /unknown command 'fix the tests': to run a prompt: toolnexus run "\.\.\."/],
    [["run", "x", "--modle", "m"], /unknown option '--modle': Did you mean --model\?/],
    [["--modle", "m", "run", "x"], /unknown option '--modle': Did you mean --model\?/],
    [["runs", "lsit"], /unknown command 'lsit': Did you mean list\?/],
    [["run", "fix", "it"], /too many arguments.*quotes/],
    [["resume"], /missing required argument 'file'/],
    [["run", "--file"], /argument missing: it takes a value/],
    [["run", "--max-turns", "many"], /whole number above 0/],
    [["run", "--timeout", "10"], /duration above 0, such as 90s/],
    [["run", "--output", "yaml"], /allowed choices are text, json, jsonl: correct it/],
    [["run", "--api-key-env", "sk-123"], /not the key itself/],
    [["run", "--quiet", "--verbose"], /cannot be used with/],
    [["answer", "f", "--model", "m"], /unknown option '--model'/],
  ]
  for (const [argv, message] of cases) {
    it(argv.join(" "), () => {
      assert.throws(
        () => parseCommandLine(argv),
        (error: Error) => {
          assert.match(error.message, message)
          assert.ok(!error.message.includes("\n"))
          return error instanceof UsageError
        },
      )
    })
  }
})
