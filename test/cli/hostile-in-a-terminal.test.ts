import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { HOSTILE_TEXTS } from "../support/hostile-texts.ts"
import { KEYS, type Pty, type PtyOptions } from "../support/pty.ts"
import { replyCalls, replyText } from "../support/scripted-endpoint.ts"
import { workplace } from "../support/workplace.ts"

/** What a server can send: lone halves of characters are in no UTF-8. */
const SENT = HOSTILE_TEXTS.filter(({ text }) => !/[\uD800-\uDFFF]/u.test(text))

async function asking(t: TestContext, call: { name: string; arguments: unknown }, size: PtyOptions): Promise<Pty> {
  const at = await workplace(t, [replyCalls([{ id: "c1", ...call }]), replyText("done")])
  return at.terminal(["run", "x", "--file", "a.run.jsonl"], size)
}

/** Shows all of it, a screenful at a time: the rest grows smaller with each. */
async function readOn(pty: Pty): Promise<void> {
  let last = Number.POSITIVE_INFINITY
  while (true) {
    const screen = await pty.waitFor(
      (now) => now.includes("^D") || now.includes("Ctrl-D") || /^-- \d+.*Space/m.test(now),
    )
    const rest = /^-- (\d+)/m.exec(screen)?.[1]
    if (rest === undefined) return
    if (Number(rest) === last) {
      await pty.waitFor((now) => !now.includes(`-- ${rest} `))
      continue
    }
    last = Number(rest)
    pty.type(" ")
  }
}

function readable(scrollback: string): string {
  return scrollback
    .split("\n")
    .map((row) => row.replace(/^ *(\| )?/, "").replaceAll(" ", ""))
    .join("")
}

const OUR_SEQUENCES = /\x1b\[(?:\?2004[hl]|\?25h|\d*[AC]|J|\d+m)|\r\n|\r/g

function assertNothingObeyed(pty: Pty): void {
  assert.doesNotMatch(pty.raw().replace(OUR_SEQUENCES, ""), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
}

async function decline(pty: Pty): Promise<void> {
  pty.type(KEYS.ctrlC)
  assert.equal((await pty.exit).code, 0)
}

describe("in a real terminal", { concurrency: 4 }, () => {
  for (const size of [
    { columns: 80, rows: 100 },
    { columns: 20, rows: 200 },
  ]) {
    it(`a command with everything in it is shown whole and obeyed nowhere, in ${size.columns} columns`, async (t) => {
      const command = SENT.map(({ text }) => text).join("\n")
      const pty = await asking(t, { name: "bash", arguments: { command } }, size)
      await readOn(pty)
      const shown = SENT.map((each) => each.shown).join("\n")
      assert.ok(readable(pty.scrollback()).includes(shown.replace(/[ \n]/g, "")))
      assertNothingObeyed(pty)
      await decline(pty)
    })
  }
  it("so are a path and a content", async (t) => {
    const texts = SENT.filter(({ text }) => !/[\n"\\]/.test(text))
    const [path, content] = [texts, texts.toReversed()].map((all) => all.map(({ text }) => text).join(""))
    const pty = await asking(t, { name: "write", arguments: { path, content } }, { columns: 100, rows: 100 })
    await readOn(pty)
    const seen = readable(pty.scrollback())
    for (const all of [texts, texts.toReversed()]) {
      assert.ok(
        seen.includes(
          all
            .map(({ shown }) => shown)
            .join("")
            .replaceAll(" ", ""),
        ),
      )
    }
    assertNothingObeyed(pty)
    await decline(pty)
  })
  it("so are a question, its options and what they mean", async (t) => {
    const options = SENT.map(({ text }) => ({ label: text, description: text }))
    const question = SENT.map(({ text }) => text).join("\n")
    const call = { name: "question", arguments: { questions: [{ question, options }] } }
    const pty = await asking(t, call, { columns: 100, rows: 150 })
    await readOn(pty)
    const seen = readable(pty.scrollback())
    assert.ok(
      seen.includes(
        SENT.map(({ shown }) => shown)
          .join("")
          .replace(/[ \n]/g, ""),
      ),
    )
    for (const { shown } of SENT) {
      assert.ok(seen.includes(`.${shown.replaceAll("\n", "<U+000A>").replaceAll(" ", "")}`), shown)
    }
    assertNothingObeyed(pty)
    await decline(pty)
  })
  it("a command of 10,000 lines is shown whole before the question", async (t) => {
    const command = Array.from({ length: 10_000 }, (_, at) => `echo ${at}`).join("\n")
    const pty = await asking(t, { name: "bash", arguments: { command } }, { columns: 80, rows: 1200 })
    await readOn(pty)
    assert.ok(readable(pty.scrollback()).includes(command.replace(/[ \n]/g, "")))
    await decline(pty)
  })
  it("a terminal of two rows shows it all, and takes an answer", async (t) => {
    const command = 'curl "http://a.test/x" -o y\x1b[2K\rls; rm -rf z'
    const pty = await asking(t, { name: "bash", arguments: { command } }, { columns: 40, rows: 2 })
    await readOn(pty)
    const shown = 'curl "http://a.test/x" -o y<U+001B>[2K<U+000D>ls; rm -rf z'
    assert.ok(readable(pty.scrollback()).includes(shown.replaceAll(" ", "")))
    assertNothingObeyed(pty)
    await decline(pty)
  })
  it("a window that changes while it is shown loses nothing of it", async (t) => {
    const command = SENT.slice(0, 20)
      .map(({ text }) => text)
      .join("\n")
    const pty = await asking(t, { name: "bash", arguments: { command } }, { columns: 80, rows: 60 })
    await pty.waitFor("Enter confirms")
    for (const [columns, rows] of [
      [30, 60],
      [120, 20],
      [60, 70],
    ] as const) {
      pty.resize(columns, rows)
      await pty.waitFor(columns < 60 ? /Ctrl-D later/ : "Enter confirms")
    }
    const shown = SENT.slice(0, 20)
      .map((each) => each.shown)
      .join("")
    assert.ok(readable(pty.scrollback()).includes(shown.replace(/[ \n]/g, "")))
    assertNothingObeyed(pty)
    await decline(pty)
  })
})
