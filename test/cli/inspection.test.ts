import assert from "node:assert/strict"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { place, TOOLS } from "./command-line.ts"
import { MARKING_MODULE, projectPlace } from "./project-place.ts"

describe("toolnexus policy test", { timeout: 20_000 }, () => {
  const verdict = async (here: ReturnType<typeof place>, ...argv: string[]) => {
    const ran = await here.run(["policy", "test", ...argv, "--output", "json"])
    assert.equal(ran.code, 0, ran.err)
    return ran.json
  }
  it("says what would happen and which rule says so, without an endpoint", async (t) => {
    const here = place(t)
    assert.deepEqual(await verdict(here, "bash", "git status", "--allow", "bash(git *)"), {
      tool: "bash",
      args: { command: "git status" },
      decision: "allow",
      by: "rule",
      because: "allow bash(git *) (flag)",
      rule: "allow bash(git *)",
      source: "flag",
      passedOver: [],
    })
    const byDefault = await verdict(here, "bash", "ls")
    assert.deepEqual([byDefault.decision, byDefault.by, byDefault.because], ["ask", "default", "ask bash (default)"])
    assert.equal((await verdict(here, "read", "README.md")).decision, "allow")
    assert.equal((await verdict(here, "read", "/etc/passwd")).decision, "ask")
    assert.equal((await verdict(here, "webfetch", '{"url":"https://a.test"}', "--deny", "webfetch")).decision, "deny")
  })
  it("says that a call whose arguments do not fit its tool never comes to the rules", async (t) => {
    const here = place(t)
    const ran = await here.run(["policy", "test", "bash", '{"command":"ls","timeoutMs":"x"}', "--allow", "bash"])
    assert.equal(ran.code, 0)
    assert.match(ran.out, /^but {7}a run does not ask the rules: .*bash: timeoutMs must be integer/m)
    here.write("tools.mjs", TOOLS)
    const module = await verdict(here, "deploy", '{"service":1}', "--tools", "tools.mjs")
    assert.match(String(module.problem), /do not fit the schema of deploy/)
    assert.equal((await verdict(here, "bash", "ls")).problem, undefined)
  })
  it("says why an allow that looks like a match is none", async (t) => {
    const ran = await place(t).run(["policy", "test", "bash", "git status; rm -rf x", "--allow", "bash(git *)"])
    assert.equal(ran.code, 0)
    assert.match(
      ran.out,
      /^decision {2}ask\nbecause {3}ask bash \(default\)\nnot {7}allow bash\(git \*\) \(flag\): .*not one simple command/,
    )
  })
  it("names the file that a rule stands in: the person's, a project's", async (t) => {
    const it = await projectPlace(t, [])
    mkdirSync(it.here.path("config/toolnexus"), { recursive: true })
    const user = it.here.write("config/toolnexus/config.json", { permissions: { allow: ["write", "edit(src/*)"] } })
    const project = it.put(".toolnexus/config.json", { permissions: { deny: ["write(*.lock)"], allow: ["bash"] } })
    const say = async (...argv: string[]) => (await it.run(["policy", "test", ...argv, "--output", "json"])).json
    const denied = await say("write", "a.lock")
    assert.deepEqual([denied.decision, denied.source, denied.file], ["deny", "project", project])
    assert.deepEqual(denied.passedOver, [
      { rule: "allow write", source: "user", file: user, why: "deny comes before allow" },
    ])
    assert.deepEqual((await say("edit", "src/a.ts")).file, user)
    assert.equal((await say("bash", "ls")).decision, "ask", "an allow of a project counts when it is trusted")
    assert.equal((await say("bash", "ls", "--trust-project")).decision, "allow")
  })
  it("judges a tool that is not here by its name, and one of a module by what it is", async (t) => {
    const here = place(t)
    here.write("tools.mjs", TOOLS)
    const unruled = await here.run(["policy", "test", "mcp:files/delete", '{"path":"x"}'])
    assert.match(unruled.out, /^decision {2}ask$/m)
    const unknown = await here.run(["policy", "test", "mcp:files/delete", '{"path":"x"}', "--deny", "mcp:files/*"])
    assert.match(unknown.out, /^decision {2}deny/)
    assert.match(unknown.err, /there is no tool mcp:files\/delete here: it is judged by its name alone/)
    const known = await here.run(["policy", "test", "deploy", "api", "--tools", "tools.mjs", "--ask", "deploy(api*)"])
    assert.deepEqual([known.err, known.out.split("\n")[0]], ["", "decision  ask"])
  })
  it("refuses broken JSON with exit 2 and where it breaks, and takes a shell group as the command that it is", async (t) => {
    const here = place(t)
    for (const args of ['{"command":"ls"', "{'command': 'ls'}", "{command: 1}", " {", '{"command":"ls",}']) {
      const ran = await here.run(["policy", "test", "bash", args])
      assert.deepEqual([ran.code, ran.out], [2, ""], args)
      assert.match(
        ran.err,
        /the arguments of bash are no JSON \(line 1, column \d+: .*\): give them as an object, such as \{"command":"\.\.\."\}$/m,
      )
    }
    assert.match(
      (await here.run(["policy", "test", "read", '{"path":', "--output", "json"])).json.error.message,
      /such as \{"path":"\.\.\."\}/,
    )
    for (const command of ["{ ls; }", "{a,b}", "[ -f x ]"]) {
      assert.deepEqual((await verdict(here, "bash", command)).args, { command })
    }
  })
  it("refuses what cannot be decided with exit 2", async (t) => {
    const here = place(t)
    for (const argv of [
      ["nothing", "text"],
      ["bash"],
      ["bash", "ls", "--deny", "bash("],
      ["read", "[1]", "--cwd", "none"],
    ]) {
      assert.equal((await here.run(["policy", "test", ...argv])).code, 2, argv.join(" "))
    }
  })
})

describe("toolnexus tools", { timeout: 20_000 }, () => {
  it("lists every tool with where it comes from and what the rules say of it", async (t) => {
    const here = place(t)
    here.write("tools.mjs", TOOLS)
    here.write("relay.json", [{ name: "weather", description: "looks the weather up\nfor a city" }])
    mkdirSync(here.path("skills/greeting"), { recursive: true })
    here.write("skills/greeting/SKILL.md", "---\nname: greeting\ndescription: How to greet\n---\nSay hello.\n")
    const options = ["--tools", "tools.mjs", "--relay", "relay.json", "--skills", "skills"]
    const ran = await here.run(["tools", ...options, "--deny", "note", "--ask", "deploy(prod*)"])
    assert.deepEqual([ran.code, ran.err], [0, ""])
    const row = (name: string) => ran.out.split("\n").find((line) => line.startsWith(`${name} `)) ?? ""
    assert.match(row("read"), /^read +depends +reads +builtin +Reads a text file/)
    assert.match(row("bash"), /^bash +ask +- +builtin /)
    assert.match(row("note"), new RegExp(`^note +deny +- +${here.path("tools.mjs")} +notes$`))
    assert.match(row("deploy"), /^deploy +depends /)
    assert.match(row("weather"), new RegExp(`^weather +allow +- +${here.path("relay.json")} +looks the weather up$`))
    assert.match(row("skill"), new RegExp(`^skill +allow +reads +${here.path("skills")} `))
    const { json } = await here.run(["tools", "list", ...options, "--output", "json", "--no-builtins"])
    assert.deepEqual(json.problems, [])
    assert.deepEqual(
      json.tools.map(({ name, source }: { name: string; source: string }) => [name, source]),
      [
        ["skill", "skill"],
        ["deploy", "native"],
        ["note", "native"],
        ["token", "native"],
        ["weather", "relay"],
      ],
    )
  })
  it("tells what cannot be used with the reason, and lists the rest", async (t) => {
    const here = place(t)
    here.write("good.mjs", TOOLS)
    here.write("bad.mjs", "throw new Error('it is broken')")
    here.write("same.mjs", TOOLS)
    here.write("relay.json", "{")
    const files = ["--tools", "bad.mjs", "--tools", "good.mjs", "--tools", "same.mjs", "--tools", "none.mjs"]
    const others = ["--relay", "relay.json", "--mcp", "none.json", "--skills", "none"]
    const { json, code } = await here.run(["tools", ...files, ...others, "--output", "json"])
    assert.equal(code, 0)
    assert.ok(json.tools.some(({ name }: { name: string }) => name === "deploy"))
    const problems: string = json.problems.join("\n")
    for (const problem of [
      /bad\.mjs cannot be used: it is broken/,
      /two tools have the name "deploy"/,
      /none\.mjs cannot be used: no such file/,
      /relay\.json cannot be used: it is not JSON/,
      /none\.json cannot be used: no such file/,
      /skills in \S+none cannot be used: no such file/,
    ]) {
      assert.match(problems, problem)
    }
  })
  it("loads nothing of a project that is not trusted, and what it brings where it is", async (t) => {
    const it = await projectPlace(t, [])
    it.put(".toolnexus/config.json", {
      tools: ["tools.mjs"],
      agents: { shy: { system: "s", tools: ["gree*", "read"] } },
    })
    it.put(".toolnexus/tools.mjs", MARKING_MODULE)
    it.put(".toolnexus/word.mjs", "export const word = 'x'")
    assert.doesNotMatch((await it.run(["tools"])).out, /greet/)
    assert.equal(it.left("module-ran"), false)
    assert.match(
      (await it.run(["tools", "--trust-project"])).out,
      new RegExp(`^greet .*${join(it.repo, ".toolnexus/tools.mjs")}`, "m"),
    )
    const { json } = await it.run(["tools", "--trust-project", "--agent", "shy", "--output", "json"])
    assert.deepEqual(
      json.tools.map(({ name }: { name: string }) => name),
      ["read", "greet"],
    )
  })
  it("shows names and descriptions with their control characters", async (t) => {
    const here = place(t)
    here.write("relay.json", [{ name: "a", description: "\u001b[2J\u202Eevil" }])
    const ran = await here.run(["tools", "--relay", "relay.json"])
    assert.match(ran.out, /^a .*<U\+001B>\[2J<U\+202E>evil$/m)
  })
})

describe("toolnexus tools call", { timeout: 20_000 }, () => {
  const call = (name: string, args: object) => ["tools", "call", name, "--args", JSON.stringify(args)]
  it("runs a tool that the rules allow, and prints what it gives", async (t) => {
    const here = place(t)
    here.write("a.txt", "hello\n")
    const read = await here.run(call("read", { path: "a.txt" }))
    assert.deepEqual([read.code, read.out], [0, "1\thello\n"])
    const { json } = await here.run([
      ...call("bash", { command: "echo it ran" }),
      "--allow",
      "bash",
      "--output",
      "json",
    ])
    assert.deepEqual([json.status, json.isError, json.output.split("\n")[0]], ["done", false, "it ran"])
  })
  it("exits 1 where the result is an error: of the tool, of its arguments, of a rule", async (t) => {
    const here = place(t)
    const cases: [string[], RegExp][] = [
      [call("read", { path: "none.txt" }), /none\.txt/],
      [call("read", { file: "x" }), /path/],
      [[...call("read", { path: "x" }), "--deny", "read"], /refused/],
      [["tools", "call", "read", "--args", '{"path":"x","offset":12345678901234567890}'], /12345678901234567890/],
    ]
    for (const [argv, said] of cases) {
      const ran = await here.run(argv)
      assert.equal(ran.code, 1, argv.join(" "))
      assert.match(ran.out, said)
    }
  })
  it("does not run what needs a person where nobody is there: exit 3 with the reason", async (t) => {
    const here = place(t)
    here.write("tools.mjs", TOOLS)
    const ran = await here.run(call("bash", { command: "touch bash-ran" }))
    assert.deepEqual([ran.code, ran.out], [3, ""])
    assert.match(
      ran.err,
      /^not run: it needs a person \(there is no terminal\)\n {2}Allow bash\?\n {4}command: touch bash-ran\n/,
    )
    assert.doesNotMatch(ran.err, /answer with/)
    const asked = await here.run([
      ...call("deploy", { service: "api" }),
      "--tools",
      "tools.mjs",
      "--no-input",
      "--output",
      "json",
    ])
    assert.deepEqual(
      [asked.code, asked.json.status, asked.json.suspended[0].prompt],
      [3, "pending", "Which environment?"],
    )
    assert.match(ran.err, /nothing of it is saved; to allow it: --allow 'bash\(touch bash-ran\)'\n$/)
    assert.match(asked.err, /call it where a person can answer: at a terminal\n$/, "no rule answers a tool's question")
    assert.throws(() => here.read("bash-ran"))
  })
  it("that needs a person prints the rule that lets it run, or why none can", async (t) => {
    const here = place(t)
    here.write("tools.mjs", TOOLS)
    const write = call("write", { path: "it's new.txt", content: "x" })
    const refused = await here.run(write)
    const [, rule = ""] = /to allow it: --allow '(.*)'\n$/.exec(refused.err) ?? []
    const allowed = await here.run([...write, "--allow", rule.replaceAll("'\\''", "'")])
    assert.deepEqual([refused.code, allowed.code, here.read("it's new.txt")], [3, 0, "x"], refused.err)
    const cases: [string[], RegExp][] = [
      [call("bash", { command: "ls; ls" }), /no rule allows it: it is not one simple command/],
      [
        [...call("read", { path: "x" }), "--ask", "read"],
        /no --allow counts beside the rule ask read \(flag\), which is stricter\n$/,
      ],
    ]
    for (const [argv, said] of cases) {
      const ran = await here.run(argv)
      assert.equal(ran.code, 3)
      assert.match(ran.err, said)
    }
  })
  it("asks the person at the terminal, for approval and what the tool itself asks", async (t) => {
    const here = place(t)
    here.write("tools.mjs", TOOLS)
    const started = here.start([...call("deploy", { service: "api" }), "--tools", "tools.mjs", "--ask", "deploy"])
    await started.shows("Run deploy?")
    started.type("1")
    started.type("\r")
    await started.shows("Which environment?")
    started.type("staging")
    started.type("\r")
    const ran = await started.ran
    assert.deepEqual([ran.code, ran.out], [0, "deployed api to staging\n"])
  })
  it("gives an error where the person declines, and exits as the signal says where one comes", async (t) => {
    const here = place(t)
    const declined = here.start(call("bash", { command: "touch bash-ran" }))
    await declined.shows("Run bash?")
    declined.type("\x03")
    assert.equal((await declined.ran).code, 1)
    const stopped = here.start(call("bash", { command: "touch bash-ran" }))
    await stopped.shows("Run bash?")
    stopped.signal("SIGTERM")
    assert.equal((await stopped.ran).code, 143)
    assert.throws(() => here.read("bash-ran"))
  })
  it("is a usage error for a tool that is not there, and for arguments that are no object", async (t) => {
    const here = place(t)
    for (const argv of [
      call("nothing", {}),
      ["tools", "call", "read", "--args", "x"],
      ["tools", "call", "read", "--args", "[]"],
      ["tools", "call"],
    ]) {
      assert.equal((await here.run(argv)).code, 2)
    }
    const broken = await here.run(["tools", "call", "read", "--args", '{"path":"x"'])
    assert.match(broken.err, /--args is not JSON \(line 1, column 12: .*\): give an object/)
  })
})
