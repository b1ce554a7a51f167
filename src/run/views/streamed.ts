import { joinSignals } from "../../tools/join-signals.ts"
import type { RunOptions, StreamEvent } from "../options.ts"
import type { RunResult } from "./run-result.ts"

/**
 * A run as a sequence of what happens in it. Who stops reading stops the run.
 *
 * @param start starts the run with the callbacks that it is given
 * @param options what the caller asked for; its own callbacks are still called
 */
export async function* streamed(
  start: (options: RunOptions) => Promise<RunResult>,
  options: RunOptions,
): AsyncGenerator<StreamEvent> {
  const queue: StreamEvent[] = []
  let wake: () => void = () => {}
  const push = (event: StreamEvent): void => {
    queue.push(event)
    wake()
  }
  const reader = new AbortController()
  const { signal, release } = joinSignals([options.signal, reader.signal])
  let ended = false
  const run = start({
    ...options,
    signal,
    onText: (text) => {
      options.onText?.(text)
      push({ type: "text", text })
    },
    onEvent: (event) => {
      options.onEvent?.(event)
      push(event)
    },
  }).finally(() => {
    ended = true
    wake()
  })
  run.catch(() => undefined) // thrown below, where the reader sees it
  try {
    while (!ended || queue.length > 0) {
      const event = queue.shift()
      if (event) yield event
      else if (!ended) await new Promise<void>((resolve) => (wake = resolve))
    }
    yield { type: "done", result: await run }
  } finally {
    reader.abort()
    await run.catch(() => undefined) // what was under way has ended, and is recorded
    release()
  }
}
