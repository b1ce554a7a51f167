import type { Dirent } from "node:fs"
import { readdir, realpath, stat } from "node:fs/promises"
import { join } from "node:path"
import { ToolnexusError } from "../../tool/error.ts"
import { systemFact } from "../../tool/system-fact.ts"
import { isInside, type SkillFolder, skillFileIn } from "./read-skill.ts"

/** Where skills lie, and what could not be looked at. */
export interface Found {
  folders: SkillFolder[]
  /** One line each. */
  problems: string[]
}

const MAX_DEPTH = 4
const MAX_FOLDERS = 5000

/**
 * Finds the folders with a SKILL.md: a folder itself, or those in it, in the order of their names. What lies in a skill's folder is the
 * skill's. A symbolic link is followed inside of the folder only: where it leads outside, the person has to name that place.
 *
 * @param shown the folder as the person names it
 * @param path absolute
 * @throws ToolnexusError `configuration` where it cannot be read
 */
export async function findSkills(shown: string, path: string): Promise<Found> {
  const root = await requireFolder(shown, path)
  return new Search(root).found({ shown, path: root })
}

async function requireFolder(shown: string, path: string): Promise<string> {
  const fact = await stat(path).then(
    (stats) => (stats.isDirectory() ? undefined : "it is no folder"),
    (error: unknown) => systemFact(error),
  )
  if (fact === undefined) return realpath(path)
  throw new ToolnexusError(
    "configuration",
    `the skills folder ${shown} cannot be used: ${fact}: name one that holds folders with a SKILL.md`,
  )
}

class Search {
  readonly #root: string
  readonly #seen = new Set<string>()
  readonly #found: Found = { folders: [], problems: [] }
  /** What is inside itself comes before what links say is there. */
  #links: { folder: SkillFolder; depth: number }[] = []

  constructor(root: string) {
    this.#root = root
  }

  async found(start: SkillFolder): Promise<Found> {
    await this.#look(start, 0)
    while (this.#links.length > 0) {
      const links = this.#links
      this.#links = []
      for (const { folder, depth } of links) await this.#follow(folder, depth)
    }
    return this.#found
  }

  async #look(folder: SkillFolder, depth: number): Promise<void> {
    if (this.#seen.size >= MAX_FOLDERS) return
    this.#seen.add(folder.path)
    if (this.#seen.size === MAX_FOLDERS) {
      this.#problem(folder, `more than ${MAX_FOLDERS} folders were looked at, and no more are: name a smaller one`)
    }
    try {
      if ((await skillFileIn(folder.path)) !== undefined) {
        this.#found.folders.push(folder)
        return
      }
      if (depth < MAX_DEPTH) await this.#lookInto(folder, depth)
    } catch (error) {
      this.#problem(folder, `it cannot be read (${systemFact(error)})`)
    }
  }

  async #lookInto(folder: SkillFolder, depth: number): Promise<void> {
    const entries = (await readdir(folder.path, { withFileTypes: true })).filter(isLookedAt)
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const below = { shown: join(folder.shown, entry.name), path: join(folder.path, entry.name) }
      if (entry.isDirectory()) await this.#look(below, depth + 1)
      else if (entry.isSymbolicLink()) this.#links.push({ folder: below, depth: depth + 1 })
    }
  }

  async #follow({ shown, path }: SkillFolder, depth: number): Promise<void> {
    let real: string
    try {
      real = await realpath(path)
      if (!(await stat(real)).isDirectory()) return
    } catch (error) {
      return this.#problem({ shown, path }, `it is a link that leads nowhere (${systemFact(error)})`)
    }
    if (!isInside(this.#root, real)) {
      this.#problem({ shown, path }, `it is a link to ${real}, outside of the skills folder: name that one too`)
    } else if (this.#seen.has(real)) {
      this.#problem({ shown, path }, `it is a link to ${real}, which is looked at already: remove the link`)
    } else {
      await this.#look({ shown, path: real }, depth)
    }
  }

  #problem({ shown }: SkillFolder, fact: string): void {
    this.#found.problems.push(`${shown} is left out of the skills: ${fact}`)
  }
}

function isLookedAt({ name }: Dirent): boolean {
  return !name.startsWith(".") && name !== "node_modules"
}
