import type { Clock } from "../../index.ts"
import type { TerminalDevice } from "./device.ts"
import type { Key } from "./keys.ts"
import { createScreen, type Screen } from "./screen.ts"
import { openSession, type Session } from "./session.ts"

/** Who gets the keys while a question is up. */
export interface Listener {
  key(key: Key): void
  /** The terminal is gone. */
  end(): void
}

export interface TerminalOptions {
  open(): TerminalDevice | undefined
  inForeground(): boolean
  stopGroup(): void
  /** A Ctrl-C that no question was there for. */
  interrupt(): void
  clock: Clock
  env: Record<string, string | undefined>
}

/** The open terminal and its screen, or why there is none. */
export type Taken =
  | { type: "taken"; screen: Screen; early: Key[] }
  | { type: "background" }
  | { type: "no terminal" }
  | { type: "end of terminal" }

/** How a question lets go of the terminal: another one may follow at once. */
export type Settled = "settled" | "declined by Ctrl-C"

/** The one terminal of all questions: opened for the first, kept while one follows the other, closed when none does. */
export interface Terminal {
  take(listener: Listener): Taken
  /** Keys that come now belong to the next question, if one follows soon. */
  release(how: Settled): void
  /** Lets go at once, for an editor, a stop, or for good. */
  drop(): void
  /** Whether Ctrl-C does nothing, because one just declined. */
  isCtrlCSpent(): boolean
  refreshSize(): void
}

const FOLLOWING_MS = 300
const SPENT_MS = 1000

export function createTerminal(options: TerminalOptions): Terminal {
  const { clock } = options
  let opened: { session: Session; screen: Screen } | undefined
  let listener: Listener | undefined
  let early: Key[] = []
  let spentUntil = Number.NEGATIVE_INFINITY
  let stopWaiting = () => {}
  const isCtrlCSpent = () => clock.now() < spentUntil
  const drop = () => {
    stopWaiting()
    early = []
    listener = undefined
    opened?.session.close(options.inForeground() ? "restore" : "leave")
    opened = undefined
  }
  const onKey = (key: Key) => {
    if (isPress(key, "ctrl-c") && isCtrlCSpent()) return
    if (listener) return listener.key(key)
    if (!isPress(key, "ctrl-z")) return void early.push(key)
    drop()
    options.stopGroup()
  }
  const open = () => {
    const device = options.open()
    if (!device) return undefined
    const session = openSession({ device, clock, onKey, onEnd })
    const { NO_COLOR, TERM } = options.env
    return { session, screen: createScreen(screenOutput(session), NO_COLOR || TERM === "dumb" ? "none" : "colours") }
  }
  const onEnd = () => {
    const told = listener
    drop()
    told?.end()
  }
  return {
    take(next) {
      stopWaiting()
      if (!options.inForeground()) {
        drop()
        return { type: "background" }
      }
      opened ??= open()
      if (!opened) return { type: "no terminal" }
      if (opened.session.hasEnded()) {
        drop()
        return { type: "end of terminal" }
      }
      listener = next
      return { type: "taken", screen: opened.screen, early: early.splice(0) }
    },
    release(how) {
      listener = undefined
      if (how === "declined by Ctrl-C") spentUntil = clock.now() + SPENT_MS
      stopWaiting = clock.after(how === "settled" ? FOLLOWING_MS : SPENT_MS, () => {
        const interrupted = early.some((key) => isPress(key, "ctrl-c"))
        drop()
        if (interrupted) options.interrupt()
      })
    },
    drop,
    isCtrlCSpent,
    refreshSize: () => opened?.session.device.refreshSize?.(),
  }
}

function screenOutput(session: Session) {
  const { output } = session.device
  return {
    write: session.write,
    get columns() {
      return output.columns ?? 0
    },
    get rows() {
      return output.rows ?? 0
    },
  }
}

export function isPress(key: Key, name: "ctrl-c" | "ctrl-d" | "ctrl-g" | "ctrl-z" | "enter" | "escape"): boolean {
  return key.type === "press" && key.name === name
}
