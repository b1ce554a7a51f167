import assert from "node:assert/strict"
import { test } from "node:test"
import { PROVIDERS, providerAt } from "../../../src/tool/providers.ts"
import { childEnv } from "../../../src/tools/child-env.ts"

test("each provider's address is its own, encrypted only, and no command is given its key", () => {
  for (const provider of PROVIDERS) {
    assert.equal(providerAt(new URL(provider.baseUrl)), provider)
    const { host } = new URL(provider.baseUrl)
    for (const other of [`http://${host}/v1`, `https://${host}.evil.test/v1`, `https://evil${host}/v1`])
      assert.equal(providerAt(new URL(other)), undefined, other)
    assert.deepEqual(childEnv({ [provider.apiKeyEnv]: "key", PATH: "/bin" }, []), { PATH: "/bin" })
  }
})

test("a part of the world of a provider is the provider's", () => {
  assert.equal(providerAt(new URL("https://eu.api.openai.com/v1"))?.name, "OpenAI")
})
