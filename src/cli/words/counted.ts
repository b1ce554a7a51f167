/** A number with its word: `1 call`, `2 calls`. */
export function counted(count: string | number, one: string, many: string = `${one}s`): string {
  return `${count} ${Number(count) === 1 ? one : many}`
}
