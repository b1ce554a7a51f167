import type { Clock } from "../../index.ts"
import type { OutStream } from "../io.ts"

/** Shows on a terminal that something is waited for. */
export interface Waiting {
  start(text: string): void
  stop(): void
}

/** By then the request is on its way: what draws is not loaded before it. */
const QUIET_MS = 400

/**
 * @param stderr where to draw; nothing is drawn where that is no terminal
 * @param clock when
 */
export function createWaiting(stderr: OutStream, clock: Clock): Waiting {
  const { stream } = stderr
  if (!stderr.isTTY || stream === undefined) return { start() {}, stop() {} }
  let current = {}
  let stopDrawing = () => {}
  const stop = () => {
    current = {}
    stopDrawing()
    stopDrawing = () => {}
  }
  const draw = async (text: string, mine: object) => {
    const { default: ora } = await import("ora")
    if (mine !== current) return
    // ora's own defaults read stdin, hide the cursor and go by CI.
    const spinner = ora({ text, stream, isEnabled: true, discardStdin: false, hideCursor: false }).start()
    stopDrawing = () => void spinner.stop()
  }
  return {
    start(text) {
      stop()
      const mine = {}
      current = mine
      stopDrawing = clock.after(QUIET_MS, () => {
        stopDrawing = () => {}
        draw(text, mine).catch(() => {}) // a terminal that cannot be drawn on: it is decoration
      })
    },
    stop,
  }
}
