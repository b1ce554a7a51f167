const SHORT = 70

/** A text on one line, cut where it is long: what a question or `runs show` shows is whole. */
export function shortened(text: string, length: number = SHORT): string {
  const line = text.trim().replace(/\s*\n\s*/g, " ")
  if (line.length <= length) return line
  // Not in the middle of a character.
  return `${line.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, "")}…`
}
