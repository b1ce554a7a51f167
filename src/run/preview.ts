import { messageOf } from "../tool/error.ts"
import type { Preview } from "../tool/tool.ts"
import type { Engine } from "./engine.ts"
import { inputOf } from "./stamp.ts"
import type { CallState } from "./state.ts"

/** What a call would change, where its tool can tell; why it cannot, where it should. */
export async function previewOf(engine: Engine, call: CallState): Promise<Preview | undefined> {
  const tool = engine.parts.seatOf(call.agent.path).tools?.get(call.name)
  try {
    return await tool?.preview?.(structuredClone(inputOf(call)), { signal: engine.signal })
  } catch (error) {
    return { problem: messageOf(error) } // it is shown; the person decides
  }
}

/** What a person approved: the diff, and what it was made from. */
export interface Approved {
  diff: unknown
  basis: string
}

export function approvedPreview(call: CallState): Approved | undefined {
  const approval = call.requests.findLast((request) => request.by === "gate" && request.answer?.ok)
  const { diff, basis } = approval?.request.data ?? {}
  return typeof basis === "string" ? { diff, basis } : undefined
}

/** Whether the call would still do what was approved: the files may have changed since, or the arguments were edited. */
export async function isStill(engine: Engine, call: CallState, approved: Approved): Promise<boolean> {
  const preview = await previewOf(engine, call)
  return (
    preview !== undefined && "basis" in preview && preview.basis === approved.basis && preview.diff === approved.diff
  )
}
