/**
 * A body as it is sent: JSON without halves of surrogate pairs. A text that was cut in the middle of a character has one,
 * and many servers refuse the whole body for it, again and again.
 */
export function bodyText(body: Record<string, unknown>): string {
  const text = JSON.stringify(body)
  // Halves are written as escapes, pairs are not.
  if (!text.includes("\\ud")) return text
  return text.replace(/\\(?:\\|ud[89a-f][0-9a-f]{2})/g, (found) => (found === "\\\\" ? found : "\\ufffd"))
}
