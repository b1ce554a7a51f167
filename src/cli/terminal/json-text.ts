/**
 * JSON for a person to read once it is escaped: control characters and halves of characters are there themselves, so that
 * they are shown as everywhere else; a newline stays `\n`.
 *
 * @param indent spaces; none: on one line
 */
export function jsonText(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, undefined, indent) ?? "none"
  return json.replace(ESCAPES, (written, code: string | undefined) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
    return OWN.get(written) ?? written
  })
}

/** Taken from the left, so that a backslash that stands for itself takes its second half with it. */
const ESCAPES = /\\(?:u([0-9a-f]{4})|[\s\S])/g

const OWN: ReadonlyMap<string, string> = new Map([
  ["\\b", "\b"],
  ["\\f", "\f"],
  ["\\r", "\r"],
  ["\\t", "\t"],
])
