import { type Answer, answerDeclined, answerOutput, type Request, ToolnexusError } from "../../index.ts"
import { shellQuote } from "../output/resume-command.ts"

/** The options that answer without a terminal. */
export interface AnswerFlags {
  answer: string[]
  answerEnv: string[]
  answers: string[]
  approve?: boolean
  decline?: boolean
  note?: string
  inDoubt?: "rerun" | "unknown"
}

/** What the options are read against. */
export interface AnswerSources {
  /** The open requests, in call order. */
  open: readonly Request[]
  /** Requests that were answered, oldest first: the same answer once more changes nothing. */
  answered: readonly Request[]
  /** The ids of those whose answers are not used yet. */
  unused?: readonly string[]
  /** What the files of `--answers` hold. */
  listed: readonly Answer[]
  env: Readonly<Record<string, string | undefined>>
}

/** Whether an option answers something, or goes with an answer. */
export function hasAnswers({ answer, answerEnv, answers, approve, decline, inDoubt, note }: AnswerFlags): boolean {
  const lists = answer.length + answerEnv.length + answers.length
  return lists > 0 || approve === true || decline === true || inDoubt !== undefined || note !== undefined
}

/**
 * The answers that the options give. Nothing is applied here.
 *
 * @throws ToolnexusError `usage` or `configuration` (exit 2), or one of the codes of refused answers (exit 5)
 */
export function answersFrom(flags: AnswerFlags, sources: AnswerSources): Answer[] {
  if (flags.approve && flags.decline) throw usage("--approve and --decline exclude each other: give one of them")
  const single = [
    ...flags.answer.map((text) => fromText(text, sources)),
    ...flags.answerEnv.map((text) => fromVariable(text, sources)),
    ...(flags.approve ? [answerApproval(theApprovalMeant(sources, "--approve"), "yes")] : []),
    ...(flags.decline ? [answerApproval(theApprovalMeant(sources, "--decline"), "no")] : []),
  ]
  const noted = flags.note === undefined ? single : withNote(single, flags.note)
  const given = [...noted, ...sources.listed]
  const taken = new Set(given.map(({ id }) => id))
  return withoutRepeats([...given, ...aboutDoubt(flags.inDoubt, sources, taken)])
}

/** `ID=TEXT`, where what stands before the first `=` can be an id; else a text for the one open request. */
function fromText(given: string, sources: AnswerSources): Answer {
  if (given === "")
    throw usage("--answer needs a text: an empty one is no answer; write --answer TEXT or --answer ID=TEXT")
  const addressed = /^([A-Za-z0-9_.:-]+)=(.*)$/s.exec(given)
  if (!addressed) return answerText(theOneMeant(sources), given, "bare")
  const [, id = "", text = ""] = addressed
  const request = requestWithId(
    id,
    sources,
    `if ${JSON.stringify(given)} is the text of an answer, write --answer ID=${shellQuote(given)}`,
  )
  if (text === "") throw usage(`--answer ${id}= needs a text: an empty one is no answer; write one behind the =`)
  return answerText(request, text, "by id")
}

function fromVariable(given: string, sources: AnswerSources): Answer {
  const [, id = "", variable = ""] = /^([^=]+)=([A-Za-z_][A-Za-z0-9_]*)$/.exec(given) ?? []
  if (variable === "")
    throw usage(
      `--answer-env ${JSON.stringify(given)} must be ID=VARIABLE: write the id of a request and the name of a variable`,
    )
  const request = requestWithId(id, sources, "give --answer-env the id of one that is open, as ID=VARIABLE")
  if (request.kind !== "secret" || isInDoubt(request)) {
    throw invalid(
      `${id} asks for no secret, and its answer is written into the run file: give it with --answer ${shellQuote(id)}=TEXT, not with --answer-env`,
    )
  }
  const value = sources.env[variable]
  if (!value) {
    throw new ToolnexusError(
      "configuration",
      `--answer-env ${id}=${variable}: the variable ${variable} is not set: set it, or name another`,
    )
  }
  return answerOutput(id, value)
}

function answerText(request: Request, text: string, addressed: "bare" | "by id"): Answer {
  if (isInDoubt(request)) return addressed === "by id" ? answerDoubt(request, text) : refuseBareDoubt(request)
  if (request.kind === "secret") {
    throw invalid(
      `${request.id} asks for a secret, which must not stand on a command line: give it with --answer-env ${shellQuote(request.id)}=VARIABLE`,
    )
  }
  if (request.kind === "approval") return answerApproval(request, text)
  if (request.kind === "question") checkQuestionText(request, text)
  if (request.kind === "tool_call" && relayedCount(request) > 1) {
    throw invalid(
      `${request.id} asks for the results of ${relayedCount(request)} calls, and one text answers one call only: give them as "results" with --answers FILE.json`,
    )
  }
  return answerOutput(request.id, text)
}

const YES: readonly string[] = ["yes", "y", "approve", "approved"]
const NO: readonly string[] = ["no", "n", "decline", "declined"]

function answerApproval(request: Request, text: string): Answer {
  // As at the terminal: the gate's yes is for the gate, a tool that asks reads what was said.
  if (YES.includes(text))
    return askedBy(request) === "gate" ? { id: request.id, ok: true } : answerOutput(request.id, "approved")
  if (NO.includes(text)) return answerDeclined(request.id)
  throw invalid(`${request.id} asks for an approval: answer yes or no, not ${JSON.stringify(text)}`)
}

function answerDoubt(request: Request, text: string): Answer {
  if (text === "rerun") return { id: request.id, ok: true }
  if (text === "unknown") return answerDeclined(request.id)
  throw invalid(
    `${request.id} is about a call whose outcome is not known: answer rerun or unknown, not ${JSON.stringify(text)}`,
  )
}

function refuseBareDoubt(request: Request): never {
  throw invalid(
    `${request.id} is about a call whose outcome is not known: decide it with --in-doubt rerun or --in-doubt unknown, or by its id`,
  )
}

function checkQuestionText(request: Request, text: string): void {
  const questions = Array.isArray(request.data?.questions) ? (request.data.questions as unknown[]) : []
  const [only] = questions as { multiple?: unknown }[]
  if (questions.length < 2 && only?.multiple !== true) return
  const why = questions.length > 1 ? `asks ${questions.length} questions` : "takes several choices"
  if (!isListText(text)) throw invalid(`${request.id} ${why}: answer with a JSON list such as '["a","b"]'`)
}

function isListText(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text))
  } catch {
    return false // no JSON at all
  }
}

function relayedCount(request: Request): number {
  return Array.isArray(request.data?.calls) ? request.data.calls.length : 1
}

/** The engine made it: `by` decides that, not `kind`, which a tool may choose as it likes. */
export function isInDoubt(request: Request): boolean {
  return askedBy(request) === "engine"
}

function askedBy({ data }: Request): unknown {
  const call = data?.call
  return typeof call === "object" && call !== null ? (call as { by?: unknown }).by : undefined
}

function theOneMeant({ open, answered }: AnswerSources): Request {
  if (open.length > 1)
    throw ambiguous(`${open.length} requests are open, and --answer TEXT answers one: write --answer ID=TEXT`, open)
  const meant = openOrAnsweredLast(open, answered)
  if (meant) return meant
  throw new ToolnexusError("unknown_answer", "no request is open: there is nothing to answer; leave the answer out")
}

function theApprovalMeant({ open, answered }: AnswerSources, option: string): Request {
  const approvals = open.filter(isApproval)
  if (approvals.length > 1) {
    throw ambiguous(
      `${approvals.length} approvals are open, and ${option} answers one: write --answer ID=yes or ID=no`,
      approvals,
    )
  }
  const meant = openOrAnsweredLast(approvals, answered.filter(isApproval))
  if (meant) return meant
  const next = open.length === 0 ? "leave it out" : `answer what is open by --answer ID=TEXT (${idsOf(open)})`
  throw new ToolnexusError("unknown_answer", `no approval is open: ${option} has nothing to answer; ${next}`)
}

function isApproval(request: Request): boolean {
  return request.kind === "approval" && !isInDoubt(request)
}

/** A command given twice means what it answered: the same changes nothing, and another is refused. */
function openOrAnsweredLast([one]: readonly Request[], answered: readonly Request[]): Request | undefined {
  return one ?? answered.at(-1)
}

/** What is said of answers to requests that are not open any more. */
export function repeatLines(
  answers: readonly Answer[],
  { open, answered }: Pick<AnswerSources, "open" | "answered">,
): string[] {
  const ids = (requests: readonly Request[]) => new Set(requests.map(({ id }) => id))
  const [isOpen, isAnswered] = [ids(open), ids(answered)]
  return answers
    .filter(({ id }) => isAnswered.has(id) && !isOpen.has(id))
    .map(({ id }) => `${id} was answered before: the same answer changes nothing, and no other is taken`)
}

function requestWithId(id: string, { open, answered }: AnswerSources, hint: string): Request {
  const request = [...open, ...answered].find((it) => it.id === id)
  if (request) return request
  const [known, next] =
    open.length === 0 ? ["no request is open", "leave the answer out"] : [`open: ${idsOf(open)}`, hint]
  throw new ToolnexusError("unknown_answer", `no request has the id ${id} (${known}); ${next}`)
}

/** What was decided and not carried out yet is meant too: the same changes nothing, and another is refused. */
function aboutDoubt(
  choice: AnswerFlags["inDoubt"],
  { open, answered, unused = [] }: AnswerSources,
  taken: ReadonlySet<string>,
): Answer[] {
  if (choice === undefined) return []
  return [...open, ...answered.filter(({ id }) => unused.includes(id))]
    .filter((request) => isInDoubt(request) && !taken.has(request.id))
    .map((request) => answerDoubt(request, choice))
}

function withNote(answers: readonly Answer[], note: string): Answer[] {
  const [answer, ...more] = answers
  if (!answer || more.length > 0)
    throw usage("--note goes with one answer: give it with --approve, --decline or one --answer")
  return [{ ...answer, data: { ...answer.data, note } }]
}

function withoutRepeats(answers: readonly Answer[]): Answer[] {
  const byId = new Map<string, Answer>()
  for (const answer of answers) {
    const before = byId.get(answer.id)
    if (before && JSON.stringify(before) !== JSON.stringify(answer)) {
      throw new ToolnexusError("answer_differs", `two different answers to ${answer.id} are given: give one`)
    }
    byId.set(answer.id, answer)
  }
  return [...byId.values()]
}

function idsOf(requests: readonly Request[]): string {
  return requests.map(({ id }) => id).join(", ")
}

function usage(message: string): ToolnexusError {
  return new ToolnexusError("usage", message)
}

function invalid(message: string): ToolnexusError {
  return new ToolnexusError("invalid_answer", message)
}

function ambiguous(message: string, open: readonly Request[]): ToolnexusError {
  return new ToolnexusError("ambiguous", `${message} (open: ${idsOf(open)})`)
}
