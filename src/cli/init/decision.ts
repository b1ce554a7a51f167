import { configurationFile } from "../configuration/place.ts"
import { openState } from "../configuration/settings.ts"
import type { Io } from "../io.ts"
import { errorText } from "../output/error-text.ts"
import { recordOf } from "../projects/projects.ts"
import { factsOf } from "../projects/trust-facts.ts"
import { trustStore } from "../projects/trust-store.ts"
import { escapeLine } from "../terminal/escape.ts"
import type { Person } from "../terminal/person.ts"
import { homePath } from "../words/home-path.ts"
import { configurationText, type InitPlan } from "./plan.ts"
import { lookOverPlanned, type NewProject, plannedProject } from "./project.ts"

/** What a person says to all of it. */
export type Decision = { is: "nothing" } | { is: "write" } | { is: "write and trust"; save(): void }

const TRUST = "Write it, and trust it as it is shown here"
const WRITE = "Write it; toolnexus trust asks about it later"
const NOTHING = "Write nothing"

interface Around {
  project: NewProject
  person: Person
  io: Io
}

/** What trust would let, in words, and how it is kept; `problem`: it cannot be looked over. */
type Offer = { facts: readonly string[]; save(): void } | { problem: string }

/**
 * Shows everything that would be written, and what a trust in it would let. Who chose it here and sees all of it has looked at it,
 * so trust is one of the answers; it is never the consequence of another one. What is kept is what was shown: a file that is
 * another one by then is not trusted.
 */
export async function decideInit(plan: InitPlan, { project, person, io }: Around): Promise<Decision> {
  const offer = trustOffer(plan, project, io)
  const prompt = [...written(plan, project, io), ...said(offer), "", "Write it?"].map(escapeLine).join("\n")
  const choices = "facts" in offer ? [TRUST, WRITE, NOTHING] : [WRITE, NOTHING]
  // A closed choice, nothing highlighted: there is nothing else that could be typed.
  const schema = { type: "string", enum: choices }
  const { waitFor, signal } = person
  const answer = await waitFor?.(
    { id: "init", kind: "input", prompt, data: { schema } },
    { signal, saveDraft: () => {} },
  )
  const output = answer?.ok === true ? answer.data?.output : undefined
  if (output === TRUST && "facts" in offer) return { is: "write and trust", save: offer.save }
  return output === WRITE ? { is: "write" } : { is: "nothing" }
}

function written(plan: InitPlan, { file, example }: NewProject, io: Io): string[] {
  const { profile } = plan
  return [
    `This would be written to ${homePath(file, io)}:`,
    ...configurationText(plan)
      .trimEnd()
      .split("\n")
      .map((line) => `  ${line}`),
    ...(plan.tools === "none" ? [] : [`and an example of a tools module to ${homePath(example, io)}`]),
    ...(profile
      ? [`and the endpoint ${profile.baseUrl} as your profile to ${homePath(configurationFile(io), io)}`]
      : []),
  ]
}

function said(offer: Offer): string[] {
  if ("problem" in offer) return ["", `It cannot be trusted now: ${offer.problem}`]
  return ["", "Trust in the project would let count:", ...offer.facts.map((fact) => `- ${fact}`)]
}

function trustOffer(plan: InitPlan, project: NewProject, io: Io): Offer {
  try {
    const planned = plannedProject(project, plan, io)
    const lookedOver = lookOverPlanned(planned, plan, project)
    const store = trustStore(openState(io), project.folder)
    store.find(project.folder) // says why nothing can be kept there
    return {
      facts: factsOf(lookedOver, planned),
      save: () => store.save(recordOf(planned, lookedOver, new Date(io.clock.now()).toISOString())),
    }
  } catch (error) {
    return { problem: errorText(error) }
  }
}
