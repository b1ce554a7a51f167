/** So many pieces are joined at once: few are alive at any time, which spares the garbage collector most of its work. */
const AT_ONCE = 128

/** A text that comes in many pieces. */
export class Pieces {
  #text: string
  #recent: string[] = []

  constructor(text: string) {
    this.#text = text
  }

  add(piece: string): void {
    if (this.#recent.push(piece) < AT_ONCE) return
    this.#text += this.#recent.join("")
    this.#recent = []
  }

  /** All of it so far. */
  toString(): string {
    return this.#text + this.#recent.join("")
  }
}
