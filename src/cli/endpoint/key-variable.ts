import type { Io } from "../io.ts"

/**
 * Why a text is not taken for the name of the variable that holds a key. A key that is given by mistake must not end in a file:
 * names are short, in capitals, and mostly words.
 *
 * @returns one line without the text, or `undefined`: it is a name
 */
export function keyVariableProblem(text: string, env: Io["env"]): string | undefined {
  if (text === "") return "Type its name, as in MY_API_KEY, or press Ctrl-C to stop."
  if (env[text]) return undefined
  const isName = /^[A-Z_][A-Z0-9_]{0,63}$/.test(text)
  const looksLikeKey = text.length >= 16 && /\d/.test(text) && !text.includes("_")
  return isName && !looksLikeKey
    ? undefined
    : "That is no name of a variable, as in MY_API_KEY (the key itself is not stored)."
}
