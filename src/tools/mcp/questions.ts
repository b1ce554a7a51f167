import type { Answer } from "../../suspension/answer.ts"
import { MAX_QUESTIONS } from "../../suspension/max-questions.ts"
import type { ToolResult } from "../../tool/tool.ts"
import {
  CANCEL,
  type Circumstances,
  type Elicitation,
  type ElicitResult,
  fingerprintIn,
  requestIdFor,
  suspended,
} from "./elicitation.ts"

/** What is said with a question beside what the server says. */
export interface AskedIn extends Pick<Circumstances, "repeats" | "candidates"> {
  /** Aborted when the server does not want to know any more. */
  signal?: AbortSignal
  /** Whether the server may ask the very same again, or asks in vain then. */
  again: "may be asked" | "is unresolved"
}

interface Question {
  id: string
  asked: ToolResult
  /** Where it is not known whether this call asks it, the end of this call is not the end of the question. */
  isCertain: boolean
  /** The server knows the answer, or does not want to know any more. */
  settle(result: ElicitResult): void
  resultFor(answer: Answer): ElicitResult
}

/** What a server asks in one call, one after the other. */
export class Questions {
  readonly #server: string
  readonly #onChange: () => void
  /** What people have answered before, as long as it was not asked again. */
  readonly #recorded: Answer[]
  readonly #timesAsked = new Map<string, number>()
  /** Those that wait. */
  #open: readonly Question[] = []
  /** The one that the tool suspended with last. */
  #front: Question | undefined
  #put: number

  /**
   * @param recorded what people have answered to this call's questions before, in order
   * @param onChange a question has come or has gone
   */
  constructor({ server, recorded, onChange }: { server: string; recorded: readonly Answer[]; onChange(): void }) {
    this.#server = server
    this.#recorded = [...recorded]
    this.#onChange = onChange
    this.#put = recorded.length
  }

  get areOpen(): boolean {
    return this.#open.length > 0
  }

  get areTooMany(): boolean {
    return this.#put > MAX_QUESTIONS
  }

  /**
   * Asks. What was answered before is answered at once.
   *
   * @throws ToolnexusError `invalid_request` where it cannot be put to anybody
   */
  async ask(elicitation: Elicitation, about: AskedIn): Promise<ElicitResult> {
    const times = about.again === "may be asked" ? this.#count(elicitation) : 1
    const recorded = this.#takeRecorded(elicitation)
    if (recorded) return elicitation.resultFor(recorded)
    const id = requestIdFor(elicitation)
    const asked = suspended(elicitation, { ...about, id, server: this.#server, times })
    return new Promise((settle) => {
      const isCertain = about.candidates.length === 0
      const question: Question = { id, asked, isCertain, settle, resultFor: elicitation.resultFor }
      about.signal?.addEventListener("abort", () => this.#settle(question, CANCEL), { once: true })
      this.#open = [...this.#open, question]
      this.#onChange()
    })
  }

  /** The question that is put next, as its tool suspends with it. */
  putNext(): ToolResult | undefined {
    const [question] = this.#open
    if (!question) return undefined
    this.#front = question
    this.#put += 1
    return question.asked
  }

  /** Whether the question that was put last is this request. */
  wasPutAs(requestId: string): boolean {
    return this.#front?.id === requestId
  }

  /** Whether the server still waits for its answer. */
  get isFrontOpen(): boolean {
    return this.#front !== undefined && this.#open[0] === this.#front
  }

  /** Hands the answer to the question that was put last to the server. */
  hand(answer: Answer): void {
    if (this.#front) this.#settle(this.#front, this.#front.resultFor(answer))
  }

  /** @param which `certain`: those that are this call's beyond doubt */
  cancel(which: "all" | "certain"): void {
    for (const question of this.#open) if (which === "all" || question.isCertain) this.#settle(question, CANCEL)
  }

  #count({ fingerprint }: Elicitation): number {
    const times = (this.#timesAsked.get(fingerprint) ?? 0) + 1
    this.#timesAsked.set(fingerprint, times)
    return times
  }

  #takeRecorded({ fingerprint }: Elicitation): Answer | undefined {
    const at = this.#recorded.findIndex((answer) => fingerprintIn(answer) === fingerprint)
    return at < 0 ? undefined : this.#recorded.splice(at, 1)[0]
  }

  #settle(question: Question, result: ElicitResult): void {
    this.#open = this.#open.filter((other) => other !== question)
    question.settle(result)
    this.#onChange()
  }
}
