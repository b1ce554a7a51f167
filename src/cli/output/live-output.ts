import { type Clock, type CommandOutput, type Mask, maskText } from "../../index.ts"
import type { OutputFlags } from "../command-line/options.ts"
import type { Output } from "./output.ts"

/** Which call: its turn, and its id on the wire. */
export type LiveCall = Pick<NonNullable<CommandOutput["call"]>, "id" | "turn">

/** Shows what commands print while they run, line by line. */
export interface LiveOutput {
  take(output: CommandOutput): void
  /**
   * The call has ended: what it printed last is shown, though no line end came.
   *
   * @returns whether anything of it was shown
   */
  end(call: LiveCall): boolean
}

/** Of a longer line only the beginning is shown. */
const MAX_LINE = 400
/** A line that is longer is not waited for. */
const MAX_HELD = 16_384
/** So many lines at once, and then so many a second. */
const BURST = 500
const LINES_A_SECOND = 10

interface Printing {
  label: string
  /** What came after the last line end. */
  begun: string
  /** The beginning of this line was shown, and it goes on. */
  isOverlong: boolean
  leftOut: number
}

export interface LiveOutputOptions {
  output: Pick<Output, "notice" | "hide">
  masks: readonly Mask[]
  clock: Clock
}

/** Where somebody looks on: at a terminal, or with `--verbose`. */
export function liveOutputFor(
  { verbose, quiet }: Pick<OutputFlags, "verbose" | "quiet">,
  options: LiveOutputOptions & { output: Output },
): LiveOutput {
  const isWatched = quiet !== true && (verbose === true || options.output.printer.errIsTerminal)
  return isWatched ? createLiveOutput(options) : NO_LIVE_OUTPUT
}

export function createLiveOutput({ output, masks, clock }: LiveOutputOptions): LiveOutput {
  const printing = new Map<string, Printing>()
  const budget = createBudget(clock)
  const show = (one: Printing, line: string) => {
    if (line.trim() === "") return
    if (!budget.take()) return void one.leftOut++
    sayLeftOut(one)
    output.notice(`${one.label} | ${clipped(maskText(output.hide(line), masks))}`)
  }
  const sayLeftOut = (one: Printing) => {
    if (one.leftOut > 0) output.notice(`${one.label} | [${one.leftOut} lines are not shown]`)
    one.leftOut = 0
  }
  const begin = (call: LiveCall | undefined): Printing => {
    const known = printing.get(keyOf(call))
    if (known) return known
    const others = new Set([...printing.values()].map(({ label }) => label))
    let label = "bash"
    for (let number = 2; others.has(label); number++) label = `bash ${number}`
    const one = { label, begun: "", isOverlong: false, leftOut: 0 }
    printing.set(keyOf(call), one)
    return one
  }
  return {
    take({ text, call }) {
      const one = begin(call)
      // A carriage return begins a line anew; one at the end may be half of a line end.
      const lines = (one.begun + text).split(/\r\n|\n|\r(?!\n|$)/)
      one.begun = lines.pop() ?? ""
      for (const line of lines) {
        if (!one.isOverlong) show(one, line)
        one.isOverlong = false
      }
      if (one.begun.length <= MAX_HELD) return
      if (!one.isOverlong) show(one, one.begun)
      one.isOverlong = true
      one.begun = ""
    },
    end(call) {
      const one = printing.get(keyOf(call))
      if (!one) return false
      printing.delete(keyOf(call))
      if (!one.isOverlong) show(one, one.begun)
      sayLeftOut(one)
      return true
    },
  }
}

/** Where nothing is shown while it runs. */
export const NO_LIVE_OUTPUT: LiveOutput = { take() {}, end: () => false }

function keyOf(call: LiveCall | undefined): string {
  return call ? `${call.turn} ${call.id}` : ""
}

/** A tab is harmless, and a line without the end is shown as one. */
function clipped(line: string): string {
  const text = line.replaceAll("\t", "    ").trimEnd()
  return text.length <= MAX_LINE ? text : `${text.slice(0, MAX_LINE).replace(/[\uD800-\uDBFF]$/, "")}…`
}

/** A flood must not bury the terminal, nor fill the memory while a question holds it back. */
function createBudget(clock: Clock) {
  let left = BURST
  let since = clock.now()
  return {
    take(): boolean {
      const now = clock.now()
      left = Math.min(BURST, left + (Math.max(0, now - since) / 1000) * LINES_A_SECOND)
      since = now
      if (left < 1) return false
      left -= 1
      return true
    },
  }
}
