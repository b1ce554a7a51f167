import { type Limits, outputOf, type Request, type RunResult, readRun } from "../../index.ts"
import type { Person } from "../terminal/person.ts"
import { raisedLimit } from "./raised-limit.ts"

const STOP = "Stop here"

/**
 * Asks whether a run that reached a limit goes on. It is a question of this command, not of the run: it is in no file, and whoever
 * resumes the run raises the limit just as well.
 *
 * @param file the run's
 * @returns all limits, the reached one raised; `undefined` where it stays as it is
 */
export async function askToGoOn(
  result: RunResult,
  { person, file }: { person: Pick<Person, "waitFor" | "signal">; file: string },
): Promise<Limits | undefined> {
  const { waitFor, signal } = person
  if (!waitFor || signal.aborted) return undefined
  const raised = raisedLimit(result, (await readRun(file)).events)
  if (!raised) return undefined
  const goOn = `Go on with ${raised.step} more`
  const request: Request = {
    id: "limit",
    kind: "limit",
    prompt: `${raised.used}. Go on?`,
    data: { schema: { enum: [goOn, STOP] } },
  }
  const answer = await waitFor(request, { signal, saveDraft() {} })
  return answer?.ok && outputOf(answer) === goOn ? raised.limits : undefined
}
