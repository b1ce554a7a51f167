/** No data of ours comes near it, and what walks over data is far from the end of its stack. */
const MAX_DEPTH = 500

/** Whether data from elsewhere is nested so deeply that walking over it could fail. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false
  if (depth > MAX_DEPTH) return true
  const it = value as Record<string, unknown>
  for (const key in it) {
    const member = it[key]
    if (typeof member === "object" && isTooDeep(member, depth + 1)) return true
  }
  return false
}

/**
 * Whether what a JSON text says is. Few texts open so many brackets that it need be walked over.
 *
 * @param value what it says
 */
export function isTextTooDeep(json: string, value: unknown): boolean {
  return json.length > 2 * MAX_DEPTH && opensMany(json) && isTooDeep(value)
}

function opensMany(json: string): boolean {
  let opened = 0
  for (const bracket of "{[") {
    for (let at = json.indexOf(bracket); at >= 0; at = json.indexOf(bracket, at + 1)) {
      opened++
      if (opened > MAX_DEPTH) return true
    }
  }
  return false
}
