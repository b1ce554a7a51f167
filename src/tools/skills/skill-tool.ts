import type { JSONSchema, Tool, ToolResult } from "../../tool/tool.ts"
import { locate } from "../builtins/file/locate.ts"
import { readFile } from "../builtins/read.ts"
import { shownPath } from "../builtins/search/shown-path.ts"
import { walk } from "../builtins/search/walk.ts"
import { wellFormed } from "../clipped-output.ts"
import { toolOf } from "../define-tool.ts"
import { Refusal, refusable } from "../refusal.ts"
import { isInside, readSkill, type Skill } from "./read-skill.ts"

const MAX_CHARS = 60_000
const MAX_FILES = 100

interface SkillArguments {
  name: string
  resource?: string
  offset?: number
}

/** The tool that loads a skill, and files of its folder. It reads nothing else. */
export function skillTool(skills: ReadonlyMap<string, Skill>): Tool {
  return toolOf<SkillArguments>("skill", {
    name: "skill",
    description:
      "Loads a skill by its name: instructions for a kind of task, and the names of the files beside them. With resource it gives one " +
      "of these files, with numbered lines.",
    inputSchema: SCHEMA,
    annotations: { readOnly: true },
    run: (args, { signal }) => refusable(() => load(skills, args, signal)),
  })
}

const SCHEMA: JSONSchema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, description: "The skill's name" },
    resource: { type: "string", minLength: 1, description: "A file of the skill, by its path in the skill's folder" },
    offset: { type: "integer", minimum: 1, description: "The first line of resource that is given. Default 1" },
  },
  required: ["name"],
  additionalProperties: false,
}

async function load(
  skills: ReadonlyMap<string, Skill>,
  { name, resource, offset }: SkillArguments,
  signal: AbortSignal | undefined,
): Promise<ToolResult | string> {
  const skill = skills.get(name)
  if (!skill) throw new Refusal(`There is no skill ${JSON.stringify(name)}: there are ${[...skills.keys()].join(", ")}`)
  if (resource === undefined) return whole(skill, signal)
  const { file } = await locate(skill.path, resource)
  if (!isInside(skill.path, file)) throw new Refusal(`${resource} is not in the folder of the skill ${name}`)
  return readFile({ path: resource, ...(offset === undefined ? {} : { offset }) }, skill.path, signal ? { signal } : {})
}

/** Read again: it may have been corrected meanwhile. */
async function whole({ shown, path, name }: Skill, signal: AbortSignal | undefined): Promise<string> {
  const { body, file } = await readSkill({ shown, path }).catch((error: unknown) => {
    throw error instanceof Refusal ? new Refusal(`The skill ${name} cannot be loaded: ${error.message}`) : error
  })
  const head = [`[The skill ${name}, in the folder ${shownPath(path)}]`, ...(await filesBeside(path, file, signal))]
  const text = body.trim()
  const rest = text.length - MAX_CHARS
  const notice = rest > 0 ? `\n[${rest} more characters: go on with resource ${file} and an offset]` : ""
  return `${head.join("\n")}\n\n${wellFormed(text.slice(0, MAX_CHARS))}${notice}`
}

async function filesBeside(path: string, file: string, signal: AbortSignal | undefined): Promise<string[]> {
  const files: string[] = []
  for await (const entry of walk(path, { unreadable: 0, stopped: undefined }, { signal })) {
    if (entry.kind !== "file" || entry.path === file) continue
    if (files.push(shownPath(entry.path)) > MAX_FILES) break
  }
  if (files.length === 0) return []
  const more = files.length > MAX_FILES ? " and more" : ""
  return [`[Its files, for resource: ${files.slice(0, MAX_FILES).join(", ")}${more}]`]
}
