import { type Mask, markIn, mentionsSecret } from "../../index.ts"
import type { Io } from "../io.ts"
import { readUserConfiguration } from "./configuration.ts"
import { configurationFile } from "./place.ts"

/** It sounds like a password, and is where the shell stands. */
const SHELLS_FOLDER = "PWD"
/** A shorter value turns up by chance. */
const MIN_LENGTH = 12

/**
 * The masks of a run: the values of the variables whose name says that they are secret, and what the configuration names.
 *
 * @param env the environment; of other variables nothing is masked, whatever they hold
 * @param configured what the configuration names
 * @param cwd the working folder: a value that is a part of its path is no secret
 */
export function masksFrom(
  env: Readonly<Record<string, string | undefined>>,
  configured: readonly Mask[],
  cwd: string,
): Mask[] {
  const named = Object.entries(env).flatMap(([name, value]): Mask[] => {
    if (value === undefined || value.length < MIN_LENGTH || cwd.startsWith(value)) return []
    if (name === SHELLS_FOLDER || !mentionsSecret(name)) return []
    return [{ name: name.replace(/[[\]\p{C}]/gu, "_").slice(0, 100), value }]
  })
  return [...named, ...configured]
}

/** For who records answers and has no run at hand: of the environment and the user's own configuration. */
export function usersMasks(io: Pick<Io, "env" | "cwd"> & Parameters<typeof configurationFile>[0]): Mask[] {
  return masksFrom(io.env, readUserConfiguration(configurationFile(io)).masks, io.cwd)
}

/** Why arguments that a person edits cannot be sent, as the library would say. */
export function problemOfMarks(input: unknown, masks: readonly Mask[]): string | undefined {
  const mark = markIn(input, masks)
  return mark && `${mark} is a mark: put there what it stands for`
}
