import assert from "node:assert/strict"
import { test } from "node:test"
import { mentionsSecret, namesSecret } from "../../../src/tool/secret-name.ts"

type Says = "names one" | "mentions one" | "nothing"

const NAMES: Record<Says, string[]> = {
  "names one": [
    ...[
      "OPENAI_API_KEY",
      "APIKEY",
      "api-key",
      "apiKey",
      "X-Api-Key",
      "key",
      "github_token",
      "accessToken",
      "clientSecret",
    ],
    ...["DB_PASSWORD", "PGPASSWORD", "DB_PASS", "userPass", "MYSQL_PWD", "pwd", "PASSPHRASE", "GITHUB_PAT", "passwd"],
    ...["Authorization", "Proxy-Authorization", "X-Auth", "oauth", "Cookie", "Set-Cookie", "jwt", "sig", "X-Signature"],
    ...["AWS_CREDENTIALS", "credential", "code", "bearer"],
  ],
  "mentions one": [
    "MySecretThing",
    "max_tokens",
    "ACCESS_TOKENS",
    "KEYCLOAK_HOME",
    "SSL_KEY_FILE",
    "X-Auth-Email",
    "AUTH_HEADER",
  ],
  nothing: [
    ...["PATH", "SSH_AUTH_SOCK", "AWS_SHARED_CREDENTIALS_FILE", "GIT_ASKPASS", "XAUTHORITY", "AUTHOR", "x-compat"],
    ...["postcode", "Accept", "passive", "design", "path", "", "_", "-"],
  ],
}

for (const [says, names] of Object.entries(NAMES)) {
  for (const name of names) {
    test(`of a secret the name ${JSON.stringify(name)} ${says === "nothing" ? "says nothing" : says}`, () => {
      assert.deepEqual([namesSecret(name), mentionsSecret(name)], [says === "names one", says !== "nothing"])
    })
  }
}
