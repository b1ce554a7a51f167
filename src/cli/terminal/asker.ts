import type { Answer, Clock, Request } from "../../index.ts"
import { Asking, type AskOptions, type Outcome, type SignalName, type Why } from "./asking.ts"
import type { TerminalDevice } from "./device.ts"
import { editText } from "./edit-text.ts"
import { createTerminal } from "./terminal.ts"

export type { AskOptions, SignalName, Why } from "./asking.ts"

/** What the asker needs of the process and its terminal, handed in. */
export interface AskerOptions {
  /** Both ends of the terminal; `undefined`: there is none. */
  open(): TerminalDevice | undefined
  /** Whether the process group may use the terminal. */
  inForeground(): boolean
  /** Stops the whole process group, as Ctrl-Z does. */
  stopGroup(): void
  /** @returns takes the handler away */
  onSignal(name: "SIGCONT" | "SIGWINCH", handler: () => void): () => void
  clock: Clock
  /** The process's: `VISUAL`, `EDITOR`, `TERM`, `NO_COLOR` are read, the editor gets all of it. */
  env: Record<string, string | undefined>
  /** The folder that tools work in. */
  cwd: string
  /** One line to stderr. */
  notice(line: string): void
  /** Lets the person edit a text; by default `$EDITOR` on the terminal. */
  editText?(draft: string): Promise<string>
  /** A Ctrl-C that came while the terminal was raw and no question was there; by default SIGINT to the group. */
  interrupt?(): void
}

/** Asks a person at the terminal, one question at a time. */
export interface Asker {
  waitFor(request: Request, options: AskOptions): Promise<Answer | undefined>
  /** Why a question was left open, the last one, for the exit code; after a signal nothing more is asked. */
  left(): { why: Why } | undefined
  /** The process got this signal: whether a question took it. */
  signal(name: SignalName): "ignored" | "left" | "not asking"
  /** Writes at once, or after the question that is on the screen if the stream is a terminal. */
  print(stream: NodeJS.WritableStream, text: string): void
  /** Restores the terminal's modes, also on the process's exit. Nothing is asked any more. */
  close(): void
}

interface Due {
  request: Request
  options: AskOptions
  resolve(answer: Answer | undefined): void
  reject(error: unknown): void
}

const NOTICES: Partial<Record<Why, string>> = {
  background: "Not asked: the run is in the background. Bring it to the foreground, or resume it there.",
  "no terminal": "Not asked: there is no terminal. Answer on the command line, or resume it in a terminal.",
  "end of terminal": "Not asked: the terminal is gone.",
}

export function createAsker(options: AskerOptions): Asker {
  const { clock, cwd, stopGroup } = options
  const terminal = createTerminal({ interrupt: () => void process.kill(0, "SIGINT"), ...options })
  const due: Due[] = []
  const held: { stream: NodeJS.WritableStream; text: string }[] = []
  let current: Asking | undefined
  let why: Why | undefined
  let closed = false
  const mayAsk = () => !closed && !isSignal(why)

  const next = () => {
    if (current) return
    for (const { stream, text } of held.splice(0)) stream.write(text)
    const question = due.shift()
    if (!question) return
    if (!mayAsk() || question.options.signal.aborted) {
      question.resolve(undefined)
      return next()
    }
    ask(question)
  }
  const ask = ({ request, options: waiting, resolve, reject }: Due) => {
    const offs: (() => void)[] = []
    const onOutcome = (outcome: Outcome) => {
      for (const off of offs) off()
      current = undefined
      if (outcome.type === "open") leave(outcome.why)
      if (outcome.type === "failed") reject(outcome.error)
      else resolve(outcome.type === "answer" ? outcome.answer : undefined)
      next()
    }
    const edit = options.editText ?? ((draft: string) => editText(draft, options.env))
    const parts = {
      request,
      options: waiting,
      terminal,
      clock,
      cwd,
      stopGroup,
      editText: edit,
      onOutcome,
    }
    const asking = new Asking(parts)
    current = asking
    offs.push(options.onSignal("SIGCONT", () => asking.continued()))
    offs.push(options.onSignal("SIGWINCH", () => asking.resized()))
    asking.start()
  }
  const leave = (reason: Why) => {
    const notice = NOTICES[reason]
    if (notice !== undefined && why !== reason) options.notice(notice)
    why = reason
  }
  return {
    waitFor: (request, waiting) =>
      new Promise((resolve, reject) => {
        due.push({ request, options: waiting, resolve, reject })
        next()
      }),
    left: () => (why === undefined ? undefined : { why }),
    signal(name) {
      if (current) return current.signal(name)
      return name === "SIGINT" && terminal.isCtrlCSpent() ? "ignored" : "not asking"
    },
    print(stream, text) {
      if (current && "isTTY" in stream && stream.isTTY) held.push({ stream, text })
      else stream.write(text)
    },
    close() {
      closed = true
      current?.close()
      terminal.drop()
      next()
    },
  }
}

function isSignal(why: Why | undefined): why is SignalName {
  return why === "SIGINT" || why === "SIGTERM" || why === "SIGHUP"
}
