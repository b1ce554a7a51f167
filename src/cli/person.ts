import type { WaitFor } from "../index.ts"
import { EXIT, type SignalName } from "./exit-code.ts"
import { type Io, SIGNALS } from "./io.ts"
import type { Output } from "./output.ts"
import type { Asker, Why } from "./terminal/asker.ts"

/** The person at the terminal: who is asked, and whose signals stop a run. */
export interface Person {
  /** `undefined` where nobody may be asked. */
  waitFor: WaitFor | undefined
  /** Aborted by the first signal that no question took. */
  signal: AbortSignal
  /** The signal that stopped the run, or that left its question open. */
  stoppedBy(): SignalName | undefined
  /** The exit code of a command that a signal ended before there was a run. */
  exitCode(): number
  /** Why a question stays open, in words. */
  whyOpen(): string | undefined
  close(): void
}

const WHY_LEFT: Record<Why, string> = {
  later: "left for later",
  "end of terminal": "the terminal has ended",
  background: "nobody was asked: the process is not in the terminal's foreground",
  "no terminal": "nobody was asked: there is no terminal",
  SIGINT: "left open by SIGINT",
  SIGTERM: "left open by SIGTERM",
  SIGHUP: "left open by SIGHUP",
}

/**
 * Opens no terminal and loads nothing yet: that is done when the first question is due.
 *
 * @param asks `at the terminal`, or `nobody` with `--no-input`
 */
export function attendPerson(asks: "at the terminal" | "nobody", io: Io, output: Output): Person {
  const terminal = lazyAsker(io, output)
  const stop = new AbortController()
  let stoppedBy: SignalName | undefined
  const onSignal = (name: SignalName) => {
    const taken = terminal.signal(name)
    if (taken === "ignored") return
    if (stoppedBy !== undefined) return io.exit(EXIT[name])
    stoppedBy = name
    if (taken === "left") return
    output.notice(
      name === "SIGINT" ? "stopping and saving (Ctrl-C again ends at once)" : `stopping and saving (${name})`,
    )
    stop.abort()
  }
  const stopListening = SIGNALS.map((name) => io.onSignal(name, () => onSignal(name)))
  const stopped = () => stoppedBy ?? SIGNALS.find((name) => name === terminal.whyLeft())
  return {
    waitFor: asks === "nobody" ? undefined : terminal.waitFor,
    signal: stop.signal,
    stoppedBy: stopped,
    exitCode: () => EXIT[stopped() ?? "SIGINT"],
    whyOpen() {
      if (asks === "nobody") return "nobody was asked: --no-input"
      const why = terminal.whyLeft()
      return why && WHY_LEFT[why]
    },
    close() {
      for (const end of stopListening) end()
      terminal.close()
    },
  }
}

interface LazyAsker {
  waitFor: WaitFor
  whyLeft(): Why | undefined
  signal(name: SignalName): ReturnType<Asker["signal"]>
  close(): void
}

/** The asker, loaded with the first question. */
function lazyAsker(io: Io, output: Output): LazyAsker {
  let asker: Asker | undefined
  let loading: Promise<Asker> | undefined
  const load = async () => {
    const { createAsker } = await import("./terminal/asker.ts")
    const { open, inForeground, stopGroup } = io.terminal
    const made = createAsker({
      open,
      inForeground,
      stopGroup,
      onSignal: io.onSignal,
      clock: io.clock,
      env: io.env,
      cwd: io.cwd,
      notice: () => {}, // it is said once, when the run has halted
    })
    // The asker needs only what an OutStream has: `write` and `isTTY`.
    output.printer.holdWith((stream, text) => made.print(stream as unknown as NodeJS.WritableStream, text))
    asker = made
    return made
  }
  return {
    async waitFor(request, options) {
      loading ??= load()
      return (await loading).waitFor(request, options)
    },
    whyLeft: () => asker?.left()?.why,
    signal(name) {
      if (asker) return asker.signal(name)
      // A question is due and not there yet: as when its keys do not count.
      return loading && name === "SIGINT" ? "ignored" : "not asking"
    },
    close: () => asker?.close(),
  }
}
