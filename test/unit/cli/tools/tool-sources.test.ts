import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { test } from "node:test"
import { loadHttpFile, loadRelayFile, toolsOf } from "../../../../src/cli/tools/tool-sources.ts"
import { temporaryFolder } from "../../../support/folder.ts"

const folder = temporaryFolder()
let made = 0
const put = (content: unknown) => {
  const name = `${++made}.json`
  const isRaw = typeof content === "string" || content instanceof Uint8Array
  writeFileSync(folder.at(name), isRaw ? content : JSON.stringify(content))
  return folder.at(name)
}
const refusal = (load: (file: string) => unknown, file: string): string => {
  let said = ""
  assert.throws(
    () => load(file),
    (error: Error & { code: string }) => {
      assert.equal(error.code, "configuration")
      assert.doesNotMatch(error.message, /\n/)
      said = error.message
      return true
    },
  )
  assert.ok(said.includes(file), said)
  return said.slice(said.indexOf("cannot be used: ") + "cannot be used: ".length)
}
const relayFile = (file: string) => loadRelayFile(file, {})
const httpFile = (file: string) => loadHttpFile(file, {}, {})
const relay = (content: unknown) => refusal(relayFile, put(content))
const http = (content: unknown) => refusal(httpFile, put(content))

test("what is no JSON is named with its place, and without what it says", () => {
  const text = '[\n  {"name": "a"}\n  sk-live-4242\n]'
  const said = "it is not JSON (line 3, column 3: a comma or ] must stand here): correct it"
  assert.equal(relay(text), said)
  assert.equal(http(text), said)
})

test("a list of tools that is no UTF-8 is refused, and one with a byte order mark is read", async () => {
  const list = JSON.stringify([{ name: "a", description: "caf\u00e9" }])
  assert.equal(relay(Buffer.from(list, "latin1")), "it is no UTF-8 text: name another one")
  assert.equal(relayFile(put(`\uFEFF${list}`)).tools[0]?.description, "caf\u00e9")
})

test("a relay file's mistakes are named by entry", () => {
  const good = { name: "good", description: "d" }
  assert.match(relay({ good }), /^it must hold a list: write \[\{ name, description, inputSchema \}\]$/)
  assert.match(relay([good, 1]), /^entry 1 is no object: write/)
  assert.match(relay([good, null]), /^entry 1 is no object/)
  assert.match(relay([good, { description: "d" }]), /^entry 1 has no name: give it one$/)
  assert.match(relay([good, { name: "x" }]), /^entry 1 \(x\) has no description: say what the call does$/)
  assert.match(relay([{ ...good, inputSchema: [] }]), /^the inputSchema of entry 0 \(good\) must be an object/)
  assert.match(
    relay([{ ...good, parameters: {} }]),
    /^entry 0 \(good\) has a member parameters, and there are only name, description, inputSchema: correct it$/,
  )
  assert.match(refusal(relayFile, folder.at("nowhere.json")), /^no such file or folder: name another one$/)
  const { tools } = relayFile(put(`\uFEFF${JSON.stringify([good])}`))
  assert.deepEqual(
    tools.map(({ name, source }) => [name, source]),
    [["good", "relay"]],
  )
})

test("a list of HTTP tools is loaded, and its mistakes are named by entry; keys stand in variables only", () => {
  const good = { name: "good", description: "d", url: "https://a.test/{x}" }
  const file = put([good, { ...good, name: "other", headers: { authorization: "Bearer ${TOKEN}" } }])
  const { tools } = httpFile(file)
  assert.deepEqual(
    tools.map(({ name, source }) => [name, source]),
    [
      ["good", "http"],
      ["other", "http"],
    ],
  )
  assert.match(
    http([good, { ...good, url: "https://{h}/" }]),
    /^entry 1: the HTTP tool "good" cannot be defined like this: the host/,
  )
  assert.match(http([{ name: "x" }]), /^entry 0: .*its url must be a text/)
  assert.match(
    http([{ ...good, env: {} }]),
    /^entry 0 has a member env: variables are those of toolnexus, leave it out$/,
  )
  assert.match(
    http([{ ...good, headers: { "X-Api-Key": "abc" } }]),
    /^entry 0 holds a key in its header X-Api-Key: keys are in no file, write \$\{NAME\} of a variable$/,
  )
  assert.match(http([1]), /^entry 0 is no object/)
  assert.match(http({}), /^it must hold a list: write \[\{ name, description, method, url, \.\.\. \}\]$/)
})

test("variables are read where the command line reads its own", async () => {
  const file = put([{ name: "x", description: "d", url: "https://a.test/", headers: { a: "${NOT_SET_ANYWHERE}" } }])
  const [tool] = httpFile(file).tools
  assert.match(
    (await tool?.execute({}))?.output ?? "",
    /the environment variable NOT_SET_ANYWHERE \(the header a\) is not set/,
  )
})

test("two tools of one name are refused, naming both files", () => {
  const one = relayFile(put([{ name: "a", description: "d" }]))
  const two = relayFile(
    put([
      { name: "b", description: "d" },
      { name: "a", description: "d" },
    ]),
  )
  const twice = relayFile(
    put([
      { name: "c", description: "d" },
      { name: "c", description: "d" },
    ]),
  )
  assert.throws(() => toolsOf([one, two]), {
    code: "configuration",
    message: `the tool a is in ${one.file} and in ${two.file}: rename one`,
  })
  assert.throws(() => toolsOf([twice]), { message: `the tool c is twice in ${twice.file}: rename one` })
  assert.deepEqual(toolsOf([one, twice.tools[0] ? { ...twice, tools: [twice.tools[0]] } : twice]).length, 2)
})
