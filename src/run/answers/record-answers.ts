import type { Clock } from "../../event/clock.ts"
import { systemClock } from "../../event/system-clock.ts"
import { ToolnexusError } from "../../tool/error.ts"
import { createSchemaCheck } from "../../tools/schema-check.ts"
import { closingEvent } from "../closing.ts"
import { isOpen } from "../fold/state.ts"
import { foldNew, goOn } from "../loop.ts"
import { createMasker, type Mask } from "../masks/masks.ts"
import { alone } from "../one-at-a-time.ts"
import type { RunJournal } from "../options.ts"
import { requireJournal } from "../require-journal.ts"
import { fittingAnswers } from "../resume.ts"
import { recordFrom } from "../views/record.ts"
import type { RunRecord } from "../views/run-result.ts"
import { answerEvents } from "./record-answer.ts"

/**
 * Records answers in a halted run without resuming it: it needs no endpoint and no tools. Whoever resumes it next uses them.
 *
 * @param journal the run, as `openRun` gives it
 * @param answers all are checked before any is recorded
 * @param options `masks`: as a client's, for what relayed calls gave
 * @returns what the run says now
 * @throws ToolnexusError `in_use` while a run over the journal is under way here; for an answer that does not fit, and for a secret: it may not lie in a file. Nothing is changed then
 * @example await recordAnswers(await openRun("deploy.run.jsonl"), [answerOutput("req-1", "staging")])
 */
export function recordAnswers(
  journal: RunJournal,
  answers: readonly unknown[],
  options: { clock?: Clock; masks?: readonly Mask[] } = {},
): Promise<RunRecord> {
  return alone(journal, () => record(journal, answers, options))
}

async function record(
  journal: RunJournal,
  answers: readonly unknown[],
  { clock = systemClock, masks = [] }: { clock?: Clock; masks?: readonly Mask[] },
): Promise<RunRecord> {
  requireJournal(journal, "What answers are recorded in")
  const before = await journal.read()
  const { state, lines, unwritten } = goOn({ clock }, journal, before, {})
  const hidden = { secrets: new Map(), masks: createMasker(masks, process.emitWarning) }
  const check = { now: () => clock.now(), schemas: createSchemaCheck(), hidden }
  const fitting = await fittingAnswers(state, answers, check)
  const secret = fitting.find(({ request, answer }) => request.request.kind === "secret" && answer.ok)
  if (secret) {
    throw new ToolnexusError(
      "invalid_answer",
      `The request ${secret.answer.id} asks for a secret, which may not lie in a file: give it to the resume itself`,
    )
  }
  if (fitting.length === 0) return recordFrom(before, [], "left")
  const said = fitting.flatMap(({ request, answer }) =>
    isOpen(request)
      ? foldNew({ clock }, state, answerEvents(state, request, answer, { via: "answer", folder: undefined, hidden }))
      : [],
  )
  const closing = foldNew({ clock }, state, [closingEvent(state, undefined)])
  await journal.append([...unwritten, ...said, ...closing], { at: lines, flush: true })
  return recordFrom(await journal.read(), [], "left")
}
