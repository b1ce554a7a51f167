/**
 * Text from elsewhere, made harmless for a terminal: every control, format, private-use, unassigned, surrogate and
 * default-ignorable character, every line and paragraph separator and every space other than U+0020 is shown as
 * `<U+XXXX>`. Only a newline is left to be obeyed.
 *
 * @example escapeText("a\u202Eb\tc") // "a<U+202E>b<U+0009>c"
 */
export function escapeText(text: string): string {
  return text.replace(UNSEEN, (char) => (char === "\n" || char === " " ? char : codeOf(char)))
}

/** The same for what has to stay on one line: a newline is shown too. */
export function escapeLine(text: string): string {
  return escapeText(text).replaceAll("\n", codeOf("\n"))
}

/**
 * Text that a person reads and decides nothing about, as a model writes it: nothing in it is obeyed, and tabs, the spaces of
 * other scripts and what joins or varies letters stay.
 */
export function escapeProse(text: string): string {
  return text.replace(UNSEEN, (char) => (PROSE.test(char) ? char : codeOf(char)))
}

const PROSE = /[\n\t\p{Zs}]|[\uFE00-\uFE0F]|\u200C|\u200D/u

/** What cannot be seen, or is obeyed; and the space and the newline, which are for whoever uses it to leave. */
export const UNSEEN: RegExp = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu

function codeOf(char: string): string {
  return `<U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`
}
