import type { Io } from "./io.ts"
import type { Output } from "./output.ts"

/**
 * What tools write with `console` is a notice: stdout is the result.
 *
 * @returns gives the console back
 */
export function captureConsole(io: Io, output: Output): () => void {
  return io.redirectConsole((text) => {
    for (const line of text.replace(/\n$/, "").split("\n")) output.notice(line)
  })
}
