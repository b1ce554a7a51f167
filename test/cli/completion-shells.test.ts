import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { SHELLS, type Shell } from "../../src/cli/completion/shell.ts"
import { type Pty, startPty } from "../support/pty.ts"

const bin = resolve(import.meta.dirname, "../../bin/toolnexus.js")

/** How each is started without anybody's configuration, and how it takes the script. */
const START: Record<Shell, { argv: [string, ...string[]]; setUp: string }> = {
  bash: { argv: ["bash", "--norc", "--noprofile", "-i"], setUp: "source <(toolnexus completion bash)" },
  zsh: {
    argv: ["zsh", "-f", "-i"],
    setUp: "unsetopt prompt_sp; autoload -Uz compinit; compinit -u -D; source <(toolnexus completion zsh)",
  },
  fish: { argv: ["fish", "--no-config", "-i"], setUp: "toolnexus completion fish | source" },
}

const PROMPT: Record<Shell, string> = {
  bash: "PS1='ready> '",
  zsh: "PROMPT='ready> '",
  fish: "function fish_prompt; echo -n 'ready> '; end",
}

/** Names that a file can have a shell read. */
const HOSTILE = "z$(touch hacked)`touch hacked`; touch hacked\\ '\"!x"

interface At {
  pty: Pty
  dir: string
  env: Record<string, string>
  /** Types a line up to a Tab, and waits for what is there then. */
  tab(line: string, shows: string | RegExp): Promise<void>
  /** Sends the line, and tells what the program was given. */
  given(): Promise<string[]>
}

async function shellAt(t: TestContext, shell: Shell): Promise<At> {
  const dir = mkdtempSync(join(tmpdir(), "toolnexus-shell-"))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const at = (name: string) => join(dir, name)
  mkdirSync(at("bin"))
  mkdirSync(at("work/some folder"), { recursive: true })
  mkdirSync(at("config/toolnexus"), { recursive: true })
  writeFileSync(at("work/my run.jsonl"), "")
  const profiles = {
    "night shift": { baseUrl: "http://localhost:1/v1" },
    [HOSTILE]: { baseUrl: "http://localhost:1/v1" },
  }
  writeFileSync(at("config/toolnexus/config.json"), JSON.stringify({ profiles }))
  // The program itself where the shell asks it; else what tells what it was given.
  const tell = `const fs = require("fs"); const file = ${JSON.stringify(at("given"))}
fs.appendFileSync(file, JSON.stringify(process.argv.slice(1)) + "\\n")
console.log("told", fs.readFileSync(file, "utf8").trim().split("\\n").length)`
  writeFileSync(
    at("bin/toolnexus"),
    `#!/bin/sh\ncase "$1" in __complete|completion) exec '${process.execPath}' '${bin}' "$@" ;; esac\nexec '${process.execPath}' -e '${tell}' -- "$@"\n`,
  )
  chmodSync(at("bin/toolnexus"), 0o755)
  const env = {
    PATH: `${at("bin")}:${process.env.PATH}`,
    HOME: dir,
    XDG_CONFIG_HOME: at("config"),
    XDG_DATA_HOME: at("data"),
    XDG_CACHE_HOME: at("cache"),
    TOOLNEXUS_STATE_DIR: at("state"),
    LC_ALL: "C.UTF-8",
    INPUTRC: "/dev/null",
  }
  const pty = startPty(t, START[shell].argv, { cwd: at("work"), columns: 120, env })
  pty.type(`${PROMPT[shell]}\r`)
  await pty.waitFor(/^ready> /m)
  pty.type(`${START[shell].setUp}; echo SET''UP\r`)
  await pty.waitFor(/^SETUP/m)
  let lines = 0
  return {
    pty,
    dir: at("work"),
    env,
    async tab(line, shows) {
      pty.type(`${line}\t`)
      await pty.waitFor(typeof shows === "string" ? (screen) => screen.includes(`ready> ${shows}`) : shows)
    },
    async given() {
      lines += 1
      pty.type("\r")
      await pty.waitFor(new RegExp(`told ${lines}\\s+ready>`))
      return JSON.parse(readFileSync(at("given"), "utf8").trim().split("\n").at(-1) ?? "")
    },
  }
}

for (const shell of SHELLS) {
  const found = spawnSync(shell, ["-c", "true"]).status === 0
  const skip = found ? false : `there is no ${shell} on this machine`
  describe(`completion in ${shell}`, { skip, timeout: 60_000 }, () => {
    it("completes commands, options, and the values of options", async (t) => {
      const { pty, tab, given } = await shellAt(t, shell)
      await tab("toolnexus resu", "toolnexus resume ")
      await tab("--outp", "toolnexus resume --output ")
      await tab("jsonl", "toolnexus resume --output jsonl ")
      await tab("--in-doubt=re", "toolnexus resume --output jsonl --in-doubt=rerun ")
      pty.type("x")
      assert.deepEqual(await given(), ["resume", "--output", "jsonl", "--in-doubt=rerun", "x"])
    })

    it("shows what there is where several fit", async (t) => {
      const { pty, tab } = await shellAt(t, shell)
      await tab("toolnexus runs \t", /prune[\s\S]*|unlock/)
      const screen = await pty.waitFor((it) =>
        ["list", "show", "prune", "verify", "unlock"].every((word) => it.includes(word)),
      )
      if (shell !== "bash") assert.match(screen, /look a run file over/)
    })

    it("completes files and folders as the shell does, with its quotes", async (t) => {
      const { tab, given } = await shellAt(t, shell)
      await tab("toolnexus resume my", /my\\ run\.jsonl/)
      await tab("--cwd so", /some\\ folder\//)
      const [command, file, option, folder = ""] = await given()
      // zsh takes the slash away again when the line is sent.
      assert.deepEqual(
        [command, file, option, folder.replace(/\/$/, "")],
        ["resume", "my run.jsonl", "--cwd", "some folder"],
      )
    })

    it("completes a folder behind an equals sign, and inside a quote that is open", async (t) => {
      const { pty, tab, given } = await shellAt(t, shell)
      const folderIn = ([, , value = ""]: string[]) => value.replace(/^--cwd=/, "").replace(/\/$/, "")
      await tab("toolnexus run x --cwd=so", /--cwd=some\\ folder/)
      assert.equal(folderIn(await given()), "some folder")
      await tab('toolnexus trust "some f', /"some folder/)
      if (shell !== "bash") pty.type('"') // these leave it open behind a folder
      const [command, folder = ""] = await given()
      assert.deepEqual([command, folder.replace(/\/$/, "")], ["trust", "some folder"])
    })

    it("quotes a name from a file, and never obeys it", async (t) => {
      const { dir, tab, given } = await shellAt(t, shell)
      await tab("toolnexus run --profile ni", /night(\\ | )shift/)
      await tab("--profile z", /hacked.*x/)
      assert.deepEqual(await given(), ["run", "--profile", "night shift", "--profile", HOSTILE])
      await tab('toolnexus run --profile "ni', /"night shift/)
      assert.deepEqual(await given(), ["run", "--profile", "night shift"])
      assert.deepEqual(readdirSync(dir).sort(), ["my run.jsonl", "some folder"])
    })

    it("offers the runs that wait beside the files", async (t) => {
      const { pty, env, tab, given } = await shellAt(t, shell)
      const argv = [bin, "run", "--model", "demo", "--no-input", "--output", "json"]
      const halted = spawnSync(process.execPath, argv, { env: { ...process.env, ...env }, encoding: "utf8" })
      const id = /^run_([0-9a-f]{8})/.exec(JSON.parse(halted.stdout).runId)?.[1] ?? ""
      await tab(`toolnexus answer ${id.slice(0, 5)}`, `toolnexus answer ${id}`)
      assert.deepEqual(await given(), ["answer", id])
      pty.type("toolnexus answer \t\t")
      const listed = (screen: string) => (screen.split("told 1").at(-1) ?? "").replace(/^ready>.*$/gm, "")
      const screen = await pty.waitFor((it) => listed(it).includes("run.jsonl"))
      assert.ok(shell === "fish" || listed(screen).includes(id), screen) // fish puts the first of them into the line
      if (shell !== "bash") assert.match(screen, /pending, .*Take me through it/)
    })

    it("says nothing where nothing fits", async (t) => {
      const { pty, tab, given } = await shellAt(t, shell)
      await tab("toolnexus run --nothing-like-this", "toolnexus run --nothing-like-this")
      pty.type("x")
      assert.deepEqual(await given(), ["run", "--nothing-like-thisx"])
      assert.doesNotMatch(pty.screen(), /rror/)
    })
  })
}
