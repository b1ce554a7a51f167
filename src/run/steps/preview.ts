import type { Request } from "../../suspension/request.ts"
import { messageOf } from "../../tool/error.ts"
import type { Preview } from "../../tool/tool.ts"
import type { Engine } from "../engine.ts"
import type { CallState, RequestState } from "../fold/state.ts"
import { findMark } from "../masks/marks.ts"
import { hiddenText } from "../masks/secrets.ts"
import { inputOf, stamped } from "../stamp.ts"

/** What a call would change, where its tool can tell; why it cannot, where it should. */
export async function previewOf(engine: Engine, call: CallState): Promise<Preview | undefined> {
  const tool = engine.parts.seatOf(call.agent.path).tools?.get(call.name)
  try {
    return await tool?.preview?.(structuredClone(inputOf(call)), { signal: engine.signal })
  } catch (error) {
    return { problem: messageOf(error) } // it is shown; the person decides
  }
}

/** What a person approved: the diff and what it was made from, or other arguments, whose changes nobody has seen yet. */
export interface Approved {
  diff: unknown
  basis: string | undefined
  arguments: "as shown" | "edited"
}

export function approvedPreview(call: CallState): Approved | undefined {
  const approval = call.requests.findLast((request) => request.by === "gate" && request.answer?.ok)
  const { diff, basis } = approval?.request.data ?? {}
  const approved = approval?.answer?.data?.input === undefined ? "as shown" : "edited"
  if (typeof basis === "string") return { diff, basis, arguments: approved }
  return approved === "edited" ? { diff, basis: undefined, arguments: approved } : undefined
}

/** Whether the call would still do what was approved: the files may have changed since, or the arguments were edited. */
export async function isStill(engine: Engine, call: CallState, approved: Approved): Promise<boolean> {
  const preview = await previewOf(engine, call)
  if (preview === undefined) return approved.basis === undefined
  if (!("basis" in preview) || preview.basis !== approved.basis) return false
  return preview.diff === approved.diff || hiddenText(preview.diff, engine.parts) === approved.diff
}

/** A request as a person is shown it. The journal holds marks where the diff shows what is masked; the person decides about what is there. */
export async function asShown(engine: Engine, request: RequestState): Promise<Request> {
  const asked = stamped(request)
  const { diff, problem, basis } = asked.data ?? {}
  const [call] = request.calls
  const recorded = { diff, problem, basis }
  if (request.by !== "gate" || !call || !findMark(engine.state, engine.parts.masks)(recorded)) return asked
  const preview = await previewOf(engine, call)
  if (!preview) return asked
  const { diff: shown, problem: why, basis: now }: Partial<Record<keyof typeof recorded, string>> = preview
  const hidden = (text: string | undefined) => text && hiddenText(text, engine.parts)
  const isSame = now === basis && hidden(shown) === diff && hidden(why) === problem
  return isSame ? { ...asked, data: { ...asked.data, ...preview } } : asked
}
