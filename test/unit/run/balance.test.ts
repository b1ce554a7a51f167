import assert from "node:assert/strict"
import { test } from "node:test"
import { anthropic } from "../../../src/endpoint/anthropic/style.ts"
import { openai } from "../../../src/endpoint/openai/style.ts"
import type { Style } from "../../../src/endpoint/style.ts"
import { imbalanceOf } from "../../../src/run/balance.ts"

const result = (id: string) => ({ id, name: "", output: "x", isError: false })
const calls = (...ids: string[]) => ({ text: "", calls: ids.map((id) => ({ id, name: "deploy", arguments: "{}" })) })

for (const style of [openai, anthropic] as Style[]) {
  const user = style.renderUser("go")
  const reply = (...ids: string[]) => style.renderReply(calls(...ids))
  const results = (...ids: string[]) => style.renderResults(ids.map(result))

  test(`${style.name}: one result for each call, in order, right after the message that made them, is balanced`, () => {
    const said = style.renderReply({ text: "done", calls: [] })
    assert.equal(imbalanceOf([], style), undefined)
    assert.equal(imbalanceOf([user, said], style), undefined)
    const two = [user, reply("a", "b"), ...results("a", "b"), reply("a"), ...results("a"), said, user]
    assert.equal(imbalanceOf(two, style), undefined)
  })

  test(`${style.name}: what is not balanced is said, naming the call`, () => {
    const imbalanced: [object[], RegExp][] = [
      [[user, reply("a")], /^the call a \(deploy\) has no result$/],
      [[user, reply("a", "b"), ...results("a")], /^the call b \(deploy\) has no result$/],
      [[user, reply("a"), user], /^the call a \(deploy\) has no result before message 3$/],
      [[user, reply("a"), reply("b"), ...results("b")], /^the call a \(deploy\) has no result before message 3$/],
      [
        [user, reply("a", "b"), ...results("b", "a")],
        /^message 3 is a result of b, and that of the call a \(deploy\) is due$/,
      ],
      [[user, reply("a"), ...results("a", "a")], /is a result of a, and none is due$/],
      [[user, ...results("a")], /^message 2 is a result of a, and none is due$/],
      [[user, reply("a", "a"), ...results("a", "a")], /^the call a \(deploy\) of message 2 has no id of its own$/],
      [[user, reply(""), ...results("")], /of message 2 has no id of its own$/],
    ]
    for (const [messages, problem] of imbalanced) {
      assert.match(imbalanceOf(messages as Record<string, unknown>[], style) ?? "balanced", problem)
    }
  })
}
