import { type Left, writeError } from "./journal-error.ts"
import type { JournalHandle } from "./journal-fs.ts"

/** Where the next lines go, as this process knows the file. */
export interface End {
  /** Its size. */
  bytes: number
  /** Up to here it is whole; what follows was cut off while it was written, and is taken away before the next line. */
  wholeBytes: number
  /** What the last line lacks of its end. */
  missing: "" | "\n"
}

interface Waiting {
  text: string
  flush: boolean
  resolve(): void
  reject(error: unknown): void
}

/**
 * Writes in order, in groups: what is asked for while a write is under way is written by the next one, and one flush covers all
 * lines before it. After a failure everything fails with the same error: what the file holds then is not known.
 */
export class WriteQueue {
  readonly #file: string
  readonly #handle: JournalHandle
  readonly #end: End
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined
  #failure: unknown
  #unflushed = false

  constructor(file: string, handle: JournalHandle, end: End) {
    this.#file = file
    this.#handle = handle
    this.#end = end
  }

  /** Resolves when the text is written, with `flush` when it is on the disk. */
  append(text: string, flush: boolean): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ text, flush, resolve, reject })
      this.#writing ??= this.#writeAll()
    })
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    while (this.#writing) await this.#writing
  }

  /** Whether all that the file holds is what a first write that failed left in it. */
  async isUnbegun(): Promise<boolean> {
    return this.#end.wholeBytes === 0 && (await this.#handle.stat()).size === this.#end.bytes
  }

  /** Resolves when nothing is left to write, and what was written is on the disk. */
  async drain(): Promise<void> {
    await this.idle()
    if (this.#failure === undefined && this.#unflushed) await this.#attempt(() => this.#flush())
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting
      this.#waiting = []
      try {
        await this.#attempt(() => this.#writeGroup(group))
      } catch (error) {
        for (const { reject } of [...group, ...this.#waiting]) reject(error)
        this.#waiting = []
      }
    }
    // In the same tick as the last look: whoever comes a tick later must start a new writer.
    this.#writing = undefined
  }

  async #writeGroup(group: readonly Waiting[]): Promise<void> {
    await this.#requireOwnEnd()
    await this.#takeAwayRest()
    await this.#write(Buffer.from(this.#end.missing + group.map(({ text }) => text).join("")))
    this.#end.missing = ""
    this.#unflushed = true
    for (const { flush, resolve } of group) if (!flush) resolve()
    if (!group.some(({ flush }) => flush)) return
    await this.#flush()
    for (const { flush, resolve } of group) if (flush) resolve()
  }

  // The lock keeps out who takes it. An editor, a copy over it or `rm` do not.
  async #requireOwnEnd(): Promise<void> {
    const { size, nlink } = await this.#handle.stat()
    if (nlink === 0) throw new NotOurs("it was deleted or replaced meanwhile", "no file")
    if (size === 0 && this.#end.bytes > 0) throw new NotOurs("it was emptied meanwhile", "nothing any more")
    if (size !== this.#end.bytes) throw new NotOurs("something else wrote to it meanwhile", "what others made of it")
  }

  async #takeAwayRest(): Promise<void> {
    if (this.#end.bytes === this.#end.wholeBytes) return
    await this.#handle.truncate(this.#end.wholeBytes)
    this.#end.bytes = this.#end.wholeBytes
  }

  async #write(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at)
      at += bytesWritten
      this.#end.bytes += bytesWritten
    }
    this.#end.wholeBytes = this.#end.bytes
  }

  async #flush(): Promise<void> {
    await this.#handle.datasync()
    this.#unflushed = false
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#failure = writeError(this.#file, error, this.#leftAfter(error))
      throw this.#failure
    }
  }

  #leftAfter(error: unknown): Left {
    if (error instanceof NotOurs) return error.left
    return this.#end.wholeBytes === 0 ? "nothing" : "what was written"
  }
}

/** Something else than this process was at the file. */
class NotOurs extends Error {
  readonly left: Left

  constructor(fact: string, left: Left) {
    super(fact)
    this.left = left
  }
}
