import { messageOf, ToolnexusError } from "../tool/error.ts"
import { systemFact } from "../tool/system-fact.ts"

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

/** What a file that cannot be written any more holds of the run. */
export type Left = keyof typeof WAY_ON

const WAY_ON = {
  "what was written": "the run stops here and can be resumed",
  "as it was": "nothing was changed, and it can be resumed once that is mended",
  nothing: "nothing of the run is saved: begin it again once that is mended",
  "nothing any more": "the run stops here, and nothing of it is left in that file",
  "what others made of it": "the run stops here: look at what the file holds now before it is resumed",
  "no file": "the run stops here, and only what is under that name now is left of it",
} as const

/** A write or a flush failed. */
export function writeError(file: string, cause: unknown, left: Left): ToolnexusError {
  const way = WAY_ON[left]
  return new ToolnexusError("journal", `${file} cannot be written: ${systemFact(cause)}; ${way}`, {
    details: { file },
    cause,
  })
}

export function makeError(file: string, cause: unknown): ToolnexusError {
  return new ToolnexusError(
    "journal",
    `${file} cannot be made: ${systemFact(cause)}; mend that, or name another file`,
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
  return new ToolnexusError(
    "usage",
    `${file} cannot be read: ${systemFact(cause)}; mend that, or name another file`,
    options,
  )
}

export function noRun(file: string, fact: string, cause?: unknown): ToolnexusError {
  return new ToolnexusError("no_run", `${file} is no run file: ${fact}; name one that a run wrote`, {
    details: { file },
    cause,
  })
}

/** Whatever it is, it may be the only copy. */
export function cutOffError(file: string): ToolnexusError {
  return new ToolnexusError(
    "no_run",
    `${file} is no run file: it is cut off within its first line; nothing was changed, use a whole copy of it, or what it was made from`,
    { details: { file } },
  )
}

export function existsError(file: string): ToolnexusError {
  return new ToolnexusError("exists", `${file} is there already: name a new file, or resume that one`, {
    details: { file },
  })
}

export function linkError(file: string): ToolnexusError {
  return new ToolnexusError(
    "exists",
    `${file} is a link that leads to no file: remove the link, or name another file`,
    {
      details: { file },
    },
  )
}

/** A line in the middle that is not what was written. */
export function damagedError(file: string, line: number, fact: string): ToolnexusError {
  return new ToolnexusError(
    "damaged",
    `${file} is damaged at line ${line}: ${fact}; nothing was changed, put that line right or use a copy from before`,
    { details: { file, line } },
  )
}

export function codeOf(cause: unknown): string | undefined {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  return typeof code === "string" ? code : undefined
}
