import assert from "node:assert/strict"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { thisProcess } from "../../src/journal/process-life.ts"
import { program } from "../support/program.ts"
import { replyCalls, replyText, type Step, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { place, TOOLS } from "./command-line.ts"

const deployCall = replyCalls([{ id: "c1", name: "deploy", arguments: { service: "api" } }])

async function deployPlace(t: TestContext, steps: Step[]) {
  const endpoint = await scriptedEndpoint(steps).listen()
  t.after(() => endpoint.close())
  const here = place(t)
  here.write("tools.mjs", TOOLS)
  const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--tools", "tools.mjs", "--file", "d.run.jsonl"]
  return { ...here, endpoint, options }
}

describe("a second Ctrl-C, which ends at once", () => {
  it("says how to resume, last", async (t) => {
    let working = () => {}
    const reached = new Promise<void>((resolve) => {
      working = resolve
    })
    const hang: Step = () => {
      working()
      return { end: "hang" }
    }
    const { start, run, options } = await deployPlace(t, [hang, replyText("done")])
    const stopped = start(["run", "x", ...options])
    await reached
    stopped.signal("SIGINT")
    stopped.signal("SIGINT")
    assert.deepEqual(stopped.exits, [130])
    assert.match(stopped.err(), /\ntoolnexus resume d\.run\.jsonl\n$/)
    await stopped.ran
    assert.equal((await run(["resume", "d.run.jsonl"])).out, "done\n")
  })
})

describe("the command that goes on", () => {
  it("stays the last line where stdout cannot be written, for a halt, runs show and answer", (t) => {
    const { dir } = place(t)
    const bin = resolve(import.meta.dirname, "../../bin/toolnexus.js")
    const toFull = (args: string) => {
      const env = { PATH: process.env.PATH ?? "", HOME: dir, TOOLNEXUS_STATE_DIR: join(dir, "state") }
      const script = `exec "${process.execPath}" "${bin}" ${args} > /dev/full`
      const { status, stderr } = spawnSync("sh", ["-c", script], { cwd: dir, env, encoding: "utf8" })
      return { status, lines: stderr.trimEnd().split("\n") }
    }
    const halted = toFull("run x --model demo --no-input --output json --file d.run.jsonl")
    const shown = toFull("runs show d.run.jsonl")
    const answered = toFull("answer d.run.jsonl --no-input --output json")
    assert.deepEqual([halted.status, shown.status, answered.status], [3, 1, 3])
    for (const { lines } of [halted, shown, answered]) {
      assert.match(lines.at(-2) ?? "", /^toolnexus: stdout could not be written \(ENOSPC\)/)
      assert.match(lines.at(-1) ?? "", / resume d\.run\.jsonl$/)
    }
  })
})

describe("after a kill at a question", () => {
  const notes = (path: string) => (existsSync(path) ? readdirSync(path) : [])

  it("the next start says how to mend the terminal, once", async (t) => {
    const { run, path, write } = place(t)
    const dead = spawn(process.execPath, ["-e", ""])
    await once(dead, "exit")
    mkdirSync(path("state/terminal"), { recursive: true, mode: 0o700 })
    chmodSync(path("state"), 0o700)
    leaveNote(write, dead.pid ?? 0)
    const first = await run(["runs"])
    assert.match(first.err, new RegExp(`process ${dead.pid} was killed .*stty sane`))
    assert.doesNotMatch((await run(["runs"])).err, /stty sane/)
  })
  it("a note lies there as long as the question is up, and no longer", async (t) => {
    const { start, path, options, run } = await deployPlace(t, [deployCall, replyText("done")])
    const asking = start(["run", "x", ...options])
    await asking.shows("Which environment?")
    assert.match(notes(path("state/terminal")).join(), new RegExp(`^${process.pid}-\\d*-`))
    assert.doesNotMatch((await run(["runs"])).err, /stty sane/) // that one is alive
    asking.type("staging")
    asking.type("\r")
    assert.equal((await asking.ran).code, 0)
    assert.deepEqual(notes(path("state/terminal")), [])
  })
  it("nothing else that lies there is told or removed", async (t) => {
    const { run, path, write } = place(t)
    mkdirSync(path("state/terminal"), { recursive: true, mode: 0o700 })
    for (const name of ["x", "1-2", "-1-2-3", "99999999999-1-0", "notes.txt"]) write(`state/terminal/${name}`, "")
    assert.doesNotMatch((await run(["runs"])).err, /stty sane/)
    assert.equal(notes(path("state/terminal")).length, 5)
  })
})

/** As the process would have left it that runs in the terminal of this one. */
function leaveNote(write: (name: string, content: string) => string, pid: number): void {
  const stat = existsSync("/proc/self/stat") ? readFileSync("/proc/self/stat", "utf8") : ""
  const terminal = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[4] ?? ""
  write(`state/terminal/${pid}-1-${terminal}`, "")
}

describe("a folder that cannot be written to", {
  skip: process.getuid?.() !== 0 && "needs root, to become somebody else",
}, () => {
  const PROGRAM = `import { main, processIo } from "./src/cli/main.ts"
    process.exitCode = await main(process.argv.slice(2), processIo())`

  function asNobody(cwd: string, args: string[], env: Record<string, string>) {
    const nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, program({ code: PROGRAM })]
    const { status, stderr } = spawnSync("/usr/bin/setpriv", [...nobody, ...args], { cwd, encoding: "utf8", env })
    return { status, lines: stderr.trim().split("\n") }
  }

  it("is told before anything is done, for --file and for the state folder: exit 2", (t) => {
    const { dir, path, write } = place(t)
    chmodSync(dir, 0o755)
    mkdirSync(path("closed"), { mode: 0o755 })
    const env = { TOOLNEXUS_STATE_DIR: "/nonexistent/state" }
    const run = ["run", "x", "--model", "demo", "--no-input"]
    for (const [file, message] of [
      ["closed/x.run.jsonl", /^toolnexus: --file .*: the folder .*closed cannot be written to \(permission denied\)/],
      ["absent/x.run.jsonl", /^toolnexus: --file .*: there is no folder .*absent: make it first$/],
      ["plain/x.run.jsonl", /^toolnexus: --file .*: .*plain is no folder/],
    ] as const) {
      write("plain", "")
      const { status, lines } = asNobody(dir, [...run, "--file", file], env)
      assert.deepEqual([status, lines.length], [2, 1], lines.join("\n"))
      assert.match(lines[0] ?? "", message)
    }
    const { status, lines } = asNobody(dir, run, { TOOLNEXUS_STATE_DIR: path("closed/state") })
    assert.equal(status, 2)
    assert.match(lines.at(-1) ?? "", /state folder is not used: .*cannot be made \(permission denied\)/)
  })
})

describe("what is no run file", () => {
  it("saved output of --output json is told as that, with the file that can be resumed", async (t) => {
    const { run, write, path, options } = await deployPlace(t, [deployCall])
    const halted = await run(["run", "x", ...options, "--output", "json"])
    write("saved.json", halted.out)
    for (const argv of [["resume"], ["answer"], ["runs", "show"], ["runs", "verify"]]) {
      const ran = await run([...argv, "saved.json"])
      assert.equal(ran.code, 5)
      assert.match(ran.err, /saved\.json is what --output json printed of a run, without its messages/)
      assert.ok(ran.err.includes(`resume its file, ${path("d.run.jsonl")}`), ran.err)
    }
  })
  it("damage and a file that holds no run name the file", async (t) => {
    const { run, write, path, options } = await deployPlace(t, [deployCall])
    await run(["run", "x", ...options])
    appendFileSync(path("d.run.jsonl"), '{"type":"call.finished","at":"2026-01-01T00:00:00Z","turn":7,"index":0}\n{}\n')
    write("other.run.jsonl", '{"type":"other"}\n')
    for (const command of [["resume"], ["answer"], ["runs", "show"]]) {
      assert.match((await run([...command, "d.run.jsonl"])).err, /d\.run\.jsonl: The run is damaged at line \d+/)
      assert.match((await run([...command, "other.run.jsonl"])).err, /other\.run\.jsonl: It holds no run/)
    }
  })
})

describe("runs show and list", () => {
  const bashCall = (command: string) => replyCalls([{ id: "c1", name: "bash", arguments: { command } }])

  it("of a run that is at work say so, with its pid, and offer nothing", async (t) => {
    const { run, write, options } = await deployPlace(t, [bashCall("echo hi")])
    await run(["run", "x", ...options])
    const { start: _, ...by } = thisProcess()
    const claim = { claim: "n", by: { ...by, pid: process.ppid }, time: "2026-03-01T09:00:00Z" }
    write("d.run.jsonl.lock", `${JSON.stringify(claim)}\n{"held":"n"}\n`)
    const shown = await run(["runs", "show", "d.run.jsonl"])
    assert.match(shown.out, new RegExp(`^status {4}at work \\(pid ${process.ppid}\\)$`, "m"))
    assert.doesNotMatch(shown.out + shown.err, /interrupted|toolnexus resume|--approve|--answer/)
    const listed = await run(["runs"])
    assert.match(listed.out, /at work/)
    assert.doesNotMatch(listed.out, /interrupted/)
  })
  it("offer no answer to a request whose time is over, which takes none", async (t) => {
    const { run, write, read, options } = await deployPlace(t, [deployCall])
    await run(["run", "x", ...options])
    const expired = '"prompt":"Which environment?","expiresAt":"2020-01-01T00:00:00Z"'
    write("e.run.jsonl", read("d.run.jsonl").replace('"prompt":"Which environment?"', expired))
    assert.equal((await run(["answer", "e.run.jsonl", "--answer", "a"])).code, 5)
    for (const command of ["show", "verify"]) {
      const { out } = await run(["runs", command, "e.run.jsonl"])
      assert.match(out, /expired: it takes no answer any more/)
      assert.doesNotMatch(out, /--answer/)
    }
  })
  it("clean every line alike, whether they go to a terminal or to a pipe", async (t) => {
    const { run, options } = await deployPlace(t, [bashCall("echo \x1b[2K\u202Ehi\nopen      nothing")])
    await run(["run", "hello\x1b[2J", ...options])
    for (const command of [
      ["runs", "show"],
      ["runs", "show", "--verbose"],
      ["runs", "verify"],
    ]) {
      const piped = await run([...command, "d.run.jsonl"])
      assert.doesNotMatch(piped.out, /[\x1b\u202E]/)
      assert.match(piped.out, /<U\+001B>\[2K<U\+202E>hi/)
      assert.equal(piped.out.match(/^open /gm)?.length, 1)
      assert.equal((await run([...command, "d.run.jsonl"], { streamsAreTerminals: true })).out, piped.out)
    }
  })
})

describe("runs list", () => {
  it("tells what is remembered and cannot be read in one line each, and lists the rest", async (t) => {
    const { run, write, options } = await deployPlace(t, [replyText("done")])
    await run(["run", "hello there", ...options])
    write("state/known/run_x.json", "{")
    chmodSync(write("state/known/run_y.json", "{}"), 0o666)
    const listed = await run(["runs", "--output", "json"])
    assert.deepEqual([listed.code, listed.json.runs.length, listed.json.runs[0].prompt], [0, 1, "hello there"])
    assert.equal(listed.err.match(/what is remembered of a run is not used: .*run_[xy]\.json /g)?.length, 2)
    const table = await run(["runs"])
    assert.deepEqual([table.code, table.out.includes("hello there")], [0, true])
  })
  it("lists more runs than files that it may have open", async (t) => {
    const { dir, write } = await deployPlace(t, [replyText("done")])
    const halted = readFileSync(resolve(import.meta.dirname, "../fixtures/runs/v1/halted.run.jsonl"), "utf8")
    mkdirSync(join(dir, "state", "runs"), { recursive: true, mode: 0o700 })
    for (let number = 0; number < 120; number++) write(`state/runs/${number}.run.jsonl`, halted)
    const bin = resolve(import.meta.dirname, "../../bin/toolnexus.js")
    const listed = spawnSync("sh", ["-c", 'ulimit -n 80; exec "$0" "$1" runs list', process.execPath, bin], {
      env: { PATH: process.env.PATH ?? "", HOME: dir, TOOLNEXUS_STATE_DIR: join(dir, "state") },
      encoding: "utf8",
    })
    assert.deepEqual([listed.status, listed.stdout.match(/pending/g)?.length], [0, 120], listed.stderr)
  })
})
