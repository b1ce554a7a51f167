/** The shells that completion is there for. */
export const SHELLS = ["bash", "zsh", "fish"] as const

export type Shell = (typeof SHELLS)[number]

/** The hidden command that the scripts call. */
export const COMPLETE = "__complete"

/** What is offered for the word that is being typed. */
export interface Candidates {
  words: readonly Candidate[]
  /** Paths that the shell offers besides. */
  paths: "none" | "files" | "folders"
  /** What follows a word that was taken. */
  ending: "a space" | "more of it"
  /** What of the word is no part of them: `--output=`, or nothing. */
  behind: string
}

export interface Candidate {
  word: string
  /** In a few words, where the word does not say it. */
  about: string
}

export const NOTHING: Candidates = { words: [], paths: "none", ending: "a space", behind: "" }
