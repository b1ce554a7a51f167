/** No data of ours comes near it, and what walks over data is far from the end of its stack. */
const MAX_DEPTH = 500

/** Whether data from elsewhere is nested so deeply that walking over it could fail. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false
  if (depth > MAX_DEPTH) return true
  const within = Array.isArray(value) ? value : Object.values(value)
  return within.some((member) => isTooDeep(member, depth + 1))
}
