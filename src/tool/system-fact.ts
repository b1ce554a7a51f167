import { messageOf } from "./error.ts"

/**
 * Why a call of the system failed, in a few words and without its name and path: the message around it says what was tried.
 *
 * @param error what was thrown; of anything else its own message
 * @example try { readFileSync(path) } catch (error) { throw new Error(`${path} cannot be read: ${systemFact(error)}`) }
 */
export function systemFact(error: unknown): string {
  const words = WORDS[codeOf(error)]
  if (words !== undefined) return words
  // Of a rarer one the system's own words: `EXDEV: cross-device link not permitted, rename 'a' -> 'b'`.
  const [, fact] = /^E[A-Z0-9]+: ([^,]+), \w+(?: '|$)/.exec(messageOf(error)) ?? []
  return fact ?? messageOf(error)
}

/** The system's code of an error, such as `ENOENT`; else "". */
export function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : ""
}

const WORDS: Readonly<Record<string, string>> = {
  E2BIG: "its arguments are too long",
  EACCES: "permission denied",
  EBUSY: "it is in use",
  EDQUOT: "the disk quota is used up",
  EEXIST: "it is there already",
  EFBIG: "the file is too large",
  EIO: "the disk failed",
  EISDIR: "it is a folder",
  ELOOP: "too many symbolic links",
  EMFILE: "too many open files",
  ENAMETOOLONG: "the name is too long",
  ENFILE: "too many open files",
  ENOENT: "no such file or folder",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of its path is no folder",
  ENOTEMPTY: "the folder is not empty",
  ENXIO: "it is no regular file",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ERR_FS_FILE_TOO_LARGE: "the file is too large",
  ERR_INVALID_ARG_VALUE: "it holds a character that no path can have",
  ETXTBSY: "it is running",
}
