import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { describe, it } from "node:test"
import { createDemoModel } from "../../../../src/endpoint/local/demo.ts"
import { commandFor } from "../../../../src/endpoint/local/demo-script.ts"
import { openai } from "../../../../src/endpoint/openai/style.ts"
import type { Message } from "../../../../src/event/event.ts"
import type { ToolSpec } from "../../../../src/tool/tool.ts"

const tool = (name: string): ToolSpec => ({ name, description: "", inputSchema: {}, source: "builtin" })
const BOTH = [tool("question"), tool("bash")]

/** A conversation with the demo, each turn by a model of its own: it has nothing but the transcript. */
class Talk {
  readonly messages: Message[] = []
  shown: string[] = []

  prompt(text: string): this {
    this.messages.push(openai.renderUser(text))
    return this
  }

  async turn(tools: ToolSpec[] = BOTH) {
    const messages = JSON.parse(JSON.stringify(this.messages))
    this.shown = []
    const onText = (text: string) => this.shown.push(text)
    const reply = await createDemoModel().complete(
      { messages, tools },
      { signal: new AbortController().signal, onText },
    )
    this.messages.push(reply.message)
    const { text, calls } = openai.parseMessage(reply.message)
    return { text, calls: calls.map((call) => ({ name: call.name, input: JSON.parse(call.arguments), id: call.id })) }
  }

  result(id: string | undefined, output: string): this {
    this.messages.push(...openai.renderResults([{ id: id ?? "", name: "", output, isError: false }]))
    return this
  }
}

describe("the demo", () => {
  it("says at once that it is no language model, and asks a question with choices", async () => {
    const talk = new Talk().prompt("fix my code")
    const { text, calls } = await talk.turn()
    assert.match(text.slice(0, 200), /not a language model/)
    assert.match(text, /do not read\nyour prompt, call none of your own tools/)
    assert.ok(text.split("\n").every((line) => line.length < 80))
    const [call] = calls
    assert.equal(call?.name, "question")
    assert.ok(call?.input.questions[0].options.length > 1)
    assert.ok(talk.shown.length > 5, "it streams")
    assert.equal(talk.shown.join(""), text)
  })

  it("then wants the command of the choice, and reports choice, output and how to go on", async () => {
    const talk = new Talk().prompt("hello")
    const asked = await talk.turn()
    const wanted = await talk.result(asked.calls[0]?.id, "This system").turn()
    assert.match(wanted.text, /You answered: This system/)
    assert.deepEqual(wanted.calls[0]?.input, { command: "uname -sr" })
    const report = await talk.result(wanted.calls[0]?.id, "Linux 6.1\n[exit code 0]").turn()
    assert.deepEqual(report.calls, [])
    for (const part of [/You chose: This system/, /Linux 6\.1/, /--base-url/, /--model/])
      assert.match(report.text, part)
  })

  it("goes on when the question is declined, and says so when the command is", async () => {
    const talk = new Talk().prompt("hello")
    const asked = await talk.turn()
    const wanted = await talk
      .result(asked.calls[0]?.id, "declined/expired: What?\nIt was not run: the person declined.")
      .turn()
    assert.match(wanted.text, /You did not answer, and that is fine/)
    assert.equal(wanted.calls[0]?.name, "bash")
    const report = await talk
      .result(wanted.calls[0]?.id, "declined/expired: Run?\nIt was not run: the person declined.")
      .turn()
    assert.match(report.text, /was not run: you declined it/)
    assert.doesNotMatch(report.text, /You chose/)
  })

  it("tells an expired command from a declined one, and names a rule that refused it", async () => {
    const reportOn = async (output: string) => {
      const talk = new Talk().prompt("hello")
      const wanted = await talk.turn([tool("bash")])
      return (await talk.result(wanted.calls[0]?.id, output).turn([tool("bash")])).text
    }
    assert.match(
      await reportOn("declined/expired: x\nIt was not run: nobody answered in time."),
      /nobody answered in time/,
    )
    assert.match(await reportOn("refused by deny bash. It was not run."), /not run: refused by deny bash/)
  })

  it("takes a further prompt of the same conversation", async () => {
    const talk = new Talk().prompt("hello")
    const asked = await talk.turn()
    const wanted = await talk.result(asked.calls[0]?.id, "The date").turn()
    await talk.result(wanted.calls[0]?.id, "today").turn()
    const again = await talk.prompt("and now?").turn()
    assert.match(again.text, /Still the demo model/)
    assert.equal(again.calls[0]?.name, "question")
  })

  it("does without the tools that a run does not have", async () => {
    const none = await new Talk().prompt("hello").turn([])
    assert.deepEqual(none.calls, [])
    assert.match(none.text, /not a language model/)
    const onlyBash = await new Talk().prompt("hello").turn([tool("bash")])
    assert.match(onlyBash.text, /not a language model/)
    assert.equal(onlyBash.calls[0]?.name, "bash")
    const talk = new Talk().prompt("hello")
    const asked = await talk.turn([tool("question")])
    const report = await talk.result(asked.calls[0]?.id, "The date").turn([tool("question")])
    assert.deepEqual(report.calls, [])
    assert.match(report.text, /You chose: The date/)
  })

  it("puts nothing that a shell could obey into its command, whatever was typed", () => {
    const nasty = `'; rm -rf / #$(id)\`id\`"\\\n&& echo ü`
    const command = commandFor(nasty)
    assert.match(command, /^echo 'You said: [^']*'$/)
    assert.equal(execFileSync("sh", ["-c", command], { encoding: "utf8" }), "You said: rm -rf id id echo ü\n")
    assert.equal(commandFor("$$$"), "echo 'You said: something without words'")
  })
})
