import { codeOf, systemFact } from "../../../tool/system-fact.ts"

/** Why a file's system call failed, in words for the model. */
export function fileProblem(path: string, error: unknown): string {
  const words = WORDS[codeOf(error)]
  return words === undefined ? `${path}: ${systemFact(error)}` : `${path} ${words}`
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "is not there: look for it with glob",
  ENOTDIR: "is not there: a part of its path is a file",
  EEXIST: "is there by now: someone else made it",
  EISDIR: "is a folder",
  EACCES: "may not be accessed: permission is denied",
  EPERM: "may not be accessed: permission is denied",
  ELOOP: "cannot be reached: its symbolic links lead in a circle",
  ENAMETOOLONG: "cannot exist: its name is too long",
  EROFS: "cannot be changed: it is on a file system that is read-only",
  ENOSPC: "could not be written: there is no space left",
  EDQUOT: "could not be written: there is no space left",
  ETXTBSY: "could not be written: it is running",
  ENXIO: "is no regular file",
  ERR_INVALID_ARG_VALUE: "is no path: it holds a NUL character",
}
