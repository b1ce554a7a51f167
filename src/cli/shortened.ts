const SHORT = 70

/** A text on one line, cut where it is long: what a question or `runs show` shows is whole. */
export function shortened(text: string): string {
  const line = text.trim().replace(/\s*\n\s*/g, " ")
  return line.length <= SHORT ? line : `${line.slice(0, SHORT)} ... (${line.length} characters)`
}
