/** The longest name that endpoints take. */
export const MAX_NAME_LENGTH = 64

/**
 * A tool's name as endpoints take it: `[a-zA-Z0-9_-]`, other characters become `_`, at most 64 of them.
 *
 * @example cleanName("read.file") // "read_file"
 */
export function cleanName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/gu, "_").slice(0, MAX_NAME_LENGTH)
}
