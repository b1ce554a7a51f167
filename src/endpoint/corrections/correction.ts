export type Body = Record<string, unknown>

/** How a request that was refused may succeed. */
export interface Correction {
  /** `this time` where it depends on what else is in the request. */
  holds: "always" | "this time"
  /** The names of what is left out. */
  leftOut: readonly string[]
  correct(body: Body): Body
}
