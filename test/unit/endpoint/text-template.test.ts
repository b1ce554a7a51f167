import assert from "node:assert/strict"
import { it } from "node:test"
import { openTextTemplate } from "../../../src/endpoint/text-template.ts"

/** A template that has seen an event, and what it makes of others. */
function after(data: string, event?: string) {
  const template = openTextTemplate()
  template.note({ event, data }, "content", (text) => `added ${text}`)
  return (other: string, name = event) => template.read({ event: name, data: other })
}

it("an event that differs in its text only is read by its text", () => {
  const read = after('{"id":1,"delta":{"content":"one"},"x":"y"}')
  assert.equal(read('{"id":1,"delta":{"content":"two"},"x":"y"}'), "added two")
  assert.equal(read('{"id":1,"delta":{"content":""},"x":"y"}'), "added ")
  assert.equal(read(String.raw`{"id":1,"delta":{"content":"a\n\"b\" \ud83d\ude42"},"x":"y"}`), 'added a\n"b" 🙂')
})

it("an event that differs in anything else is not", () => {
  const read = after('{"id":1,"delta":{"content":"one"},"x":"y"}')
  for (const other of [
    '{"id":2,"delta":{"content":"two"},"x":"y"}',
    '{"id":1,"delta":{"content":"two"},"x":"z"}',
    '{"id":1,"delta":{"content":"two"},"x":"y"} ',
    '{"id":1,"delta":{"content":"two","content":"three"},"x":"y"}',
    String.raw`{"id":1,"delta":{"content":"two\"},"x":"y"}`,
    '{"id":1,"delta":{"content":"two\u0001"},"x":"y"}',
    '{"id":1,"delta":{"content":null},"x":"y"}',
    '{"id":1,"delta":{"content":"',
    "",
  ])
    assert.equal(read(other), undefined, other)
})

it("an event of another name is not", () => {
  const data = '{"content":"one"}'
  assert.equal(after(data)(data, "error"), undefined)
  assert.equal(after(data, "message")(data, "message"), "added one")
})

it("where it is not certain which member holds the text, every event is parsed", () => {
  for (const data of [
    '{"content":"one","delta":{"content":"one"}}',
    String.raw`{"content":"one","delta":{"c\u006fntent":"one"}}`,
    '{"delta":{"content":["one"]}}',
  ])
    assert.equal(after(data)(data), undefined, data)
})

it("a stream whose events are never alike is not looked at for long", () => {
  const template = openTextTemplate()
  const event = (n: number) => ({ data: `{"content":"one","n":${n}}` })
  for (let n = 0; n < 100; n++) template.note(event(n), "content", (text) => text)
  assert.equal(template.read(event(99)), undefined)
  assert.equal(template.read(event(15)), "one")
})
