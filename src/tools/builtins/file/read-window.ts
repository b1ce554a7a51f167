/** Which part of a text is wanted; lines and columns count from 1. */
export interface LineWindow {
  offset: number
  limit: number
  column: number
  /** Characters of one line. */
  columns: number
  /** Characters in all. */
  chars: number
}

export interface WindowLine {
  text: string
  /** How many characters of it come behind. */
  cut: number
  nextColumn: number
}

/** The part, and what was seen of the text on the way to its end. */
export interface WindowText {
  lines: WindowLine[]
  end: { at: "file"; lines: number } | { at: "window" }
  bom: boolean
  crlf: number
  lf: number
  /** Bytes that are no UTF-8 were there. */
  damaged: boolean
}

/**
 * Reads a part of a text of any size, and with lines of any length, in bounded memory.
 */
export async function readWindow(
  chunks: AsyncIterable<Buffer>,
  window: LineWindow,
  signal: AbortSignal | undefined,
): Promise<WindowText> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  const reader = new WindowReader(window)
  for await (const chunk of chunks) {
    signal?.throwIfAborted()
    reader.take(decoder.decode(chunk, { stream: true }))
    if (reader.hasEnough) return reader.result()
  }
  reader.take(decoder.decode())
  return reader.result()
}

class WindowReader {
  readonly #window: LineWindow
  readonly #seen: Omit<WindowText, "end"> = { lines: [], bom: false, crlf: 0, lf: 0, damaged: false }
  #isStart = true
  /** The number of the line that is being read, how long it is so far, and what of it is wanted. */
  #line = 1
  #length = 0
  #kept = ""
  #endsInCarriage = false
  #chars = 0
  #isFull = false
  /** There is more behind what was wanted. */
  hasEnough = false

  constructor(window: LineWindow) {
    this.#window = window
  }

  take(text: string): void {
    if (text === "") return
    const piece = this.#withoutMark(text)
    this.#seen.damaged ||= piece.includes("\uFFFD")
    let from = 0
    for (let at = piece.indexOf("\n"); at >= 0 && !this.#isFull; at = piece.indexOf("\n", from)) {
      this.#add(piece.slice(from, at))
      this.#endLine("with end")
      from = at + 1
    }
    if (this.#isFull) this.hasEnough ||= from < piece.length
    else this.#add(piece.slice(from))
  }

  result(): WindowText {
    if (this.#length > 0) this.#endLine("without end")
    return { ...this.#seen, end: this.hasEnough ? { at: "window" } : { at: "file", lines: this.#line - 1 } }
  }

  #withoutMark(text: string): string {
    if (!this.#isStart) return text
    this.#isStart = false
    this.#seen.bom = text.startsWith("\uFEFF")
    return this.#seen.bom ? text.slice(1) : text
  }

  #add(piece: string): void {
    const { offset, column, columns } = this.#window
    if (this.#line >= offset) {
      const from = Math.max(column - 1 - this.#length, 0)
      // One more than is shown, as a carriage return at the end does not count.
      this.#kept += piece.slice(from, from + Math.max(columns + 1 - this.#kept.length, 0))
    }
    this.#length += piece.length
    if (piece !== "") this.#endsInCarriage = piece.endsWith("\r")
  }

  #endLine(how: "with end" | "without end"): void {
    const crlf = how === "with end" && this.#endsInCarriage
    if (how === "with end") this.#seen[crlf ? "crlf" : "lf"]++
    if (this.#line >= this.#window.offset) this.#keep(crlf ? this.#length - 1 : this.#length)
    this.#line++
    this.#length = 0
    this.#kept = ""
    this.#endsInCarriage = false
  }

  #keep(length: number): void {
    const { column, columns, limit, chars } = this.#window
    const behind = Math.max(length - (column - 1), 0)
    const text = wholeCharacters(this.#kept.slice(0, Math.min(behind, columns)))
    this.#seen.lines.push({ text, cut: behind - text.length, nextColumn: column + text.length })
    this.#chars += text.length + 1
    this.#isFull = this.#seen.lines.length >= limit || this.#chars >= chars
  }
}

/** A cut may go through a pair of surrogates. */
function wholeCharacters(text: string): string {
  return text.replace(/[\uD800-\uDBFF]$/, "")
}
