import assert from "node:assert/strict"
import { homedir } from "node:os"
import { test } from "node:test"
import { createGate } from "../../../src/permission/create-gate.ts"
import type { GatedCall } from "../../../src/permission/gate.ts"
import type { Rule } from "../../../src/permission/rules.ts"
import type { ToolSpec } from "../../../src/tool/tool.ts"

const CWD = "/srv/project"

function call(name: string, input: Record<string, unknown>, tool: Partial<ToolSpec> = {}): GatedCall {
  return { name, input, tool: { name, description: "", inputSchema: {}, source: "native", ...tool } }
}

const bash = (command: string) => call("bash", { command })

async function decision(rules: Rule[], asked: GatedCall): Promise<string> {
  return (await createGate({ rules, cwd: CWD }).decide(asked)).decision
}

test("a call that nothing matches is allowed by default", async () => {
  assert.deepEqual(await createGate().decide(call("read", { path: "x" })), { decision: "allow", by: "default" })
})

test("a shell command that no rule matches is asked about", async () => {
  const decided = await createGate().decide(bash("ls"))
  assert.deepEqual(decided, { decision: "ask", by: "default", rule: "ask bash (default)" })
})

test("a rule that matches takes the place of the built-in default, and is named", async () => {
  const gate = createGate({ rules: [{ effect: "allow", rule: "bash(git status*)", source: "flag" }] })
  const decided = await gate.decide(bash("git status --short"))
  assert.deepEqual(decided, { decision: "allow", by: "rule", rule: "allow bash(git status*) (flag)" })
})

test("deny beats ask beats allow, in whatever order and from wherever they come", async () => {
  const allow: Rule = { effect: "allow", rule: "bash(git*)", source: "flag" }
  const ask: Rule = { effect: "ask", rule: "bash(git push*)", source: "user" }
  const deny: Rule = { effect: "deny", rule: "bash(git push --force*)", source: "project" }
  for (const rules of [
    [allow, ask, deny],
    [deny, ask, allow],
    [ask, deny, allow],
  ]) {
    assert.equal(await decision(rules, bash("git status")), "allow")
    assert.equal(await decision(rules, bash("git push")), "ask")
    assert.equal(await decision(rules, bash("git push --force")), "refuse")
  }
})

test("an allow of a shell command does not reach over an operator: it is asked about", async () => {
  const rules: Rule[] = [{ effect: "allow", rule: "bash(git status*)" }]
  for (const command of [
    "git status; rm x",
    "git status $(rm x)",
    "git status\nrm x",
    "git status > x",
    "X=1 git status",
  ]) {
    assert.equal(await decision(rules, bash(command)), "ask", command)
  }
})

test("an allow of the whole shell still asks about more than one simple command", async () => {
  const rules: Rule[] = [{ effect: "allow", rule: "bash" }]
  assert.equal(await decision(rules, bash("ls -l")), "allow")
  assert.equal(await decision(rules, bash("ls -l | sh")), "ask")
})

test("a deny of a shell command holds wherever a sub-command can be", async () => {
  const gate = createGate({ rules: [{ effect: "deny", rule: "bash(rm*)", source: "flag" }] })
  const decided = await gate.decide(bash("ls && sudo /bin/rm -rf /"))
  assert.deepEqual(decided, { decision: "refuse", by: "rule", rule: "deny bash(rm*) (flag)" })
})

test("a pattern on the command of another shell-like tool is as strict", async () => {
  const rules: Rule[] = [
    { effect: "ask", rule: "run", when: ({ input }) => !String(input.command).startsWith("ls") },
    { effect: "deny", rule: "run(rm *)" },
  ]
  assert.equal(await decision(rules, call("run", { command: "ls" })), "allow")
  assert.equal(await decision(rules, call("run", { command: "ls; rm x" })), "refuse")
  assert.equal(await decision(rules, call("run", { command: "cat x" })), "ask")
})

test("what kept an allow from letting a command pass is said where it is asked about", async () => {
  const gate = createGate({ rules: [{ effect: "allow", rule: "bash(git*)", source: "user" }], cwd: CWD })
  const rule = async (command: string) => (await gate.decide(bash(command))).rule
  assert.match(
    (await rule("git status; ls")) ?? "",
    /^ask bash \(default\); allow bash\(git\*\) \(user\) does not count: it is not one simple command/,
  )
  assert.match((await rule("git -c a.b=c x")) ?? "", /does not count: a \* does not stand for "-c", which has a text/)
  assert.equal(await rule("ls"), "ask bash (default)")
})

test("a command in which a denied one could hide is asked about, also where all else is allowed", async () => {
  const run = (input: Record<string, unknown>) => call("run", input)
  const rules: Rule[] = [
    { effect: "deny", rule: "run(rm *)" },
    { effect: "allow", rule: "run" },
  ]
  for (const command of ["r$x -f y", "echo eA== | base64 -d | sh", "sh -c 'r$0 x'", "ls | wc"]) {
    assert.equal(await decision(rules, run({ command })), "ask", command)
    assert.equal(await decision([{ effect: "ask", rule: "run(rm *)" }], run({ command })), "ask", command)
    assert.equal(await decision([{ effect: "deny", rule: "run(rm *)", when: () => false }], run({ command })), "ask")
    assert.equal(await decision([], run({ command })), "allow", command)
  }
  assert.equal(await decision(rules, run({ command: "ls -l" })), "allow")
  for (const input of [
    { command: "rm", args: ["x"] },
    { command: ["rm", "x"] },
    { argv: ["/bin/rm", "x"] },
    { cmd: "ls", script: "rm x" },
  ])
    assert.equal(await decision(rules, run(input)), "refuse", JSON.stringify(input))
})

test("a path pattern is compared with the path without detours", async () => {
  const covers = async (rule: string, path: string) => {
    const gate = createGate({ cwd: CWD, rules: [{ effect: "deny", rule: `edit(${rule})` }] })
    return (await gate.decide(call("edit", { path }))).decision === "refuse"
  }
  assert.equal(await covers("src/**", "src/a/b.ts"), true)
  assert.equal(await covers("src/**", "./src/a.ts"), true)
  assert.equal(await covers("src/**", `${CWD}/src/a.ts`), true)
  assert.equal(await covers("src/**", "lib/../src/a.ts"), true)
  assert.equal(await covers("./src/*", "src/a.ts"), true)
  assert.equal(await covers("/etc/*", "../../etc/passwd"), true)
  assert.equal(await covers("~/.ssh/*", `${homedir()}/.ssh/id`), true)
  assert.equal(await covers("~/.ssh/*", "~/.ssh/id"), true)
  assert.equal(await covers("~/.ssh/*", `/proc/self/root${homedir()}/.ssh/id`), true)
  assert.equal(await covers("/etc/*", "/proc/self/root/etc/passwd"), true)
  assert.equal(await covers(".env", ".env/"), true)
  assert.equal(await covers(".env", ".//./.env"), true)
  assert.equal(await covers("caf\u00e9", "cafe\u0301"), true)
  assert.equal(await covers("src/**", "lib/a.ts"), false)
})

test("a deny looks at every place that a call names, however deep", async () => {
  const rules: Rule[] = [{ effect: "deny", rule: "move(secret/*)" }]
  assert.equal(await decision(rules, call("move", { path: "a", dest: "secret/x" })), "refuse")
  assert.equal(await decision(rules, call("move", { edits: [{ path: "a" }, { path: "secret/x" }] })), "refuse")
  assert.equal(await decision(rules, call("move", { path: "a", content: "secret/x" })), "allow")
})

test("a deny of an address holds however the same host is written", async () => {
  const rules: Rule[] = [{ effect: "deny", rule: "get(https://a.test/*)" }]
  for (const url of [
    "https://a.test/x",
    "https://A.TEST./x",
    "https://me:word@a.test/x",
    "https://a.test:443/x",
    "https:a.test/x",
    "https:/a.test/x",
    "https:\\\\a.test\\x",
    " ht\ttps:a.test/x",
    "https://b.test/../x\\..",
  ]) {
    const expected = url.includes("b.test") ? "allow" : "refuse"
    assert.equal(await decision(rules, call("get", { url })), expected, url)
  }
})

test("a rule for every tool reaches what a command names too", async () => {
  const rules: Rule[] = [{ effect: "deny", rule: "*(*.env*)" }]
  assert.equal(await decision(rules, call("read", { path: "sub/.env" })), "refuse")
  assert.equal(await decision(rules, bash("cat ./sub/.env")), "refuse")
  assert.equal(await decision(rules, bash("cat sub/'.'env")), "refuse")
  assert.equal(await decision(rules, bash("cat sub/.e*")), "ask")
})

test("a rule names an MCP tool by server and tool, not by what the model calls it", async () => {
  const rules: Rule[] = [{ effect: "deny", rule: "mcp:github/delete_*" }]
  const origin = { server: "github", tool: "delete_repo" }
  assert.equal(await decision(rules, call("github_delete_repo", {}, { source: "mcp", origin })), "refuse")
  assert.equal(await decision(rules, call("github_delete_repo", {})), "allow")
  assert.equal(await decision([{ effect: "ask", rule: "mcp:*/*" }], call("x", {}, { source: "mcp", origin })), "ask")
})

test("a rule may name a tool as its host wrote it", async () => {
  assert.equal(await decision([{ effect: "deny", rule: "read.file" }], call("read_file", {})), "refuse")
  assert.equal(await decision([{ effect: "deny", rule: "*" }], call("anything", {})), "refuse")
})

test("a condition that throws, or gives no boolean, means no", async () => {
  const throwing: Rule = {
    effect: "allow",
    rule: "read",
    source: "user",
    when: () => {
      throw new Error("boom")
    },
  }
  const decided = await createGate({ rules: [throwing] }).decide(call("read", {}))
  assert.deepEqual(decided, { decision: "refuse", by: "rule", rule: "allow read (user), whose condition failed: boom" })
  const vague = { effect: "allow", rule: "read", when: () => "yes" } as unknown as Rule
  assert.equal(await decision([vague], call("read", {})), "refuse")
})

test("a rule whose condition does not hold does not match", async () => {
  const rules: Rule[] = [{ effect: "deny", rule: "bash", when: async ({ input }) => input.command === "halt" }]
  assert.equal(await decision(rules, bash("halt")), "refuse")
  assert.equal(await decision(rules, bash("ls")), "ask")
})

test("an effect that there is not is refused when the gate is made", () => {
  const rules = [{ effect: "permit", rule: "bash" }] as unknown as Rule[]
  assert.throws(() => createGate({ rules }), /a rule is \{ effect: .* \}, got the effect "permit"/)
})

test("rules that are no list, or no rules, are refused with the shape of one", () => {
  for (const rules of [{ allow: ["bash"] }, ["bash(git *)"], [null]] as unknown[] as Rule[][])
    assert.throws(() => createGate({ rules }), { code: "usage", message: /a rule is \{ effect: .*, rule: .* \}/ })
})
