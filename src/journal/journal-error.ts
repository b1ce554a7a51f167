import { messageOf, ToolnexusError } from "../tool/error.ts"

/** Lines were to be added at another place than the end. */
export function positionError(name: string, at: number, holds: number): ToolnexusError {
  return new ToolnexusError(
    "journal",
    `${name} holds ${holds} lines and not the expected ${at}: something else wrote to it, read it again`,
    { details: { at, holds } },
  )
}

export function closedError(name: string): ToolnexusError {
  return new ToolnexusError("journal", `${name} is closed: open it again to add to it`)
}

/** A write or a flush failed; what the file holds since then is not known here. */
export function writeError(file: string, cause: unknown): ToolnexusError {
  return new ToolnexusError(
    "journal",
    `${file} cannot be written: ${inWords(cause)}; the run stops here and can be resumed`,
    {
      details: { file },
      cause,
    },
  )
}

/** A line that no JSON text can say. */
export function lineError(name: string, cause: unknown): ToolnexusError {
  return new ToolnexusError("journal", `${name} cannot take a line: ${messageOf(cause)}`, { cause })
}

/** A file that cannot be opened or read. */
export function readError(file: string, cause: unknown): ToolnexusError {
  const options = { details: { file }, cause }
  const code = codeOf(cause)
  if (code === "ENOENT") return new ToolnexusError("no_run", `${file} is not there: check the path`, options)
  if (code === "EISDIR") return noRun(file, "it is a folder", cause)
  return new ToolnexusError("usage", `${file} cannot be read: ${inWords(cause)}`, options)
}

export function noRun(file: string, fact: string, cause?: unknown): ToolnexusError {
  return new ToolnexusError("no_run", `${file} is no run file: ${fact}`, { details: { file }, cause })
}

export function existsError(file: string): ToolnexusError {
  return new ToolnexusError("exists", `${file} is there already: name a new file, or resume that one`, {
    details: { file },
  })
}

/** A line in the middle that is not what was written. */
export function damagedError(file: string, line: number, fact: string): ToolnexusError {
  return new ToolnexusError(
    "damaged",
    `${file} is damaged at line ${line}: ${fact}; nothing was changed, put that line right or use a copy from before`,
    { details: { file, line } },
  )
}

/** A failed call of the file system, without its name and path: the message around it says both. */
export function inWords(cause: unknown): string {
  const code = codeOf(cause)
  return WORDS[code ?? ""] ?? messageOf(cause)
}

export function codeOf(cause: unknown): string | undefined {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  return typeof code === "string" ? code : undefined
}

const WORDS: Record<string, string> = {
  EACCES: "permission denied",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file is too large",
  EIO: "the disk failed",
  EISDIR: "it is a folder",
  ELOOP: "too many symbolic links",
  EMFILE: "too many open files",
  ENAMETOOLONG: "the name is too long",
  ENOENT: "it is not there",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is no folder",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
}
