import { resolve } from "node:path"
import { type Answer, parseAnswer, systemFact, ToolnexusError } from "../../index.ts"
import { readGivenFile } from "../files/given-file.ts"
import { NO_UTF8, utf8Text } from "../files/utf8-text.ts"
import { errorText } from "../output/error-text.ts"
import { parsedJson } from "../words/json-problem.ts"

/** Results of relayed calls may be long. */
const MAX_BYTES = 64 * 1024 * 1024

/**
 * The answers of the files that `--answers` names.
 *
 * @param cwd what paths are relative to
 * @throws ToolnexusError `usage` for what cannot be read, `invalid_answer` for what holds no list of answers
 */
export async function readAnswerFiles(paths: readonly string[], cwd: string): Promise<Answer[]> {
  const lists: Answer[][] = []
  for (const path of paths) lists.push(await answersIn(path, cwd))
  return lists.flat()
}

async function answersIn(path: string, cwd: string): Promise<Answer[]> {
  const list = listIn(await bytesOf(path, cwd), `--answers ${path}`)
  return list.map((entry, at) => {
    try {
      return parseAnswer(entry)
    } catch (error) {
      throw invalid(`--answers ${path}: entry ${at} is no answer: ${errorText(error)}; correct it`)
    }
  })
}

async function bytesOf(path: string, cwd: string): Promise<Buffer> {
  const seen = await readGivenFile(resolve(cwd, path), MAX_BYTES)
  if (seen.is === "file") return seen.bytes
  const fact = seen.is === "absent" ? systemFact({ code: "ENOENT" }) : seen.fact
  throw new ToolnexusError(
    "usage",
    `--answers ${path} cannot be read (${fact}): give the path of a JSON list of answers`,
  )
}

function listIn(bytes: Buffer, what: string): unknown[] {
  const form = `write a list such as [{ "id": "...", "ok": true, "data": { "output": "..." } }]`
  const text = utf8Text(bytes)
  if (text === undefined) throw invalid(`${what} cannot be used: ${NO_UTF8}; save it as such`)
  const list = parsedJson(text, (fact) => invalid(`${what} ${fact}: ${form}`))
  if (Array.isArray(list)) return list
  throw invalid(`${what} holds no list of answers: ${form}`)
}

function invalid(message: string): ToolnexusError {
  return new ToolnexusError("invalid_answer", message)
}
