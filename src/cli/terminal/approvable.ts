/**
 * What the run's rules and tools say about a call that the gate asks about: what "always" would save, and whether other
 * arguments could run. It decides nothing: the gate does.
 */
export interface Approvable {
  /** The rule that "always" begins with; `undefined`: it is not offered. */
  readonly rule: string | undefined
  /** What a rule would do, saved now. */
  tryRule(rule: string): Promise<RuleOutcome>
  /**
   * Saves a rule, for this run too.
   *
   * @returns why it could not be saved
   */
  saveRule(rule: string): Promise<string | undefined>
  /** The call with other arguments. */
  edited(input: Record<string, unknown>): Promise<EditOutcome>
}

export type RuleOutcome =
  /** What it lets through, in words, and where it will be. */
  { saves: true; lets: string; file: string } | { saves: false; why: string }

export type EditOutcome =
  /** Why they cannot run. */
  | { fits: false; why: string }
  /** It is shown again before it runs: here, or by the gate, where what it would change has to be found out anew. */
  | { fits: true; shown: "here"; call: Approvable }
  | { fits: true; shown: "by the gate" }
