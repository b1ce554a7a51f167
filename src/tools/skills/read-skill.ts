import { isUtf8 } from "node:buffer"
import { readdir, realpath, stat } from "node:fs/promises"
import { basename, join, sep } from "node:path"
import { systemFact } from "../../tool/system-fact.ts"
import { openFile } from "../builtins/file/open-file.ts"
import { binaryKind, HEAD_BYTES } from "../file-kind.ts"
import { oneLine } from "../one-line.ts"
import { Refusal } from "../refusal.ts"
import { parseFrontMatter } from "./front-matter.ts"

/** A folder with a SKILL.md. */
export interface SkillFolder {
  /** As the person names it. */
  shown: string
  /** Symbolic links resolved. */
  path: string
}

export interface Skill extends SkillFolder {
  name: string
  /** One line. */
  description: string
  /** The name of its SKILL.md. */
  file: string
  body: string
}

const MAX_BYTES = 1024 * 1024
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._:-]{0,63}$/u

/** The name of a folder's SKILL.md, in whatever case people write it. */
export async function skillFileIn(folder: string): Promise<string | undefined> {
  const names = (await readdir(folder)).filter((name) => /^skill\.md$/i.test(name)).sort()
  return names.includes("SKILL.md") ? "SKILL.md" : names[0]
}

/**
 * Reads a skill.
 *
 * @throws Refusal what is wrong with it: the fact and the next step
 */
export async function readSkill(folder: SkillFolder): Promise<Skill> {
  const file = await skillFileIn(folder.path).catch((error: unknown) => {
    throw new Refusal(`its folder cannot be read (${systemFact(error)})`)
  })
  if (file === undefined) throw new Refusal("it has no SKILL.md")
  const text = await textOf(folder, file)
  const matter = await parseFrontMatter(text)
  if ("problem" in matter) throw new Refusal(matter.problem)
  const name = oneLine(matter.name ?? "") || basename(folder.path)
  if (!NAME.test(name)) {
    const shown = JSON.stringify(name.slice(0, 80))
    throw new Refusal(`its name ${shown} cannot be one: use up to 64 letters, digits, spaces, dots, colons, _ and -`)
  }
  const description = oneLine(matter.description ?? "")
  if (description === "") throw new Refusal("it has no description: say in its front matter what it is for")
  if (matter.body.trim() === "") throw new Refusal("it has no text behind its front matter: say there what to do")
  return { ...folder, name, description, file, body: matter.body }
}

async function textOf({ path }: SkillFolder, file: string): Promise<string> {
  const bytes = await bytesOf(path, file)
  const kind = binaryKind(bytes.subarray(0, HEAD_BYTES))
  if (kind !== undefined) throw new Refusal(`its ${file} is ${kind}: save it as UTF-8 text`)
  if (!isUtf8(bytes)) throw new Refusal(`its ${file} is not UTF-8: save it as such`)
  return bytes.toString("utf8").replace(/^\uFEFF/, "")
}

async function bytesOf(folder: string, file: string): Promise<Buffer> {
  try {
    const real = await realpath(join(folder, file))
    if (!isInside(folder, real))
      throw new Refusal(`its ${file} is a link to ${real}, outside of its folder: put a copy`)
    if (!(await stat(real)).isFile()) throw new Refusal(`its ${file} is no file: it must be a text file`)
    return await readWhole(file, real)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal(`its ${file} cannot be read (${systemFact(error)})`)
  }
}

async function readWhole(file: string, real: string): Promise<Buffer> {
  const { handle, stats } = await openFile(`its ${file}`, real)
  try {
    if (stats.size > MAX_BYTES) {
      throw new Refusal(
        `its ${file} has ${stats.size} bytes, and ${MAX_BYTES} are the most: move parts into files beside it`,
      )
    }
    const buffer = Buffer.alloc(stats.size)
    const { bytesRead } = await handle.read(buffer, 0, stats.size, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** @param path absolute, symbolic links resolved, as `folder` is */
export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
