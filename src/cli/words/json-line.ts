import { UNSEEN } from "../terminal/escape.ts"

/** A value as a line of JSON that no terminal obeys: what cannot be seen is written as `\uXXXX`, which is the same JSON. */
export function jsonLine(value: unknown): string {
  const text = JSON.stringify(value).replace(UNSEEN, (char) => (char === " " ? char : unitsOf(char)))
  return `${text}\n`
}

function unitsOf(char: string): string {
  return char.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
}
