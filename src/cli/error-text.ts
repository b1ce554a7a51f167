const FACTS: Record<string, string> = {
  ENOENT: "no such file",
  ENOTDIR: "a part of its path is no folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
}

/** What is wrong with a file, in a few words. */
export function fileProblem(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  return (code !== undefined && FACTS[code]) || errorText(error)
}

/** The message of anything that was thrown, on one line. */
export function errorText(error: unknown): string {
  const text = error instanceof Error && error.message !== "" ? error.message : textOf(error)
  return text.trim().replace(/\s*\n\s*/g, " ")
}

function textOf(value: unknown): string {
  try {
    return String(value)
  } catch {
    return "an error without a message" // an object without toString
  }
}
