/** No data of ours comes near it, and what walks over data is far from the end of its stack. */
const MAX_DEPTH = 500

/** Whether data from elsewhere is nested so deeply that walking over it could fail. Every line that is read passes here. */
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
