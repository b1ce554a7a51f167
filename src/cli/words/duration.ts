const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g

/** How a duration is written, for messages. */
export const DURATION_FORM = "a duration above 0, such as 90s, 10m, 1h30m or 30d"

/**
 * Reads a duration as people write it: numbers with units, the units `ms`, `s`, `m`, `h`, `d`.
 *
 * @returns milliseconds, or `undefined` where it is none (a bare number too: its unit would be a guess)
 * @example parseDuration("1h30m") // 5400000
 */
export function parseDuration(text: string): number | undefined {
  const parts = [...text.matchAll(PART)]
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) return undefined
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS], 0)
  return Number.isFinite(ms) && ms >= 1 ? Math.round(ms) : undefined
}

/**
 * A duration as {@link parseDuration} reads it.
 *
 * @param ms whole milliseconds, above 0
 * @example durationText(5_400_000) // "1h30m"
 */
export function durationText(ms: number): string {
  let rest = ms
  const parts = (["h", "m", "s", "ms"] as const).map((unit) => {
    const count = Math.floor(rest / UNIT_MS[unit])
    rest -= count * UNIT_MS[unit]
    return count === 0 ? "" : `${count}${unit}`
  })
  return parts.join("")
}
