import { PassThrough, Writable } from "node:stream"
import type { Io } from "../io.ts"

/** What a prompt of `@inquirer/prompts` reads from and writes to. */
export interface Context {
  input: NodeJS.ReadableStream
  output: NodeJS.WritableStream
}

/** Before the prompt is drawn: an Enter that was meant for something else sends nothing. */
const QUIET_MS = 350

const CTRL_D = "\x04"
const HIDE_CURSOR = "\x1b[?25l"

/**
 * One prompt on a terminal of its own. The library is given streams of ours: it ends those it gets, hides the cursor, takes keys
 * that were typed before the prompt was there, and never settles at the end of input.
 *
 * @param signal aborted: the prompt is over
 * @returns `undefined` where the person stopped, or there is no terminal (any more)
 */
export async function withTerminal<T>(
  { terminal, clock }: Pick<Io, "terminal" | "clock">,
  signal: AbortSignal,
  ask: (context: Context) => Promise<T>,
): Promise<T | undefined> {
  const device = terminal.open()
  if (!device) return undefined
  const { input, output } = device
  let isQuiet = true
  let forget = () => {}
  const keys = new PassThrough()
  const ended = new Promise<undefined>((resolve) => {
    const end = () => resolve(undefined)
    for (const event of ["end", "close", "error"]) input.once(event, end)
    output.once("error", end)
    signal.addEventListener("abort", end, { once: true })
    forget = () => signal.removeEventListener("abort", end)
    if (signal.aborted) end()
    input.on("data", (typed: Buffer) => {
      const text = typed.toString("utf8")
      if (text === CTRL_D) end()
      else keys.write(isQuiet ? text.replaceAll(/[\r\n]/g, "") : text)
    })
  })
  input.setRawMode(true)
  const asked = async () => {
    await new Promise<void>((resolve) => clock.after(QUIET_MS, resolve))
    isQuiet = false
    return ask({ input: keys, output: forwarded(output) })
  }
  try {
    const answer = asked()
    answer.catch(() => undefined) // once it has ended otherwise nobody is left to tell
    return await Promise.race([answer, ended])
  } catch (error) {
    if (error instanceof Error && error.name === "ExitPromptError") return undefined // Ctrl-C: the person stopped
    throw error
  } finally {
    forget()
    input.setRawMode(false)
    input.destroy()
    output.destroy()
  }
}

function forwarded(output: NodeJS.WritableStream & { columns?: number; rows?: number }): NodeJS.WritableStream {
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      output.write(chunk.toString("utf8").replaceAll(HIDE_CURSOR, ""))
      done()
    },
  })
  return Object.assign(stream, { isTTY: true, columns: output.columns || 80, rows: output.rows || 24 })
}
