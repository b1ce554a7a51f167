import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { masksFrom, problemOfMarks } from "../../../../src/cli/configuration/masks.ts"
import { type Mask, maskText } from "../../../../src/index.ts"

const names = (masks: readonly Mask[]) => masks.map(({ name }) => name)

describe("the masks of the environment", () => {
  it("are the values of at least 12 characters of variables whose name says that they are secret", () => {
    const value = "abcdefghijkl"
    const env = {
      OPENAI_API_KEY: value,
      github_token: value,
      MySecretThing: value,
      DB_PASSWORD: value,
      SHORT_KEY: "abcdefghijk",
      EMPTY_TOKEN: "",
      UNSET_TOKEN: undefined,
      SSH_AUTH_SOCK: "/tmp/agent.socket",
      PATH: "/usr/local/bin:/usr/bin",
      PASSPHRASE: value,
      DB_PASS: value,
      PWD: "/somewhere/else",
    }
    assert.deepEqual(names(masksFrom(env, [], "/work")), [
      "OPENAI_API_KEY",
      "github_token",
      "MySecretThing",
      "DB_PASSWORD",
      "PASSPHRASE",
      "DB_PASS",
    ])
  })

  it("stand beside those of the configuration", () => {
    const ticket: Mask = { name: "TICKET", pattern: /T-\d+/ }
    assert.equal(
      maskText("T-1 abcdefghijkl", masksFrom({ A_KEY: "abcdefghijkl" }, [ticket], "/work")),
      "[masked TICKET] [masked A_KEY]",
    )
  })

  it("leave the path of the working folder alone: nothing could be done in it", () => {
    assert.deepEqual(masksFrom({ KEYCLOAK_HOME: "/srv/keycloak" }, [], "/srv/keycloak/themes"), [])
    assert.deepEqual(names(masksFrom({ KEYCLOAK_HOME: "/srv/keycloak" }, [], "/work")), ["KEYCLOAK_HOME"])
  })

  it("take any name that a variable can have", () => {
    const masks = masksFrom({ "A[KEY]\n": "abcdefghijkl" }, [], "/work")
    assert.equal(maskText("abcdefghijkl", masks), "[masked A_KEY__]")
  })
})

describe("arguments that a person edits", () => {
  it("are not sent with a mark in them: in a key, a value, at any depth, whatever its name", () => {
    const masks = masksFrom({ 'A"KEY': "abcdefghijkl", B_KEY: "mnopqrstuvwx" }, [], "/work")
    for (const input of [{ a: [{ b: 'x [masked A"KEY] y' }] }, { '[masked A"KEY]': 1 }]) {
      assert.equal(problemOfMarks(input, masks), '[masked A"KEY] is a mark: put there what it stands for')
    }
    for (const input of [{}, { a: "[masked OTHER]" }, { a: "masked B_KEY" }, { a: ["[masked", "B_KEY]"] }]) {
      assert.equal(problemOfMarks(input, masks), undefined)
    }
  })
})
