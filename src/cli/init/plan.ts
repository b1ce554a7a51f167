import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Profile, Rules } from "../configuration/configuration.ts"
import { jsonWith } from "../configuration/json-edit.ts"
import type { Members } from "../configuration/settings-reader.ts"
import { durationText } from "../words/duration.ts"
import type { InitFlags } from "./options.ts"

/** What is to be written for a project. */
export interface InitPlan {
  rules: Rules
  /** As the file says them; without any those count that are built in. */
  limits: Readonly<Record<string, string | number>>
  tools: "an example" | "none"
  /** An endpoint of the user's, which goes into their own file. */
  profile: Profile | undefined
}

/** A rule that a person may want. */
export interface Suggestion {
  rule: string
  /** What it is about, in a few words. */
  about: string
  chosen: boolean
}

/** What may run without asking: where nobody chooses, what only looks. */
export function suggestedAllows(folder: string): Suggestion[] {
  const git = existsSync(join(folder, ".git"))
  const look = (rule: string, about: string): Suggestion[] => (git ? [{ rule, about, chosen: true }] : [])
  return [
    ...look("bash(git status*)", "what has changed"),
    ...look("bash(git diff*)", "how it has changed"),
    ...look("bash(git log*)", "what was changed before"),
    ...(existsSync(join(folder, "package.json"))
      ? [{ rule: "bash(npm test*)", about: "runs the project's own tests", chosen: false }]
      : []),
  ]
}

/** What shall never run: nothing that nobody chose. */
export const SUGGESTED_DENIES: readonly Suggestion[] = [
  { rule: "bash(git push*)", about: "nothing leaves this machine by git", chosen: false },
  { rule: "bash(rm*)", about: "no command deletes files", chosen: false },
  { rule: "*(*.env*)", about: "no call names an .env file", chosen: false },
]

/** The limits that options give; `undefined`: none does. */
export function flagLimitsOf({ maxTurns, timeout }: InitFlags): InitPlan["limits"] | undefined {
  if (maxTurns === undefined && timeout === undefined) return undefined
  return {
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(timeout === undefined ? {} : { timeout: durationText(timeout) }),
  }
}

/** What is written where nobody is asked. */
export function suggestedPlan(flags: InitFlags, folder: string): InitPlan {
  const allow = suggestedAllows(folder).flatMap(({ rule, chosen }) => (chosen ? [rule] : []))
  const rules = { allow: flags.allow.length > 0 ? flags.allow : allow, ask: flags.ask, deny: flags.deny }
  return {
    rules,
    limits: flagLimitsOf(flags) ?? {},
    tools: flags.exampleTools ? "an example" : "none",
    profile: undefined,
  }
}

/** The file's name beside the configuration. */
export const EXAMPLE_NAME = "tools.mjs"

/** What the project's file says. The lists of rules are there in any case: that is where they go. */
export function configurationOf({ rules, limits, tools }: InitPlan): Members {
  return {
    permissions: { allow: rules.allow, ask: rules.ask, deny: rules.deny },
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(tools === "none" ? {} : { tools: [EXAMPLE_NAME] }),
  }
}

/** The same as text. */
export function configurationText(plan: InitPlan): string {
  return jsonWith("", configurationOf(plan))
}

/** An example of a tools module: what reads runs at once, what acts asks a person. */
export const EXAMPLE_MODULE = `// Tools of this project. toolnexus gives the function its exports, so this file needs no install.
// It runs in a process of its own, in the run's folder. After a change of it the project is looked at again: toolnexus trust

/** @param {typeof import("toolnexus")} toolnexus */
export default ({ defineTool, outputOf, pending }) => [
  defineTool({
    name: "project_facts",
    description: "Says where this project is and which Node runs it.",
    // It changes nothing: after a crash it simply runs again instead of asking a person whether it may.
    annotations: { readOnly: true },
    run: () => ({ folder: process.cwd(), node: process.version }),
  }),

  defineTool({
    name: "release",
    description: "Releases the project. Asks a person under which version.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    run(_args, { answer }) {
      // The first time there is no answer: ask. The call is run again with what the person says.
      if (!answer) return pending({ kind: "input", prompt: "Which version is to be released?" })
      return \`\${outputOf(answer)} would be released now: write here how\`
    },
  }),
]
`
