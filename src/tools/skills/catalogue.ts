import { wellFormed } from "../clipped-output.ts"
import { oneLine } from "../one-line.ts"
import type { Skill } from "./read-skill.ts"

const MAX_DESCRIPTION = 1024
const MAX_CHARS = 60_000

const HEADING =
  'Skills hold instructions for kinds of tasks. Where one of these fits the task, load it by its name with the tool "skill" before you ' +
  "begin. A line is a skill's name and what its author says of it:"

/** The skills that a model is told of, and how. */
export interface Catalogue {
  skills: Map<string, Skill>
  /** The same for the same skills: it is the start of every request. */
  prompt: string
}

/**
 * @param found the first of a name counts
 * @param onWarning told what of them a model does not see, and why
 */
export function createCatalogue(found: readonly Skill[], onWarning: (message: string) => void): Catalogue {
  const skills = new Map<string, Skill>()
  const left: Skill[] = []
  const lines = [HEADING]
  let room = MAX_CHARS - HEADING.length
  for (const skill of found) {
    const first = skills.get(skill.name)
    if (first) {
      onWarning(
        oneLine(`${skill.shown} is left out of the skills: ${first.shown} has its name, ${skill.name}: rename one`),
      )
      continue
    }
    const line = `- ${skill.name}: ${clipped(skill, onWarning)}`
    room -= line.length + 1
    if (room < 0) {
      left.push(skill)
      continue
    }
    skills.set(skill.name, skill)
    lines.push(line)
  }
  if (left.length > 0) {
    const names = left.map(({ name }) => name).join(", ")
    onWarning(`${left.length} skills are left out, as their descriptions are too long together: ${names}`)
  }
  return { skills, prompt: lines.join("\n") }
}

function clipped({ shown, description }: Skill, onWarning: (message: string) => void): string {
  const rest = description.length - MAX_DESCRIPTION
  if (rest <= 0) return description
  onWarning(
    oneLine(
      `the description in ${shown} is cut: it has ${description.length} characters, and ${MAX_DESCRIPTION} are the most: shorten it`,
    ),
  )
  return `${wellFormed(description.slice(0, MAX_DESCRIPTION))} [${rest} more characters are left out]`
}
