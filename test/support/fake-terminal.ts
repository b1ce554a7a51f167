import { EventEmitter } from "node:events"
import { Writable } from "node:stream"
import xterm from "@xterm/headless"
import type { Approvable } from "../../src/cli/terminal/approvable.ts"
import { type Asker, type AskerOptions, createAsker } from "../../src/cli/terminal/asker.ts"
import type { TerminalDevice } from "../../src/cli/terminal/device.ts"
import type { Answer, Request } from "../../src/index.ts"
import { type ManualClock, manualClock } from "../../src/testing/index.ts"
import { linesOf } from "./pty.ts"

/** A terminal without a kernel: keys in, an xterm's screen out, a clock moved by hand. */
export interface FakeTerminal {
  asker: Asker
  clock: ManualClock
  /** One read of the program, at once; dropped when nothing is open, as nobody reads then. */
  type(read: string): void
  /** The quiet time passes: keys count. */
  settle(): void
  screen(): Promise<string>
  /** Goes on as soon as the screen shows it: a schema that has to be loaded takes real time. */
  untilScreen(what: RegExp): Promise<string>
  scrollback(): Promise<string>
  cursor(): Promise<{ column: number; row: number }>
  /** Everything written, in order, with what was done to the modes. */
  log: string[]
  /** Asks, and collects what comes of it. */
  ask(request: Request, options?: { draft?: string; signal?: AbortSignal; approvable?: Approvable }): Asked
  notices: string[]
  state: {
    raw: boolean
    opened: number
    open: number
    foreground: boolean
    there: boolean
    /** It is opened, and gone at the first touch. */
    dead: boolean
    stops: number
    interrupts: number
  }
  resize(columns: number, rows: number): void
  /** What the terminal says that its size is, when it is not the truth. */
  size: { columns: number; rows: number } | undefined
  signal(name: "SIGCONT" | "SIGWINCH"): void
  /** How many handlers of signals there are. */
  listening(): number
  /** The terminal is gone, in this way. */
  vanish(how: "end" | "close" | "EIO"): void
  edits: { draft: string; finish(text: string): void; fail(error: Error): void }[]
}

export interface Asked {
  answer: Promise<Answer | undefined>
  /** `waiting` until it is settled. */
  now(): Promise<Answer | undefined | "waiting">
  drafts: string[]
}

export function fakeTerminal(
  options: { columns?: number; rows?: number; env?: AskerOptions["env"] } = {},
): FakeTerminal {
  const { columns = 80, rows = 24 } = options
  const screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 30_000 })
  const clock = manualClock()
  const log: string[] = []
  const notices: string[] = []
  const edits: FakeTerminal["edits"] = []
  const told: Pick<FakeTerminal, "size"> = { size: undefined }
  const signals = new EventEmitter()
  const state = { raw: false, opened: 0, open: 0, foreground: true, there: true, dead: false, stops: 0, interrupts: 0 }
  let input: FakeInput | undefined
  const output = () => {
    const write = (bytes: Buffer | string, _encoding: string, done: () => void) => {
      log.push(String(bytes))
      // The kernel's part: a newline goes to the first column.
      screen.write(String(bytes).replace(/(?<!\r)\n/g, "\r\n"))
      done()
    }
    const size = {
      columns: { get: () => told.size?.columns ?? screen.cols },
      rows: { get: () => told.size?.rows ?? screen.rows },
    }
    return Object.defineProperties(new Writable({ write, decodeStrings: false }), size)
  }
  const open: AskerOptions["open"] = () => {
    if (!state.there) return undefined
    state.opened++
    state.open++
    input = new FakeInput(state, log)
    return { input: input as unknown as TerminalDevice["input"], output: output() }
  }
  const asker = createAsker({
    open,
    inForeground: () => state.foreground,
    stopGroup: () => {
      state.stops++
      log.push("<stopped>")
    },
    onSignal: (name, handler) => {
      signals.on(name, handler)
      return () => signals.off(name, handler)
    },
    clock,
    env: options.env ?? { NO_COLOR: "1" },
    cwd: "/srv/place",
    notice: (line) => notices.push(line),
    editText: (draft) => new Promise((finish, fail) => edits.push({ draft, finish, fail })),
    interrupt: () => state.interrupts++,
  })
  const watchers = new Set<() => void>()
  screen.onWriteParsed(() => {
    for (const look of watchers) look()
  })
  const drawn = () => new Promise<void>((resolve) => screen.write("", resolve))
  return {
    asker,
    clock,
    log,
    notices,
    state,
    edits,
    type: (read) => void input?.emit("data", Buffer.from(read)),
    settle: () => clock.advance(350),
    async screen() {
      await drawn()
      return linesOf(screen, "visible")
    },
    untilScreen: (what) =>
      new Promise((resolve) => {
        const look = () => {
          const seen = linesOf(screen, "visible")
          if (!what.test(seen)) return
          watchers.delete(look)
          resolve(seen)
        }
        watchers.add(look)
        look()
      }),
    async scrollback() {
      await drawn()
      return linesOf(screen, "all")
    },
    async cursor() {
      await drawn()
      return { column: screen.buffer.active.cursorX, row: screen.buffer.active.cursorY }
    },
    ask(request, { draft, approvable, signal = new AbortController().signal } = {}) {
      const drafts: string[] = []
      const saveDraft = (text: string) => void drafts.push(text)
      const answer = Promise.resolve(
        asker.waitFor(request, { signal, saveDraft, approvable, ...(draft === undefined ? {} : { draft }) }),
      )
      const tick = new Promise<"waiting">((resolve) => setImmediate(resolve, "waiting"))
      return {
        answer,
        drafts,
        now: () => Promise.race([answer, tick.then(() => new Promise<"waiting">((r) => setImmediate(r, "waiting")))]),
      }
    },
    resize(newColumns, newRows) {
      screen.resize(newColumns, newRows)
      signals.emit("SIGWINCH")
    },
    get size() {
      return told.size
    },
    set size(size) {
      told.size = size
    },
    signal: (name) => void signals.emit(name),
    listening: () => signals.listenerCount("SIGCONT") + signals.listenerCount("SIGWINCH"),
    vanish(how) {
      state.there = false
      if (how === "EIO") input?.emit("error", Object.assign(new Error("read EIO"), { code: "EIO" }))
      else input?.emit(how)
    },
  }
}

class FakeInput extends EventEmitter {
  readonly #state: FakeTerminal["state"]
  readonly #log: string[]

  constructor(state: FakeTerminal["state"], log: string[]) {
    super()
    this.#state = state
    this.#log = log
  }

  setRawMode(on: boolean): void {
    if (this.#state.dead) throw new Error("setRawMode EIO")
    this.#state.raw = on
    this.#log.push(on ? "<raw>" : "<cooked>")
  }

  destroy(): void {
    this.#state.open--
    this.#log.push("<closed>")
    this.emit("close")
  }
}
