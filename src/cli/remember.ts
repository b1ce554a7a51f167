import { errorText } from "./error-text.ts"
import type { Output } from "./output.ts"
import type { StateFolder } from "./state-folder.ts"

/** Remembers a run; where that fails the run itself is fine, and a resume has to be told what it needs. */
export function remember(state: StateFolder, run: Parameters<StateFolder["remember"]>[0], output: Output): void {
  try {
    state.remember(run)
  } catch (error) {
    output.say(`this run is not remembered, so a resume needs the same options again: ${errorText(error)}`)
  }
}
