/** Why an `allow` is not about a call. `near`: its text fits, and something else speaks against it, which whoever wrote it wants to know. */
export interface Misfit {
  is: "near" | "other"
  why: string
}

const MAX_SHOWN = 80

/** Something that a model wrote, as part of a sentence. */
export function shown(text: string): string {
  return JSON.stringify(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text)
}
