/** A time of a run file as a clock on the wall here shows it, to the minute; what is no time is left as it is. */
export function localTime(rfc3339: string): string {
  const time = new Date(rfc3339)
  if (Number.isNaN(time.getTime())) return rfc3339
  const two = (number: number) => String(number).padStart(2, "0")
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-")
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`
}
