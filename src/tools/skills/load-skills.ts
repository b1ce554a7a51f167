import { messageOf } from "../../tool/error.ts"
import { absolutePath } from "../../tool/place.ts"
import type { Tool } from "../../tool/tool.ts"
import { oneLine } from "../one-line.ts"
import { createCatalogue } from "./catalogue.ts"
import { findSkills } from "./find-skills.ts"
import { readSkill, type Skill, type SkillFolder } from "./read-skill.ts"
import { skillTool } from "./skill-tool.ts"

/** What skills add to a run. */
export interface Skills {
  tool: Tool
  prompt: string
}

/**
 * Loads the skills of some folders. One that is broken is named with the reason, and left out.
 *
 * @param folders as the person names them
 * @param cwd what they are relative to
 * @param onWarning told of each that is left out, in one line
 * @throws ToolnexusError `configuration` where one of the folders cannot be read
 */
export async function loadSkills(
  folders: readonly string[],
  { cwd, onWarning }: { cwd: string; onWarning: (message: string) => void },
): Promise<Skills | undefined> {
  const good: Skill[] = []
  for (const shown of folders) {
    const found = await findSkills(shown, absolutePath(cwd, shown))
    for (const problem of found.problems) onWarning(oneLine(problem))
    for (const folder of found.folders) {
      const skill = await readable(folder, onWarning)
      if (skill) good.push(skill)
    }
    if (found.folders.length === 0) {
      onWarning(oneLine(`the skills folder ${shown} holds no skill: a skill is a folder in it with a SKILL.md`))
    }
  }
  if (good.length === 0) return undefined
  const { skills, prompt } = createCatalogue(good, onWarning)
  return { tool: skillTool(skills), prompt }
}

async function readable(folder: SkillFolder, onWarning: (message: string) => void): Promise<Skill | undefined> {
  try {
    return await readSkill(folder)
  } catch (error) {
    onWarning(oneLine(`${folder.shown} is left out of the skills: ${messageOf(error)}`))
    return undefined
  }
}
