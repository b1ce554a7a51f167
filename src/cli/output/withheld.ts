import { type Answer, outputOf, type Request } from "../../index.ts"

/** The secrets that this process was given. */
export interface Withheld {
  /** Takes those of the answers that are one. */
  add(requests: readonly Request[], answers: readonly Answer[]): void
  /** A text without them: each exact occurrence says which one it was. */
  hide(text: string): string
}

/** A shorter value would turn up by chance. */
const MIN_LENGTH = 6

export function createWithheld(): Withheld {
  const names = new Map<string, string>()
  return {
    add(requests, answers) {
      for (const answer of answers) {
        if (!requests.some(({ id, kind }) => id === answer.id && kind === "secret")) continue
        const value = outputOf(answer) ?? ""
        // What is printed is printed line by line.
        for (const text of [value, ...value.split(/\r?\n/)])
          if (text.length >= MIN_LENGTH) names.set(text, `[secret ${answer.id}]`)
      }
    },
    hide(text) {
      const longestFirst = [...names].sort(([a], [b]) => b.length - a.length)
      return longestFirst.reduce((clean, [value, name]) => clean.replaceAll(value, () => name), text)
    },
  }
}
