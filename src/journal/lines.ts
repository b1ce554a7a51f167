import { isUtf8 } from "node:buffer"
import { isTextTooDeep } from "../suspension/depth.ts"
import { isRecord } from "../suspension/request.ts"
import type { JournalHandle } from "./journal-fs.ts"

/** What a file of lines holds. */
export interface ReadLines {
  lines: object[]
  /** The size of what was read. */
  bytes: number
  /** The length in bytes up to which the file is whole. */
  wholeBytes: number
  /** What follows the last line's end: nothing, a line that only lacks its end (it is in `lines`), or one that was cut off. */
  tail: "none" | "unended" | "torn"
}

/** A line that cannot be read. */
export class DamagedLine extends Error {
  readonly line: number

  constructor(line: number, fact: string) {
    super(fact)
    this.line = line
  }
}

const CHUNK_BYTES = 1 << 20
/** Longer texts do not fit into a string. */
export const MAX_LINE_BYTES: number = 256 * CHUNK_BYTES
const NEWLINE = 0x0a

/**
 * Reads a whole file of JSON objects, one a line.
 *
 * @param size in bytes, where it is known: what is written to it meanwhile is left out
 * @throws DamagedLine for a line that is ended and holds no JSON object, or one that is nested too deeply to be walked over
 */
export async function readAllLines(handle: JournalHandle, size: number = Number.POSITIVE_INFINITY): Promise<ReadLines> {
  const reader = new LineReader()
  let position = 0
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  while (position < size) {
    const { bytesRead } = await handle.read(chunk, 0, Math.min(CHUNK_BYTES, size - position), position)
    if (bytesRead === 0) break
    position += bytesRead
    reader.take(chunk.subarray(0, bytesRead))
    if (reader.keepsBytes) chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  }
  return reader.end()
}

class LineReader {
  readonly #lines: object[] = []
  #unended: Buffer[] = []
  #unendedBytes = 0
  #wholeBytes = 0
  #number = 0

  /** Whether it holds on to bytes that it was given. */
  get keepsBytes(): boolean {
    return this.#unended.length > 0
  }

  take(chunk: Buffer): void {
    const end = chunk.lastIndexOf(NEWLINE) + 1
    if (end > 0) {
      const ended = chunk.subarray(0, end)
      this.#parse(this.#unended.length === 0 ? ended : Buffer.concat([...this.#unended, ended]))
      this.#unended = []
      this.#unendedBytes = 0
    }
    if (end < chunk.length) this.#unended.push(chunk.subarray(end))
    this.#unendedBytes += chunk.length - end
    this.#requireLineSoFar()
  }

  end(): ReadLines {
    const rest = Buffer.concat(this.#unended)
    const text = isUtf8(rest) ? rest.toString("utf8", this.#markBytes(rest)) : ""
    const last = parseObject(text)
    if (last !== undefined) {
      this.#number++
      this.#add(last, text)
    }
    const tail = rest.length === 0 ? "none" : last === undefined ? "torn" : "unended"
    return { lines: this.#lines, bytes: this.#wholeBytes + rest.length, wholeBytes: this.#wholeBytes, tail }
  }

  #parse(bytes: Buffer): void {
    if (!isUtf8(bytes)) throw new DamagedLine(this.#number + firstBroken(bytes), "it is no UTF-8 text")
    for (const text of bytes.toString("utf8", this.#markBytes(bytes), bytes.length - 1).split("\n")) {
      this.#number++
      const value = parseObject(text)
      if (value !== undefined) this.#add(value, text)
      else if (text.trim() !== "") throw new DamagedLine(this.#number, "it is no JSON object")
    }
    this.#wholeBytes += bytes.length
  }

  #markBytes(bytes: Buffer): number {
    return this.#wholeBytes === 0 && hasByteOrderMark(bytes) ? 3 : 0
  }

  #add(value: object, text: string): void {
    if (isTextTooDeep(text, value)) throw new DamagedLine(this.#number, "it is nested too deeply")
    this.#lines.push(value)
  }

  // A large file that is something else should not be read to its end first.
  #requireLineSoFar(): void {
    const [start] = this.#unended
    const canTell = start !== undefined && start.length > 3 && this.#wholeBytes === 0
    if (canTell && !canBeStart(start)) throw new DamagedLine(1, "it is no JSON object")
    if (this.#unendedBytes > MAX_LINE_BYTES) throw new DamagedLine(this.#number + 1, "it is too long")
  }
}

/** Whether a file that begins like this can be one of JSON objects, one a line. */
export function canBeStart(bytes: Buffer): boolean {
  const text = bytes.toString("utf8", hasByteOrderMark(bytes) ? 3 : 0)
  const end = text.indexOf("\n")
  const first = end < 0 ? text : text.slice(0, end)
  return first.trim() === "" || (end < 0 ? first.trimStart().startsWith("{") : parseObject(first) !== undefined)
}

/** `undefined` for what is no JSON object. */
export function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined // the caller names the line
  }
}

function hasByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
}

// Counted from 1.
function firstBroken(bytes: Buffer): number {
  let start = 0
  for (let number = 1; ; number++) {
    const end = bytes.indexOf(NEWLINE, start) + 1
    if (!isUtf8(bytes.subarray(start, end)) || end === 0) return number
    start = end
  }
}
