import { type Answer, hasRecognisedKey, outputOf, parseAnswer, resultsOf } from "../../suspension/answer.ts"
import { isRecord, typeName } from "../../suspension/request.ts"
import { type ErrorCode, ToolnexusError } from "../../tool/error.ts"
import type { SchemaCheck } from "../../tools/schema-check.ts"
import { type RequestState, specOf } from "../fold/state.ts"
import type { FindMark } from "../masks/marks.ts"
import { digestOf } from "../stamp.ts"
import { isExpired } from "../steps/next.ts"
import { requireKnownMembers } from "./answer-members.ts"

/** The kinds whose answer the engine needs a result from. */
const NEED_A_RESULT: ReadonlySet<string> = new Set(["input", "question", "secret", "tool_call"])

/** With what an answer is checked. */
export interface AnswerCheck {
  /** Milliseconds since 1970. Checking takes a while: what counts is when it is recorded. */
  now: () => number
  schemas: SchemaCheck
  findMark: FindMark
}

/**
 * Whether an answer fits the open request that it names. A misfit is an error to the host: it is never turned into a result.
 *
 * @param request the open request
 * @param value the answer, of anywhere
 * @throws ToolnexusError `unknown_answer`, `invalid_answer`, `answer_expired`, `answer_differs`
 */
export async function checkAnswer(
  request: RequestState,
  value: unknown,
  { now, schemas, findMark }: AnswerCheck,
): Promise<Answer> {
  const answer = parseAnswer(value)
  const { id } = request.request
  if (answer.id !== id)
    throw refuse(
      "unknown_answer",
      `The answer is for ${answer.id}, and the request that was asked is ${id}: answer that one`,
    )
  requireInTime(request, now())
  const { digest } = answer.data ?? {}
  if (typeof digest === "string" && digest !== digestOf(request)) {
    throw refuse(
      "answer_differs",
      `The answer to ${id} was given for another call than the one that is open: look at it again`,
    )
  }
  if (answer.ok) needsResult(request, answer)
  requireKnownMembers(request, answer)
  if (!answer.ok) return answer
  checkRelayed(request, answer)
  checkQuestions(request, answer)
  await checkSchema(request, answer, schemas)
  await checkEdit(request, answer, { schemas, findMark })
  return answer
}

/** @throws ToolnexusError `answer_expired` */
export function requireInTime(request: RequestState, now: number): void {
  const { id, expiresAt } = request.request
  if (!isExpired(request, now)) return
  throw refuse(
    "answer_expired",
    `The request ${id} expired at ${expiresAt}: it takes no answer any more; a resume without one goes on`,
  )
}

function needsResult({ request, by }: RequestState, answer: Answer): void {
  const carriesCalls = by === "relay" || request.kind === "tool_call"
  const needed = by === "relay" || (by === "tool" && NEED_A_RESULT.has(request.kind))
  if (!needed || (carriesCalls ? hasRecognisedKey(answer) : outputOf(answer) !== undefined)) return
  const found = Object.keys(answer.data ?? {}).join(", ") || "no data"
  throw refuse(
    "invalid_answer",
    `The answer to ${request.id} (${request.kind}) says ok and holds no result (${found}): build it with answerOutput(id, text)`,
  )
}

function checkRelayed(request: RequestState, answer: Answer): void {
  if (request.by !== "relay") return
  const { id } = request.request
  const results = resultsOf(answer)
  if (!results) {
    if (request.calls.length === 1) return
    throw refuse(
      "invalid_answer",
      `The request ${id} carries ${request.calls.length} calls: answer it with answerResults(id, results)`,
    )
  }
  const known = new Set(request.calls.map((call) => call.id))
  const seen = new Set<string>()
  for (const result of results) {
    if (!known.has(result.id))
      throw refuse(
        "invalid_answer",
        `The request ${id} carries no call ${result.id}: its calls are ${[...known].join(", ")}`,
      )
    if (seen.has(result.id))
      throw refuse("invalid_answer", `The answer to ${id} names the call ${result.id} twice: give each call one result`)
    seen.add(result.id)
  }
}

/** Of several questions the output is a JSON list in their order, of one that takes several options a list of labels. */
function checkQuestions({ request, by }: RequestState, answer: Answer): void {
  const questions = request.kind === "question" && by === "tool" ? request.data?.questions : undefined
  if (!Array.isArray(questions) || questions.length === 0 || !questions.every(isRecord)) return
  const several = questions.length > 1
  const [only] = questions
  if (!several && only?.multiple !== true) return
  const list = listIn(outputOf(answer) ?? "")
  const fits = several
    ? list?.length === questions.length && list.every((entry, at) => isReply(entry, questions[at]))
    : isReply(list, only)
  if (fits) return
  const wanted = several ? `a JSON list of ${questions.length} answers, in order` : "a JSON list of labels"
  throw refuse(
    "invalid_answer",
    `The answer to ${request.id} must be ${wanted}, such as ${several ? '["a", "b"]' : '["a"]'}`,
  )
}

function isReply(entry: unknown, question: unknown): boolean {
  if (!isRecord(question) || question.multiple !== true) return typeof entry === "string"
  return Array.isArray(entry) && entry.every((label) => typeof label === "string")
}

function listIn(text: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : undefined
  } catch {
    return undefined // no JSON, so no list
  }
}

/** `data.schema`: the text itself for a string schema, else the JSON text of a fitting value. */
async function checkSchema({ request, by }: RequestState, answer: Answer, schemas: SchemaCheck): Promise<void> {
  const schema = request.data?.schema
  const output = outputOf(answer)
  if (by === "relay" || !isRecord(schema) || output === undefined) return
  const inputSchema = { type: "object", properties: { it: schema }, required: ["it"] }
  const spec = { name: "the request", description: "", inputSchema, source: "custom" as const }
  const misfits = await Promise.all(readings(output, schema.type).map((it) => schemas.misfit(spec, { it })))
  const [misfit] = misfits
  if (misfit !== undefined && !misfits.includes(undefined)) {
    throw refuse(
      "invalid_answer",
      `The answer to ${quoted(request.prompt)} does not fit: ${misfit}; ${wanted(schema)}`,
      request.id,
    )
  }
}

/** The next step, in words: an answer is text, also where it stands for something else. */
function wanted({ type, properties, required }: Record<string, unknown>): string {
  if (type === "string") return "answer with a text that fits"
  if (type !== "object" || !isRecord(properties)) return "answer with a value that fits, written as JSON"
  const names = Array.isArray(required) && required.length > 0 ? required : Object.keys(properties)
  const members = names.map((name) => `${JSON.stringify(name)}: ...`)
  return `answer with the JSON text of an object, such as { ${members.join(", ")} }`
}

/** What a text can mean: of a schema that names no type, the text itself or the value that it is the JSON of. */
function readings(text: string, type: unknown): unknown[] {
  if (type === "string") return [text]
  try {
    const value: unknown = JSON.parse(text)
    return type === undefined ? [text, value] : [value]
  } catch {
    return [text] // no JSON: the schema says what it should have been
  }
}

/** Edited arguments stand in for the model's: only in front of the gate, and only if they fit. */
async function checkEdit(
  request: RequestState,
  answer: Answer,
  { schemas, findMark }: Pick<AnswerCheck, "schemas" | "findMark">,
): Promise<void> {
  const input = answer.data?.input
  if (input === undefined) return
  const { id } = request.request
  const [call] = request.calls
  const spec = call ? specOf(call) : undefined
  if (request.by !== "gate" || !spec)
    throw refuse(
      "invalid_answer",
      `The answer to ${id} edits arguments, and only an approval of the gate can: leave data.input out`,
    )
  if (!isRecord(input))
    throw refuse(
      "invalid_answer",
      `The edited arguments for ${id} must be an object, got ${typeName(input)}: give all of them`,
    )
  const number = inexactNumber(input)
  if (number !== undefined)
    throw refuse(
      "invalid_answer",
      `The edited arguments of ${spec.name} hold the number ${number}, which cannot be held exactly and may have been changed on its way: give it as a string if the tool takes one`,
      id,
    )
  const mark = findMark(input)
  if (mark !== undefined)
    throw refuse(
      "invalid_answer",
      `The edited arguments of ${spec.name} hold ${mark}: put there what it stands for`,
      id,
    )
  const misfit = await schemas.misfit(spec, input)
  if (misfit !== undefined)
    throw refuse("invalid_answer", `The edited arguments of ${spec.name} do not fit: ${misfit}; correct them`, id)
}

/** A whole number that JSON writes in digits and that is no exact one: what its writer meant may be another. */
function inexactNumber(value: unknown): number | undefined {
  if (typeof value === "number")
    return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21 ? value : undefined
  if (typeof value !== "object" || value === null) return undefined
  for (const member of Object.values(value)) {
    const found = inexactNumber(member)
    if (found !== undefined) return found
  }
  return undefined
}

/** A question as a person knows it again; ids are for programs. */
function quoted(prompt: string): string {
  const line = prompt.trim().replace(/\s+/g, " ")
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 59)}…` : line)
}

/** @param id of the request, for the error's details */
function refuse(code: ErrorCode, message: string, id?: string): ToolnexusError {
  return new ToolnexusError(code, message, id === undefined ? {} : { details: { id } })
}
