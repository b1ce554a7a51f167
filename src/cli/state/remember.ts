import type { RunFile } from "../../index.ts"
import { errorText } from "../output/error-text.ts"
import type { Output } from "../output/output.ts"
import type { StateFolder } from "./state-folder.ts"

/**
 * Says what a run's file holds, while nobody else can write it: a seal that comes when the next one is at it would be of what that one
 * has half written. Where that fails it counts as a file from elsewhere, which is the safe side.
 */
export function mark(state: StateFolder, run: { runId: string; file: string }, as: "sealed" | "open"): void {
  try {
    state.mark(run.runId, run.file, as)
  } catch {
    // it was said already that the run is not remembered
  }
}

/**
 * A run's journal that tells the run's id, once, before this process writes its first line: a run that is killed right after that line
 * is remembered, and one that is killed before it has left none.
 *
 * @param runId as the file says it; empty where its first line is still to be written
 */
export function tellingFirst(journal: RunFile, runId: string, tell: (runId: string) => void): RunFile {
  let told = false
  return {
    ...journal,
    append(events, options) {
      const [first] = events
      if (first && !told) tell(first.type === "run.started" ? first.runId : runId)
      told ||= first !== undefined
      return journal.append(events, options)
    },
  }
}

/** Remembers a run; where that fails the run itself is fine, and a resume has to be told what it needs. */
export function remember(state: StateFolder, run: Parameters<StateFolder["remember"]>[0], output: Output): void {
  try {
    state.remember(run)
  } catch (error) {
    output.say(`this run is not remembered, so a resume needs the same options again: ${errorText(error)}`)
  }
}
