import assert from "node:assert/strict"
import { it } from "node:test"
import { openTextTemplate } from "../../../../src/endpoint/reply/text-template.ts"

/** A template that has seen an event: the texts that it takes from a stream, and what it leaves. */
function after(raw: string) {
  const template = openTextTemplate()
  template.note({ data: "", raw }, "content", (text) => `<${text}>`)
  return (stream: string, from = 0) => {
    const taken: string[] = []
    const at = template.take(stream, from, (text) => taken.push(text))
    return { taken, left: stream.slice(at) }
  }
}

const ONE = 'data: {"id":1,"delta":{"content":"one"},"x":"y"}\n\n'

it("events that differ in their text only are taken by their texts, up to the first other one", () => {
  const written = ["two", "", String.raw`a\n\"b\" \ud83d\ude42`, "three"]
  const events = written.map((text) => ONE.replace("one", text))
  const other = 'data: {"id":2}\n\n'
  const { taken, left } = after(ONE)(`${other}${events.join("")}${other}${ONE}`, other.length)
  assert.deepEqual(taken, ["<two>", "<>", '<a\n"b" 🙂>', "<three>"])
  assert.equal(left, other + ONE)
})

it("an event that differs in anything else is not, nor one that is not whole", () => {
  const take = after(ONE)
  for (const other of [
    'data: {"id":2,"delta":{"content":"two"},"x":"y"}\n\n',
    'data: {"id":1,"delta":{"content":"two"},"x":"z"}\n\n',
    'data: {"id":1,"delta":{"content":"two"},"x":"y"} \n\n',
    'data:  {"id":1,"delta":{"content":"two"},"x":"y"}\n\n',
    'event: x\ndata: {"id":1,"delta":{"content":"two"},"x":"y"}\n\n',
    'data: {"id":1,"delta":{"content":"two","content":"three"},"x":"y"}\n\n',
    'data: {"id":1,"delta":{"content":"two\ndata: "},"x":"y"}\n\n',
    'data: {"id":1,"delta":{"content":"two"},"x":"y"}\ndata: 1\n\n',
    `${String.raw`data: {"id":1,"delta":{"content":"two\"},"x":"y"}`}\n\n`,
    'data: {"id":1,"delta":{"content":"two\u0001"},"x":"y"}\n\n',
    'data: {"id":1,"delta":{"content":null},"x":"y"}\n\n',
    'data: {"id":1,"delta":{"content":"two"},"x":"y"}\n',
    'data: {"id":1,"delta":{"content":"',
  ])
    assert.deepEqual(take(other + ONE), { taken: [], left: other + ONE }, other)
})

it("where it is not certain which member holds the text, none is taken", () => {
  for (const raw of [
    'data: {"content":"one","delta":{"content":"one"}}\n\n',
    `${String.raw`data: {"content":"one","delta":{"c\u006fntent":"one"}}`}\n\n`,
    ': "content":"one"\ndata: {"delta":{"content":"one"}}\n\n',
    'data: {"delta":{"content":["one"]}}\n\n',
  ])
    assert.deepEqual(after(raw)(raw).taken, [], raw)
})

it("a stream whose events are never alike is not looked at for long", () => {
  const template = openTextTemplate()
  const event = (n: number) => `data: {"content":"one","n":${n}}\n\n`
  const take = (n: number) => template.take(event(n), 0, () => {})
  for (let n = 0; n < 100; n++) template.note({ data: "", raw: event(n) }, "content", (text) => text)
  assert.equal(take(99), 0)
  assert.equal(take(15), event(15).length)
})
