import { namesSecret, ToolnexusError } from "../../index.ts"

/**
 * The address of an endpoint as somebody gave it.
 *
 * @throws ToolnexusError `usage` where it is none, or holds what must be in no file
 */
export function parseBaseUrl(text: string): URL {
  const url = addressIn(text)
  if (!url) {
    const shown = JSON.stringify(text.replace(/[?#].*/s, "").replace(/\/\/[^/]*@/, "//"))
    throw new ToolnexusError("usage", `the base URL ${shown} is no http or https address: write it as https://HOST/v1`)
  }
  const secret = secretIn(url)
  if (secret === undefined) return url
  throw new ToolnexusError("usage", `the base URL holds ${secret}: give the key with --api-key-env NAME instead`)
}

export function addressIn(text: string): URL | undefined {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  return url?.protocol === "https:" || url?.protocol === "http:" ? url : undefined
}

/** What of an address is a secret, in words without it: addresses are kept, and keys are in no file. */
export function secretIn({ username, password, searchParams }: URL): string | undefined {
  if (username !== "" || password !== "") return "a user name or password"
  const name = [...searchParams.keys()].find(namesSecret)
  return name === undefined ? undefined : `a key (${JSON.stringify(name)} in its query)`
}
