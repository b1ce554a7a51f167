import type { TestContext } from "node:test"
import { type IPty, spawn } from "@lydell/node-pty"
import xterm from "@xterm/headless"

/** What `waitFor` looks for: a text, a pattern, or a test of the whole screen. */
export type OnScreen = string | RegExp | ((screen: string) => boolean)

export interface PtyOptions {
  cwd?: string
  /** Over the environment of the tests, from which `CI` is taken out; `undefined` removes a variable. */
  env?: Record<string, string | undefined>
  /** Default 80. */
  columns?: number
  /** Default 24. */
  rows?: number
}

/** How a program ended: by a code, or by a signal's number. */
export interface PtyExit {
  code: number
  signal: number | undefined
}

/** A program in a real pseudo-terminal, and the screen that a person would see. */
export interface Pty {
  pid: number
  /** Sends bytes as the keyboard would, all in one write. */
  type(keys: string): void
  /**
   * Resolves with the screen as soon as it shows what is looked for, tested at every output.
   *
   * @throws Error with the screen, when the program has ended without showing it, or after `withinMs` (default 15000)
   */
  waitFor(what: OnScreen, withinMs?: number): Promise<string>
  /** What is visible now: lines without trailing spaces, and without the empty ones at the end. */
  screen(): string
  /** The same with everything that scrolled away. */
  scrollback(): string
  /** All bytes that the program wrote. */
  raw(): string
  cursor(): { column: number; row: number }
  resize(columns: number, rows: number): void
  /** To the program's process group. */
  signal(name: NodeJS.Signals): void
  /** Closes the terminal, as closing its window does. */
  hangUp(): void
  exit: Promise<PtyExit>
}

/** Keys as a terminal sends them. */
export const KEYS: Readonly<Record<"enter" | "up" | "down" | "left" | "right" | "escape" | "backspace", string>> &
  Readonly<Record<"ctrlC" | "ctrlD" | "ctrlZ" | "pasteStart" | "pasteEnd", string>> = {
  enter: "\r",
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  escape: "\x1b",
  backspace: "\x7f",
  ctrlC: "\x03",
  ctrlD: "\x04",
  ctrlZ: "\x1a",
  pasteStart: "\x1b[200~",
  pasteEnd: "\x1b[201~",
}

/**
 * Starts a program in a pseudo-terminal; it is killed when the test ends.
 *
 * @param t the test that it belongs to
 * @param command the program and its arguments
 * @example
 * const pty = startPty(t, [process.execPath, "bin/toolnexus.js", "run", "hello"])
 * await pty.waitFor("Enter")
 * pty.type(KEYS.enter)
 * assert.deepEqual(await pty.exit, { code: 0, signal: undefined })
 */
export function startPty(t: TestContext, command: readonly [string, ...string[]], options: PtyOptions = {}): Pty {
  const { columns = 80, rows = 24 } = options
  const [file, ...args] = command
  const env = environment(options.env)
  const child = spawn(file, args, {
    name: "xterm-256color",
    cols: columns,
    rows,
    cwd: options.cwd ?? process.cwd(),
    env,
  })
  const screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 20_000 })
  const pty = watch(child, screen)
  t.after(async () => {
    kill(child.pid, "SIGKILL")
    await pty.exit
    screen.dispose()
  })
  return pty
}

function environment(changes: PtyOptions["env"] = {}): Record<string, string> {
  const all = { ...process.env, CI: undefined, TERM: "xterm-256color", ...changes }
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

function watch(child: IPty, screen: xterm.Terminal): Pty {
  let raw = ""
  let ended: PtyExit | undefined
  const watchers = new Set<() => void>()
  const drawn = () => {
    for (const look of watchers) look()
  }
  child.onData((text) => {
    raw += text
    screen.write(text, drawn)
  })
  // Programs ask the terminal who it is; it answers as a keyboard would.
  screen.onData((reply) => child.write(reply))
  const exit = new Promise<PtyExit>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      const how: PtyExit = { code: exitCode, signal: signal || undefined }
      // What was written last is drawn before the end is told.
      screen.write("", () => {
        ended = how
        resolve(how)
        drawn()
      })
    })
  })
  return {
    pid: child.pid,
    type: (keys) => child.write(keys),
    waitFor: (what, withinMs = 15_000) =>
      new Promise((resolve, reject) => {
        const settle = (act: () => void) => {
          watchers.delete(look)
          clearTimeout(timer)
          act()
        }
        const fail = (why: string) => {
          settle(() => reject(new Error(`${why} without showing ${what}; the screen:\n${linesOf(screen, "all")}`)))
        }
        const look = () => {
          const seen = linesOf(screen, "visible")
          if (shows(what, seen)) settle(() => resolve(seen))
          else if (ended) fail(`the program ended (code ${ended.code}, signal ${ended.signal ?? "none"})`)
        }
        const timer = setTimeout(() => fail(`${withinMs} ms passed`), withinMs)
        watchers.add(look)
        look()
      }),
    screen: () => linesOf(screen, "visible"),
    scrollback: () => linesOf(screen, "all"),
    raw: () => raw,
    cursor: () => ({ column: screen.buffer.active.cursorX, row: screen.buffer.active.cursorY }),
    resize(columns, rows) {
      screen.resize(columns, rows)
      child.resize(columns, rows)
    },
    signal: (name) => kill(child.pid, name),
    hangUp: () => (child as IPty & { destroy(): void }).destroy(),
    exit,
  }
}

function shows(what: OnScreen, seen: string): boolean {
  if (typeof what === "string") return seen.includes(what)
  return what instanceof RegExp ? what.test(seen) : what(seen)
}

/** The lines of an xterm, as a person sees them. */
export function linesOf(screen: xterm.Terminal, which: "visible" | "all"): string {
  const buffer = screen.buffer.active
  const first = which === "visible" ? buffer.baseY : 0
  const lines: string[] = []
  for (let at = first; at < buffer.baseY + screen.rows; at++)
    lines.push(buffer.getLine(at)?.translateToString(true) ?? "")
  while (lines.at(-1) === "") lines.pop()
  return lines.join("\n")
}

function kill(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error // it has ended already
  }
}
