const UNITS = ["KiB", "MiB", "GiB", "TiB"] as const

/** @example bytesText(1536) // "1.5 KiB" */
export function bytesText(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`
  let amount = bytes / 1024
  let at = 0
  while (amount >= 999.5 && at < UNITS.length - 1) {
    amount /= 1024
    at++
  }
  return `${amount < 9.95 ? amount.toFixed(1) : Math.round(amount)} ${UNITS[at]}`
}

const DAY_MS = 86_400_000
const AGES = [
  [DAY_MS, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1000, "s"],
] as const

/** How long ago, in the one unit that says it best. @example ageText(100_000_000) // "1d" */
export function ageText(ms: number): string {
  const [unitMs, unit] = AGES.find(([size]) => ms >= size) ?? [1000, "s"]
  return `${Math.max(0, Math.floor(ms / unitMs))}${unit}`
}
