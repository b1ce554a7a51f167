import {
  type HttpToolDefinition,
  httpTool,
  type JSONSchema,
  namesSecret,
  relayTool,
  type Tool,
  ToolnexusError,
} from "../../index.ts"
import { isRecord } from "../is-record.ts"
import { errorText } from "../output/error-text.ts"
import { readSealed } from "../projects/sealed-file.ts"
import type { SealedFiles } from "../projects/sealed-modules.ts"
import { parsedJson } from "../words/json-problem.ts"

/** A file, and the tools that it gave. */
export interface ToolFile {
  /** Absolute. */
  file: string
  tools: Tool[]
}

/**
 * Loads a relay file: a JSON list of `{ name, description, inputSchema }`.
 *
 * @param file absolute
 * @param seals what files must hold that a project named
 * @throws ToolnexusError `configuration`, one line that names the file and the entry
 */
export function loadRelayFile(file: string, seals: SealedFiles): ToolFile {
  const text = readSealed(file, seals, RELAY_FILE)
  const unusable = unusableFile(`${RELAY_FILE} ${file}`)
  const list = parseList(text, "{ name, description, inputSchema }", unusable)
  return { file, tools: list.map((entry, at) => relayFrom(entry, `entry ${at}`, unusable)) }
}

const RELAY_FILE = "the relay file"
const RELAY_MEMBERS = ["name", "description", "inputSchema"]

function relayFrom(entry: unknown, at: string, unusable: Unusable): Tool {
  if (!isRecord(entry)) throw unusable(`${at} is no object: write { name, description, inputSchema }`)
  const { name, description, inputSchema } = entry
  if (typeof name !== "string" || name === "") throw unusable(`${at} has no name: give it one`)
  if (typeof description !== "string") throw unusable(`${at} (${name}) has no description: say what the call does`)
  const unknown = Object.keys(entry).find((member) => !RELAY_MEMBERS.includes(member))
  if (unknown !== undefined) {
    throw unusable(
      `${at} (${name}) has a member ${unknown}, and there are only ${RELAY_MEMBERS.join(", ")}: correct it`,
    )
  }
  if (inputSchema !== undefined && !isRecord(inputSchema)) {
    throw unusable(`the inputSchema of ${at} (${name}) must be an object: correct it`)
  }
  return relayTool(name, description, inputSchema as JSONSchema | undefined)
}

/**
 * Loads a list of HTTP tools: a JSON list of what `httpTool` takes. Keys stand in variables only.
 *
 * @param file absolute
 * @param seals what files must hold that a project named
 * @param env where variables are read
 * @throws ToolnexusError `configuration`, one line that names the file and the entry
 */
export function loadHttpFile(file: string, seals: SealedFiles, env: HttpToolDefinition["env"]): ToolFile {
  const text = readSealed(file, seals, HTTP_FILE)
  const unusable = unusableFile(`${HTTP_FILE} ${file}`)
  const list = parseList(text, "{ name, description, method, url, ... }", unusable)
  return { file, tools: list.map((entry, at) => httpFrom(entry, `entry ${at}`, { env, unusable })) }
}

const HTTP_FILE = "the file of HTTP tools"

function httpFrom(
  entry: unknown,
  at: string,
  { env, unusable }: { env: HttpToolDefinition["env"]; unusable: Unusable },
): Tool {
  if (!isRecord(entry)) throw unusable(`${at} is no object: write { name, description, method, url, ... }`)
  if ("env" in entry) throw unusable(`${at} has a member env: variables are those of toolnexus, leave it out`)
  const key = isRecord(entry.headers) && Object.entries(entry.headers).find(holdsKey)
  if (key)
    throw unusable(`${at} holds a key in its header ${key[0]}: keys are in no file, write \${NAME} of a variable`)
  try {
    return httpTool({ ...entry, ...(env ? { env } : {}) } as unknown as HttpToolDefinition)
  } catch (error) {
    throw unusable(`${at}: ${errorText(error)}; correct it`)
  }
}

function holdsKey([name, value]: [string, unknown]): boolean {
  return namesSecret(name) && typeof value === "string" && !value.includes("${")
}

/**
 * The tools of all files.
 *
 * @throws ToolnexusError `configuration` where two have the same name, naming both files
 */
export function toolsOf(files: readonly ToolFile[]): Tool[] {
  const fileOf = new Map<string, string>()
  for (const { file, tools } of files) {
    for (const { name } of tools) {
      const other = fileOf.get(name)
      if (other === undefined) fileOf.set(name, file)
      else {
        const where = other === file ? `twice in ${file}` : `in ${other} and in ${file}`
        throw new ToolnexusError("configuration", `the tool ${name} is ${where}: rename one`)
      }
    }
  }
  return files.flatMap(({ tools }) => tools)
}

function parseList(text: string, form: string, unusable: Unusable): unknown[] {
  const list = parsedJson(text, (fact) => unusable(`it ${fact}: correct it`))
  if (!Array.isArray(list)) throw unusable(`it must hold a list: write [${form}]`)
  return list
}

type Unusable = (fact: string) => ToolnexusError

function unusableFile(what: string): Unusable {
  return (fact) => new ToolnexusError("configuration", `${what} cannot be used: ${fact}`)
}
