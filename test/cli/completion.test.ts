import assert from "node:assert/strict"
import { mkdirSync } from "node:fs"
import { describe, it, type TestContext } from "node:test"
import { describedProgram } from "../../src/cli/command-line/program.ts"
import { pathOf, VALUES } from "../../src/cli/completion/candidates.ts"
import { everyOption } from "../../src/cli/completion/typed-line.ts"
import { replyCalls, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { type Place, place, type RunWith, TOOLS } from "./command-line.ts"
import { MARKING_MODULE, MARKING_SERVER, projectPlace } from "./project-place.ts"

/** What is offered, each with what is said of it. */
async function offered({ run }: Pick<Place, "run">, words: string[], options: RunWith = {}) {
  const { code, out, err } = await run(["__complete", "fish", ...words], options)
  assert.deepEqual([code, err], [0, ""])
  const [says = "", ...lines] = out.slice(0, -1).split("\n")
  const all = lines.map((line) => line.split("\t"))
  return { says, words: all.map(([word = ""]) => word), abouts: all.map(([, about = ""]) => about) }
}

function configured(t: TestContext, configuration: unknown): Place {
  const here = place(t)
  mkdirSync(here.path("config/toolnexus"), { recursive: true })
  here.write("config/toolnexus/config.json", configuration)
  return here
}

describe("toolnexus completion", () => {
  it("prints a script for each shell, and nothing else", async (t) => {
    const { run } = place(t)
    for (const shell of ["bash", "zsh", "fish"]) {
      const { code, out, err } = await run(["completion", shell])
      assert.deepEqual([code, err], [0, ""])
      assert.match(out, new RegExp(`^#.*\\b${shell}|^#compdef toolnexus`))
      assert.match(out, /toolnexus __complete/)
    }
  })

  it("says without a shell which there are and how each is set up, and exits 2", async (t) => {
    const { code, out, err } = await place(t).run(["completion"])
    assert.deepEqual([code, out], [2, ""])
    for (const shell of ["bash", "zsh", "fish"]) assert.match(err, new RegExp(`^ +${shell} +\\S.*`, "m"))
    assert.match(err, /~\/\.zshrc/)
    const help = await place(t).run(["completion", "--help"])
    assert.deepEqual([help.code, help.out.trimEnd()], [0, err.trimEnd()])
  })

  it("refuses another shell with those that there are", async (t) => {
    const { code, lastLine } = await place(t).run(["completion", "tcsh"])
    assert.equal(code, 2)
    assert.match(lastLine, /'tcsh' is invalid for argument 'shell': allowed choices are bash, zsh, fish: correct it/)
  })
})

describe("what is offered on a command line", () => {
  it("is every command, with its summary, at each level", async (t) => {
    const here = place(t)
    const program = describedProgram()
    const all = await offered(here, [""])
    assert.deepEqual(
      all.words,
      program.commands.map((command) => command.name()),
    )
    assert.ok(all.abouts.every((about) => about !== ""))
    assert.deepEqual((await offered(here, ["--quiet", "tools", ""])).words, ["list", "call"])
  })

  it("is the command's options, as its help has them, without those that are given or excluded", async (t) => {
    const here = place(t)
    const { words } = await offered(here, ["run", "--"])
    assert.ok(words.includes("--base-url") && words.includes("--no-input") && words.includes("--help"))
    assert.ok(!words.includes("--approve"))
    const again = (await offered(here, ["run", "--quiet", "--model", "m", "--deny", "bash", "x", "--"])).words
    assert.deepEqual(
      words.filter((word) => !again.includes(word)),
      ["--model", "--quiet", "--verbose", "--debug"],
    )
    assert.deepEqual((await offered(here, ["runs", "--"])).words, (await offered(here, ["runs", "list", "--"])).words)
    assert.deepEqual((await offered(here, ["run", "--", "--"])).words, [])
  })

  it("is an option's values, behind it or behind its equals sign", async (t) => {
    const here = place(t)
    assert.deepEqual((await offered(here, ["run", "--style", ""])).words, ["openai", "anthropic"])
    assert.deepEqual((await offered(here, ["run", "--output="])).words, [
      "--output=text",
      "--output=json",
      "--output=jsonl",
    ])
    assert.equal((await offered(here, ["run", "--tools", ""])).says, "files")
    assert.equal((await offered(here, ["trust", ""])).says, "folders")
    assert.deepEqual(await offered(here, ["run", "--system", ""]), { says: "", words: [], abouts: [] })
    const keys = await offered(here, ["run", "--api-key-env", ""], { env: { MY_API_KEY: "sk-1", OTHER: "x" } })
    assert.deepEqual(keys.words, ["MY_API_KEY"])
  })

  it("needs no line for an option or argument that the program does not have", () => {
    const program = describedProgram()
    const commands = [program, ...program.commands.flatMap((command) => [command, ...command.commands])]
    const named = new Set([
      ...everyOption(program).flatMap(({ long, flags }) => [long, /<[^>]*>/.exec(flags)?.[0]]),
      ...commands.flatMap((command) =>
        command.registeredArguments.flatMap((it) => [it.name(), `${pathOf(command)} ${it.name()}`]),
      ),
    ])
    assert.deepEqual(
      Object.keys(VALUES).filter((name) => !named.has(name)),
      [],
    )
  })

  it("is the profiles, agents and models of the configuration", async (t) => {
    const profiles = { work: { baseUrl: "https://h/v1", model: "big" }, home: { baseUrl: "http://localhost:1/v1" } }
    const here = configured(t, { profiles, agents: { tidy: { system: "You tidy up.\nWell." } } })
    assert.deepEqual((await offered(here, ["run", "--profile", ""])).words, ["work", "home"])
    const agents = await offered(here, ["run", "--agent", ""])
    assert.deepEqual([agents.words, agents.abouts], [["tidy"], ["You tidy up. Well."]])
    assert.deepEqual((await offered(here, ["run", "--model", ""])).words, ["demo", "big"])
    assert.ok((await offered(here, ["run", "--base-url", ""])).words.includes("https://h/v1"))
  })

  it("is the settings, with the names that the person's own file has", async (t) => {
    const here = configured(t, { profiles: { "a.b": { baseUrl: "http://h/v1" } } })
    const { words } = await offered(here, ["config", "set", ""])
    for (const name of ["profile", "limits.maxTurns", "permissions.deny", 'profiles."a.b"', 'profiles."a.b".model'])
      assert.ok(words.includes(name), name)
    assert.deepEqual((await offered(here, ["config", "get", ""])).words, words)
    assert.ok((await offered(place(t), ["config", "unset", ""])).words.includes("limits.maxTurns"))
  })

  it("is the tools whose names are known without running anything", async (t) => {
    const relay = [{ name: "deploy", description: "deploys" }]
    const here = configured(t, { relay: ["relay.json"], mcpServers: { files: { command: "no-such-program" } } })
    here.write("config/toolnexus/relay.json", relay)
    const { words } = await offered(here, ["tools", "call", ""])
    assert.ok(words.includes("bash") && words.includes("deploy"))
    const rules = await offered(here, ["run", "--deny", ""])
    assert.ok(rules.words.includes("bash") && rules.words.includes("mcp:files/"))
    assert.equal(rules.says, "nospace")
    assert.deepEqual((await offered(here, ["tools", "call", "--no-builtins", ""])).words, ["deploy"])
  })

  it("is the runs that the command has something to do with, and what is open in one", async (t) => {
    const calls = [
      { id: "c1", name: "deploy", arguments: { service: "api" } },
      { id: "c2", name: "deploy", arguments: { service: "web" } },
    ]
    await using endpoint = await scriptedEndpoint([replyCalls(calls)]).listen()
    const here = place(t)
    here.write("tools.mjs", TOOLS)
    const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--tools", "tools.mjs", "--allow", "deploy"]
    const halted = await here.run(["run", "ship it", ...options, "--output", "json"])
    await here.run(["run", "--model", "demo", "hello", "--no-input"])
    const { runId, file, suspended } = halted.json
    const id = /^run_([0-9a-f]{8})/.exec(runId)?.[1] as string
    const answerable = await offered(here, ["answer", ""])
    assert.ok(answerable.words.includes(id) && answerable.says === "files")
    assert.match(answerable.abouts[answerable.words.indexOf(id)] ?? "", /^pending, .*: ship it$/)
    assert.deepEqual((await offered(here, ["runs", "unlock", ""])).words, [])
    const ids = suspended.map((request: { id: string }) => `${request.id}=`)
    assert.deepEqual((await offered(here, ["resume", id, "--answer", ""])).words, ids)
    assert.deepEqual((await offered(here, ["answer", file, "--answer", ""])).words, ids)
    assert.deepEqual((await offered(here, ["resume", id, "--answer-env", ""])).words, [])
    assert.deepEqual((await offered(here, ["resume", "no-such-file", "--answer", ""])).words, [])
  })

  it("is nothing of a project that is not trusted, and runs nothing of one that is", async (t) => {
    const { here, put, run, trust, repo, left } = await projectPlace(t, [])
    put("marking.mjs", MARKING_MODULE)
    put("word.mjs", 'export const word = "hi"')
    put("server.mjs", MARKING_SERVER)
    const mcpServers = { theirs: { command: process.execPath, args: ["server.mjs"] } }
    const profiles = { theirs: { baseUrl: "http://evil.test/v1" } }
    put(".toolnexus/config.json", { profiles, mcpServers, tools: ["../marking.mjs"] })
    const at = { run, cwd: repo }
    assert.deepEqual((await offered(at, ["run", "--profile", ""])).words, [])
    assert.ok(!(await offered(at, ["run", "--deny", ""])).words.includes("mcp:theirs/"))
    assert.deepEqual((await offered(at, ["run", "--trust-project", "--profile", ""])).words, ["theirs"])
    await trust()
    assert.deepEqual((await offered(at, ["run", "--profile", ""])).words, ["theirs"])
    assert.deepEqual((await offered(here, ["run", "--cwd", repo, "--profile", ""])).words, ["theirs"])
    assert.ok((await offered(at, ["run", "--deny", ""])).words.includes("mcp:theirs/"))
    assert.deepEqual([left("module-ran"), left("server-ran")], [false, false])
  })

  it("is nothing, silently, where files are broken or the line makes no sense", async (t) => {
    const here = configured(t, "{ broken")
    assert.deepEqual((await offered(here, ["run", "--profile", ""])).words, [])
    assert.ok((await offered(here, ["run", "--deny", ""])).words.includes("bash"))
    assert.deepEqual((await offered(here, ["nonsense", "--what", "is"])).words, [])
    assert.deepEqual((await here.run(["__complete"])).code, 0)
    assert.deepEqual(await offered(here, ["run", "--cwd", "/no/such/folder", "--profile", ""]), {
      says: "",
      words: [],
      abouts: [],
    })
  })

  it("is quoted for bash as far as the line has no quotes itself, and leaves out what cannot be typed", async (t) => {
    const url = { baseUrl: "http://h/v1" }
    const profiles = {
      "a b": url,
      "a$(id)": url,
      "a\nrm -rf x": url,
      "a\u202Ex": url,
      "a'b": url,
      "a!c": url,
      "c:d": url,
    }
    const { run } = configured(t, { profiles })
    const replies = async (line: string) => {
      const { out } = await run(["__complete", "bash", line, " \t\n\"'@><=;|&(:"])
      return out.split("\n").slice(1, -1)
    }
    assert.deepEqual(await replies("toolnexus run --profile a"), ["a\\ b", "a\\$\\(id\\)", "a\\'b", "a\\!c"])
    assert.deepEqual(await replies("toolnexus run --profile a\\ "), ["a\\ b"])
    assert.deepEqual(await replies("toolnexus run --profile 'a"), ["a b", "a$(id)", "a!c"])
    assert.deepEqual(await replies('toolnexus run --profile "a'), ["a b", "a\\$(id)", "a'b"])
    assert.deepEqual(await replies("toolnexus run --profile=a"), ["a\\ b", "a\\$\\(id\\)", "a\\'b", "a\\!c"])
    assert.deepEqual(await replies("toolnexus run --profile c:"), ["d"])
    assert.deepEqual(await replies("toolnexus run --profile x"), [])
  })
})
