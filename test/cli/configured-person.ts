import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import type { TestContext } from "node:test"
import { type Place, place, type Ran } from "./command-line.ts"

/** Where the person's configuration lies. */
export const USER: string = join("config", "toolnexus", "config.json")

/** An endpoint as a profile. */
export const WORK = { baseUrl: "https://api.openai.com/v1", model: "gpt-5", apiKeyEnv: "WORK_KEY" } as const

/** A person with a configuration of their own. */
export interface ConfiguredPerson extends Place {
  config(...argv: string[]): Promise<Ran>
  /** What the file holds. */
  text(): string
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into whatever is there
  json(): any
}

/** @param configuration without one there is no file */
export function configuredPerson(t: TestContext, configuration?: unknown): ConfiguredPerson {
  const here = place(t)
  mkdirSync(dirname(here.path(USER)), { recursive: true })
  if (configuration !== undefined) here.write(USER, configuration)
  return {
    ...here,
    config: (...argv) => here.run(["config", ...argv]),
    text: () => here.read(USER),
    json: () => JSON.parse(here.read(USER)),
  }
}
