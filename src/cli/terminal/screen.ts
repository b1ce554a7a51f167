import { Chalk } from "chalk"
import type { Frame, Look, Row, Size } from "./prompt.ts"

/** What writes to a terminal: text into the scrollback, and below it a frame that is drawn again and again. */
export interface Screen {
  size(): Size
  /** Rows that stay; the frame, if one is up, is taken away first. */
  print(rows: readonly Row[]): void
  /** Draws a frame in the place of the last one. */
  draw(frame: Frame): void
  /** Takes the frame away. */
  clear(): void
  /** Leaves the frame where it is and goes below it. */
  leave(): void
}

export interface ScreenOutput {
  write(text: string): unknown
  columns?: number
  rows?: number
}

const ERASE_BELOW = "\x1b[J"

/** @param colours `NO_COLOR` and a dumb terminal have none */
export function createScreen(output: ScreenOutput, colours: "colours" | "none"): Screen {
  const looks = lookTable(colours)
  let drawn: Frame | undefined
  // Never further up than the frame's own rows: what is above is the text that the answer decides about.
  const home = () => {
    const up = drawn?.cursor.row ?? 0
    drawn = undefined
    return `\r${up > 0 ? `\x1b[${up}A` : ""}${ERASE_BELOW}`
  }
  const lines = (rows: readonly Row[]) => rows.map(({ text, look }) => looks[look](text))
  const size = () => ({ columns: atLeast(output.columns, 10, 80), rows: atLeast(output.rows, 4, 24) })
  return {
    size,
    print(rows) {
      const erase = drawn ? home() : ""
      output.write(
        erase +
          lines(rows)
            .map((line) => `${line}\r\n`)
            .join(""),
      )
    },
    draw(whole) {
      const frame = fitting(whole, size().rows)
      const erase = drawn ? home() : "\r"
      const up = frame.rows.length - 1 - frame.cursor.row
      const right = frame.cursor.column
      const move = `${up > 0 ? `\x1b[${up}A` : ""}\r${right > 0 ? `\x1b[${right}C` : ""}`
      output.write(erase + lines(frame.rows).join("\r\n") + move)
      drawn = frame
    },
    clear() {
      if (drawn) output.write(home())
    },
    leave() {
      if (!drawn) return
      const down = drawn.rows.length - 1 - drawn.cursor.row
      drawn = undefined
      output.write(`${down > 0 ? `\x1b[${down}B` : ""}\r\n`)
    },
  }
}

/** The part around the cursor, where the screen is too low: what scrolled away could not be drawn over. */
function fitting({ rows, cursor }: Frame, height: number): Frame {
  const first = Math.max(0, cursor.row - height + 1)
  return { rows: rows.slice(first, first + height), cursor: { ...cursor, row: cursor.row - first } }
}

function lookTable(colours: "colours" | "none"): Record<Look, (text: string) => string> {
  const chalk = new Chalk({ level: colours === "colours" ? 1 : 0 })
  return {
    plain: (text) => text,
    dim: chalk.dim,
    strong: chalk.bold,
    problem: chalk.red,
    added: chalk.green,
    removed: chalk.red,
  }
}

// 0x0 is what terminals say that do not know their size.
function atLeast(value: number | undefined, least: number, unknown: number): number {
  return value === undefined || value === 0 || !Number.isFinite(value) ? unknown : Math.max(least, value)
}
