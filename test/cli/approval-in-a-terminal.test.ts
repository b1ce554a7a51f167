import assert from "node:assert/strict"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { KEYS, type Pty } from "../support/pty.ts"
import { replyCalls, replyText } from "../support/scripted-endpoint.ts"
import { type Workplace, workplace } from "../support/workplace.ts"

/** A tool that is asked about, with a call of it and what the person makes of that call. */
interface Case {
  tool: "bash" | "edit" | "apply_patch"
  call: Record<string, unknown>
  /** Everything that is shown of it. */
  shows: RegExp
  /** What the model is told once it has run. */
  told: RegExp
  edited: Record<string, unknown>
  editedShows: RegExp
  /** Arguments that the schema, and a rule, do not let through. */
  misfit: Record<string, unknown>
  denied: { rule: string; call: Record<string, unknown> }
  /** The rule that always saves. */
  rule(folder: string): string
  /** What it has done: nothing, the model's call, or the person's. */
  done(folder: string): "nothing" | "call" | "edited"
}

const patchTo = (text: string) => ({ patch: `--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n zero\n-one\n+${text}\n` })
const editTo = (newText: string) => ({ path: "a.txt", oldText: "one", newText })
const doneToFile = (folder: string) => {
  const text = readFileSync(join(folder, "a.txt"), "utf8")
  return text === "zero\none\n"
    ? "nothing"
    : text === "zero\ntwo\n"
      ? "call"
      : text === "zero\nthree\n"
        ? "edited"
        : text
}

const CASES: Case[] = [
  {
    tool: "bash",
    call: { command: "cp a.txt two.txt" },
    shows: /May bash run\?\n {2}command:\n {2}\| cp a\.txt two\.txt\n/,
    told: /^\(no output\)\n\[exit code 0\]/,
    edited: { command: "cp a.txt three.txt" },
    editedShows: /May bash run\?\n {2}command:\n {2}\| cp a\.txt three\.txt\n[\s\S]*as you edited them\)/,
    misfit: { command: 5 },
    denied: { rule: "bash(mv*)", call: { command: "mv a.txt two.txt" } },
    rule: () => "bash(cp a.txt two.txt)",
    done: (folder) =>
      existsSync(join(folder, "two.txt")) ? "call" : existsSync(join(folder, "three.txt")) ? "edited" : "nothing",
  },
  {
    tool: "edit",
    call: editTo("two"),
    shows: /May edit run\?\n[\s\S]*changes:\n[\s\S]*\n {2}\| {2}zero\n {2}\| -one\n {2}\| \+two\n/,
    told: /^a\.txt: replaced 1 place/,
    edited: editTo("three"),
    editedShows: /Allow edit with the edited arguments\?[\s\S]*\n {2}\| -one\n {2}\| \+three\n/,
    misfit: { path: "a.txt", oldText: "one" },
    denied: { rule: "edit(b.txt)", call: { ...editTo("two"), path: "b.txt" } },
    rule: (folder) => `edit(${join(folder, "a.txt")})`,
    done: (folder) => doneToFile(folder) as ReturnType<Case["done"]>,
  },
  {
    tool: "apply_patch",
    call: patchTo("two"),
    shows: /May apply_patch run\?\n[\s\S]*changes:\n[\s\S]*\n {2}\| {2}zero\n {2}\| -one\n {2}\| \+two\n/,
    told: /a\.txt/,
    edited: patchTo("three"),
    editedShows: /Allow apply_patch with the edited arguments\?[\s\S]*\n {2}\| -one\n {2}\| \+three\n/,
    misfit: { patch: ["x"] },
    denied: { rule: "apply_patch(b.txt)", call: { patch: patchTo("two").patch.replaceAll("a.txt", "b.txt") } },
    rule: (folder) => `apply_patch(${join(folder, "a.txt")})`,
    done: (folder) => doneToFile(folder) as ReturnType<Case["done"]>,
  },
]

const callOf = ({ tool, call }: Case, id = "c1") => replyCalls([{ id, name: tool, arguments: call }])

async function place(t: TestContext, steps: Parameters<typeof workplace>[1]) {
  const at = await workplace(t, steps)
  at.write("a.txt", "zero\none\n")
  const start = (...more: string[]): Pty =>
    at.terminal(["run", "go", "--file", "a.run.jsonl", ...more], { columns: 100, rows: 50 })
  return { ...at, start, config: join(at.folder, ".config", "toolnexus", "config.json") }
}

/** What the model was told last. */
function told({ endpoint }: Workplace, request = 1): string {
  return endpoint.requests[request]?.body.messages.at(-1).content
}

const CHOICES = {
  once: "Approve once",
  run: "Approve, and the same call for the rest of this run",
  always: "Always approve",
  edit: "Edit the arguments",
  decline: "Decline",
  note: "Decline with a note",
  later: "Later",
}

/** Takes a choice by its number, once keys count; nothing is highlighted before. */
async function choose(pty: Pty, choice: keyof typeof CHOICES): Promise<void> {
  const screen = await pty.waitFor("Enter confirms")
  assert.doesNotMatch(screen, /^> \d/m)
  const number = new RegExp(`^ {2}(\\d)\\. ${CHOICES[choice]}`, "m").exec(screen)?.[1] ?? ""
  pty.type(number)
  await pty.waitFor(`> ${number}. ${CHOICES[choice]}`)
  pty.type(KEYS.enter)
  await pty.waitFor((now) => !now.includes("Enter confirms"))
}

/** Puts a text in the place of what is in the field, and sends it. */
async function send(pty: Pty, text: string): Promise<void> {
  await pty.waitFor("Enter sends")
  pty.type(KEYS.backspace.repeat(600))
  await pty.waitFor(/^> ?$/m)
  pty.type(KEYS.pasteStart + text + KEYS.pasteEnd)
  await pty.waitFor((now) => now.includes("Enter sends") && !/^> ?$/m.test(now))
  pty.type(KEYS.enter)
}

for (const its of CASES) {
  const { tool } = its
  describe(`the approval of ${tool} in a terminal`, { concurrency: 4 }, () => {
    it("once: everything is shown, it runs, and the model is told what came of it", async (t) => {
      const at = await place(t, [callOf(its), replyText("done")])
      const pty = at.start()
      const screen = await pty.waitFor("Enter confirms")
      assert.match(screen, its.shows)
      assert.ok(screen.includes(`  folder: ${at.folder}`))
      assert.match(screen, new RegExp(`the rule that asks:\\n {2}\\| ask ${tool} \\(default\\)`))
      assert.equal(its.done(at.folder), "nothing")
      await choose(pty, "once")
      assert.equal((await pty.exit).code, 0)
      assert.equal(its.done(at.folder), "call")
      assert.match(told(at), its.told)
    })
    it("for the rest of this run: the same call is asked about again only where it would change something else", async (t) => {
      const again = callOf(its, "c2")
      const at = await place(t, [callOf(its), again, replyText("done")])
      const pty = at.start()
      await choose(pty, "run")
      if (tool !== "bash") {
        await pty.waitFor("it cannot be done now:") // what it would replace is replaced
        await choose(pty, "decline")
      }
      assert.equal((await pty.exit).code, 0)
      if (tool === "bash")
        assert.match(pty.scrollback(), /bash cp a\.txt two\.txt: allowed by granted for the rest of this run/)
      assert.match(told(at), its.told)
      assert.match(told(at, 2), tool === "bash" ? its.told : /^declined/)
      assert.match(at.read("a.run.jsonl"), /"type":"grant.given"/)
    })
    it("always: the rule is shown, tried and saved, and the call runs", async (t) => {
      const at = await place(t, [callOf(its), replyText("done")])
      const rule = its.rule(at.folder)
      const pty = at.start()
      await choose(pty, "always")
      const screen = await pty.waitFor("Enter sends")
      assert.ok(screen.replaceAll(/\n {2}(\| )?/g, "").includes(rule))
      assert.match(screen, /saved in: ~\/\.config\/toolnexus\/config\.json/)
      assert.equal(existsSync(at.config), false)
      pty.type(KEYS.enter)
      assert.equal((await pty.exit).code, 0)
      assert.deepEqual(JSON.parse(readFileSync(at.config, "utf8")), { permissions: { allow: [rule] } })
      assert.equal(its.done(at.folder), "call")
      assert.match(told(at), its.told)
    })
    it("edit: what cannot run is not taken, the call is shown again, and the model is told", async (t) => {
      const at = await place(t, [callOf(its), replyText("done")])
      const pty = at.start("--deny", its.denied.rule)
      await choose(pty, "edit")
      await send(pty, JSON.stringify(its.misfit))
      await pty.waitFor(/^! .*(must|fit|required|missing)/m)
      await send(pty, JSON.stringify(its.denied.call))
      await pty.waitFor(`! refused by deny ${its.denied.rule} (flag)`)
      await send(pty, JSON.stringify(its.edited))
      await pty.waitFor(its.editedShows)
      assert.equal(its.done(at.folder), "nothing")
      await choose(pty, "once")
      assert.equal((await pty.exit).code, 0)
      assert.equal(its.done(at.folder), "edited")
      assert.match(told(at), its.told)
      assert.ok(told(at).includes(`The person edited the arguments; it ran with ${JSON.stringify(its.edited)}`))
    })
    it("an edited call is declined like any other", async (t) => {
      const at = await place(t, [callOf(its), replyText("done")])
      const pty = at.start()
      await choose(pty, "edit")
      await send(pty, JSON.stringify(its.edited))
      await pty.waitFor(its.editedShows)
      await choose(pty, "decline")
      assert.equal((await pty.exit).code, 0)
      assert.equal(its.done(at.folder), "nothing")
      assert.match(told(at), /^declined\/expired: .*\nIt was not run: the person declined\. Do not try it again\.$/)
    })
    it("decline: it does not run, and the model is told not to try again", async (t) => {
      const at = await place(t, [callOf(its), replyText("done")])
      const pty = at.start()
      await choose(pty, "decline")
      assert.equal((await pty.exit).code, 0)
      assert.equal(its.done(at.folder), "nothing")
      assert.equal(
        told(at),
        `declined/expired: Allow ${tool}?\nIt was not run: the person declined. Do not try it again.`,
      )
    })
    it("decline with a note: the model reads it", async (t) => {
      const at = await place(t, [callOf(its), replyText("done")])
      const pty = at.start()
      await choose(pty, "note")
      await send(pty, "use b.txt")
      assert.equal((await pty.exit).code, 0)
      assert.equal(its.done(at.folder), "nothing")
      assert.match(told(at), /^declined[^\n]*\n[^\n]*Do not try it again\.\nThe person's note: use b\.txt$/)
    })
    it("later: exit 3, and another terminal shows what was granted and asks again", async (t) => {
      const other = replyCalls([{ id: "c2", name: tool, arguments: its.edited }])
      const at = await place(t, [callOf(its), other, replyText("done")])
      const pty = at.start()
      await choose(pty, "run")
      await pty.waitFor(tool === "bash" ? "cp a.txt three.txt" : "it cannot be done now:")
      await choose(pty, "later")
      assert.equal((await pty.exit).code, 3)
      assert.equal(at.endpoint.requests.length, 2)
      const resumed = at.terminal(["resume", "a.run.jsonl"], { columns: 100, rows: 50 })
      await choose(resumed, "once")
      assert.equal((await resumed.exit).code, 0)
      const shown = resumed.scrollback().replaceAll("\n", "")
      assert.ok(shown.includes(`granted for the rest of this run: ${tool} ${JSON.stringify(its.call)}`))
      // What it would replace is not there any more, and the person had it tried all the same.
      assert.match(told(at, 2), tool === "bash" ? its.told : /not found|does not fit|not there/)
    })
    it("Ctrl-C declines this call, and says so", async (t) => {
      const at = await place(t, [callOf(its), replyText("done")])
      const pty = at.start()
      await pty.waitFor("Enter confirms")
      pty.type(KEYS.ctrlC)
      assert.equal((await pty.exit).code, 0)
      assert.match(pty.scrollback(), /Ctrl-C: this question is declined\./)
      assert.equal(its.done(at.folder), "nothing")
      assert.match(told(at), /^declined/)
    })
    it("Ctrl-D leaves it for later: exit 3, and the model hears nothing", async (t) => {
      const at = await place(t, [callOf(its), replyText("done")])
      const pty = at.start()
      await pty.waitFor("Enter confirms")
      pty.type(KEYS.ctrlD)
      assert.equal((await pty.exit).code, 3)
      assert.match(pty.scrollback(), /Left open\.[\s\S]*resume a\.run\.jsonl/)
      assert.equal(its.done(at.folder), "nothing")
      assert.equal(at.endpoint.requests.length, 1)
    })
  })
}

it("a diff is coloured: what goes is red, what comes is green", async (t) => {
  const [, edit] = CASES
  assert.ok(edit)
  const at = await place(t, [callOf(edit), replyText("done")])
  const pty = at.start()
  await pty.waitFor("Enter confirms")
  assert.match(pty.raw(), /\x1b\[31m {2}\| -one\x1b\[39m/)
  assert.match(pty.raw(), /\x1b\[32m {2}\| \+two\x1b\[39m/)
})
