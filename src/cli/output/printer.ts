import type { OutStream } from "../io.ts"
import { escapeProse } from "../terminal/escape.ts"

/** Writes both streams; what goes to a terminal waits while a question is on it, and is never obeyed by it. */
export interface Printer {
  out(text: string): void
  /** One line. */
  err(line: string): void
  /** One line on stderr that nothing follows, whatever is still found out: it waits for {@link Printer.end}. */
  last(line: string): void
  readonly outIsTerminal: boolean
  readonly errIsTerminal: boolean
  /** From now on what goes to a terminal goes through this. */
  holdWith(print: (stream: OutStream, text: string) => void): void
  /** Called before anything is written. */
  beforeEach(listener: () => void): void
  /** Why stdout could not be written, once all of it was tried; a reader that went away is no problem. */
  problem(): Promise<NodeJS.ErrnoException | undefined>
  /** Everything is said. */
  end(): void
}

export function createPrinter(stdout: OutStream, stderr: OutStream): Printer {
  const direct = (stream: OutStream, text: string): void => {
    stream.write(text)
  }
  let print = direct
  let before = () => {}
  let problem: NodeJS.ErrnoException | undefined
  let midLine = false
  stdout.onError((error) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") problem = error
  })
  stderr.onError(() => {}) // there is nowhere left to say it
  const write = (stream: OutStream, text: string) => {
    before()
    if (stream.isTTY) print(stream, escapeProse(text))
    else direct(stream, text)
  }
  const err = (line: string) => {
    const isGlued = midLine && stdout.isTTY && stderr.isTTY
    if (isGlued) midLine = false
    write(stderr, `${isGlued ? "\n" : ""}${line}\n`)
  }
  let last: string | undefined
  return {
    outIsTerminal: stdout.isTTY,
    errIsTerminal: stderr.isTTY,
    out(text) {
      if (text === "") return
      midLine = !text.endsWith("\n")
      write(stdout, text)
    },
    err,
    last(line) {
      last = line
    },
    holdWith(hold) {
      print = hold
    },
    beforeEach(listener) {
      before = listener
    },
    async problem() {
      await stdout.flush()
      return problem
    },
    end() {
      if (last !== undefined) err(last)
    },
  }
}
