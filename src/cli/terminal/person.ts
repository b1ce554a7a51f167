import { type Io, SIGNALS } from "../io.ts"
import { EXIT, type SignalName } from "../output/exit-code.ts"
import type { Output } from "../output/output.ts"
import type { Asker, Why } from "./asker.ts"

/** The person at the terminal: who is asked, and whose signals stop a run. */
export interface Person {
  /** `undefined` where nobody may be asked. */
  waitFor: Asker["waitFor"] | undefined
  /** Aborted by the first signal that no question took. */
  signal: AbortSignal
  /** The signal that stopped the run, or that left its question open. */
  stoppedBy(): SignalName | undefined
  /** The exit code of a command that a signal ended before there was a run. */
  exitCode(): number
  /** Why a question stays open, in words. */
  whyOpen(): string | undefined
  /** What is said last where a signal ends everything at once: how to go on. */
  sayAtOnce(line: string): void
  /** Lets go of the terminal until the next question. */
  release(): void
  close(): void
}

const WHY_LEFT: Record<Why, string | undefined> = {
  later: undefined, // the person knows
  "end of terminal": "the terminal has ended",
  background: "it is not in the terminal's foreground",
  "no terminal": "there is no terminal",
  SIGINT: "left open by SIGINT",
  SIGTERM: "left open by SIGTERM",
  SIGHUP: "left open by SIGHUP",
}

export interface PersonOptions {
  /** `nobody` with `--no-input`. */
  asks: "at the terminal" | "nobody"
  /** Where the tools work; a question shows it. */
  cwd: string
  io: Io
  output: Output
}

/** How long what is under way may go on when SIGTERM or SIGHUP left a question open. */
const LEAVING_MS = 500

/** A signal to a group can come twice, from the kernel and from a parent: that is nobody's impatience. */
const SAME_SIGNAL_MS = 1000

/** Opens no terminal and loads nothing yet: that is done when the first question is due. */
export function attendPerson({ asks, cwd, io, output }: PersonOptions): Person {
  const terminal = lazyAsker(cwd, io, output)
  const stop = new AbortController()
  let stoppedBy: SignalName | undefined
  let stoppedAtMs = 0
  let cancelLeaving = () => {}
  let lastLine: string | undefined
  const endAtOnce = (name: SignalName) => {
    if (lastLine !== undefined) output.say(lastLine)
    io.exit(EXIT[name])
  }
  const onSignal = (name: SignalName) => {
    const taken = terminal.signal(name)
    if (taken === "ignored") return
    if (stoppedBy !== undefined) {
      const isOver = name === "SIGINT" || (name === "SIGTERM" && io.clock.now() - stoppedAtMs >= SAME_SIGNAL_MS)
      return isOver ? endAtOnce(name) : undefined
    }
    stoppedBy = name
    stoppedAtMs = io.clock.now()
    if (taken === "left") {
      if (name !== "SIGINT") cancelLeaving = io.clock.after(LEAVING_MS, () => stop.abort())
      return
    }
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
      if (asks === "nobody") return "nobody is asked with --no-input"
      const why = terminal.whyLeft()
      return why && WHY_LEFT[why]
    },
    sayAtOnce(line) {
      lastLine = line
    },
    release: terminal.release,
    close() {
      for (const end of stopListening) end()
      cancelLeaving()
      terminal.close()
    },
  }
}

interface LazyAsker {
  waitFor: Asker["waitFor"]
  whyLeft(): Why | undefined
  signal(name: SignalName): ReturnType<Asker["signal"]>
  release(): void
  close(): void
}

/** The asker, loaded with the first question. */
function lazyAsker(cwd: string, io: Io, output: Output): LazyAsker {
  let asker: Asker | undefined
  let loading: Promise<Asker> | undefined
  const load = async () => {
    const { createAsker } = await import("./asker.ts")
    const { open, inForeground, stopGroup } = io.terminal
    const made = createAsker({
      open,
      inForeground,
      stopGroup,
      onSignal: io.onSignal,
      clock: io.clock,
      env: io.env,
      cwd,
      notice: () => {}, // it is said once, when the run has halted
    })
    // The asker needs only what an OutStream has: `write` and `isTTY`.
    output.printer.holdWith((stream, text) => made.print(stream as unknown as NodeJS.WritableStream, text))
    asker = made
    return made
  }
  const loaded = () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined // a signal counts again
      throw error
    })
    return loading
  }
  return {
    async waitFor(request, options) {
      return (await loaded()).waitFor(request, options)
    },
    whyLeft: () => asker?.left()?.why,
    signal(name) {
      if (asker) return asker.signal(name)
      // A question is due and not there yet: as when its keys do not count.
      return loading && name === "SIGINT" ? "ignored" : "not asking"
    },
    release() {
      asker?.close()
      asker = undefined
      loading = undefined
    },
    close: () => asker?.close(),
  }
}
