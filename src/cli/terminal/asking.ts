import { type Answer, answerDeclined, type Clock, type Request, type WaitForOptions } from "../../index.ts"
import type { Approvable } from "./approvable.ts"
import { describe } from "./describe.ts"
import type { Dialogue, PromptStep, Step } from "./dialogue.ts"
import { type DialogueFor, dialogueFor } from "./dialogue-for.ts"
import { parseDrafts, renderDrafts } from "./drafts.ts"
import type { Key } from "./keys.ts"
import { type Line, said } from "./passage.ts"
import type { Prompt } from "./prompt.ts"
import { Stage, type StageEvent } from "./stage.ts"
import { isPress, type Listener, type Settled, type Terminal } from "./terminal.ts"

export type SignalName = "SIGINT" | "SIGTERM" | "SIGHUP"

/** Why a question was left open. */
export type Why = "later" | "end of terminal" | "background" | "no terminal" | SignalName

export type Outcome =
  | { type: "answer"; answer: Answer }
  | { type: "open"; why: Why }
  | { type: "settled elsewhere" }
  | { type: "failed"; error: unknown }

/** What goes with a question at the terminal. */
export type AskOptions = WaitForOptions & { approvable?: Approvable | undefined }

export interface AskingParts {
  request: Request
  options: AskOptions
  terminal: Terminal
  clock: Clock
  cwd: string
  stopGroup(): void
  editText(draft: string): Promise<string>
  onOutcome(outcome: Outcome): void
}

const STOP_MS = 50

/** One question on the terminal, from the moment when it is due until it is answered or left. */
export class Asking implements Listener {
  readonly #parts: AskingParts
  readonly #drafts: Record<string, string>
  #saved: string
  readonly #onAbort = () =>
    this.#leave({ type: "settled elsewhere" }, "No longer asked: it was settled, or its time is up.")
  #state: "up" | "stopped" | "editing" | "over" = "up"
  #stage: Stage | undefined
  #dialogue: Dialogue | undefined
  #step: PromptStep | undefined
  /** What is asked about: the request, or a call as it was edited. */
  #about: Request
  /** What the dialogue goes on with, once the terminal is there. */
  #due: { value: unknown } | undefined
  /** Whether what is asked about is to be shown, or stands on the screen. */
  #heading: "due" | "shown" = "due"
  /** What was shown last before a prompt: a field that a choice leads to has none of its own. */
  #text: readonly Line[] = []
  #details: readonly Line[] = []
  /** The prompt, with what was typed, while the terminal is let go. */
  #away: Prompt | undefined
  #stopTimer = () => {}
  /** The timer was there first; the SIGCONT of the same stop tells nothing new. */
  #wentOn = false

  constructor(parts: AskingParts) {
    this.#parts = parts
    this.#drafts = { ...parseDrafts(parts.options.draft) }
    this.#saved = parts.options.draft ?? ""
    this.#about = parts.request
  }

  /** All in the tick in which the question is due, but for the prompt of a schema that has to be loaded. */
  start(): void {
    const { request, options } = this.#parts
    if (!this.#take()) return
    options.signal.addEventListener("abort", this.#onAbort)
    const dialogue = dialogueFor(request, options.approvable)
    const fail = (error: unknown) => this.#leave({ type: "failed", error })
    if (dialogue instanceof Promise) dialogue.then((ready) => this.#begin(ready)).catch(fail)
    else this.#begin(dialogue)
  }

  key(key: Key): void {
    if (isPress(key, "ctrl-z")) this.#stop()
    else this.#stage?.key(key)
  }

  end(): void {
    this.#leave({ type: "open", why: "end of terminal" })
  }

  resized(): void {
    this.#parts.terminal.refreshSize()
    this.#stage?.draw()
  }

  /** The process goes on after a stop, ours or another's. */
  continued(): void {
    if (this.#wentOn) return
    if (this.#state === "up") this.#letGo("stopped")
    if (this.#state === "stopped") this.#comeBack()
  }

  signal(name: SignalName): "ignored" | "left" {
    const counts = this.#stage?.keysCount === true && !this.#parts.terminal.isCtrlCSpent()
    if (name === "SIGINT" && !counts) return "ignored"
    this.#leave({ type: "open", why: name }, "Left open.")
    return "left"
  }

  /** Nobody asks any more. */
  close(): void {
    this.#leave({ type: "open", why: "later" })
  }

  #take(): boolean {
    const taken = this.#parts.terminal.take(this)
    if (taken.type !== "taken") {
      this.#leave({ type: "open", why: taken.type })
      return false
    }
    const { clock } = this.#parts
    this.#stage = new Stage({ clock, screen: taken.screen, onEvent: (event) => this.#onEvent(event) })
    for (const key of taken.early) this.#stage.key(key)
    return true
  }

  #begin(dialogue: DialogueFor): void {
    this.#dialogue = dialogue(this.#drafts)
    this.#advance(undefined)
  }

  /** Else it goes on when the terminal is there again. */
  #advance(value: unknown): void {
    this.#due = { value }
    if (this.#state === "up") this.#goOn()
  }

  #goOn(): void {
    if (!this.#due || !this.#dialogue) return
    const { value } = this.#due
    this.#due = undefined
    const next = this.#dialogue.next(value)
    if (next.done && next.value === "later") this.#leave({ type: "open", why: "later" }, "Left open.")
    else if (next.done) this.#end({ type: "answer", answer: next.value as Answer }, "settled")
    else this.#do(next.value)
  }

  #do(step: Step): void {
    if (step.type === "wait") return void this.#wait(step.until)
    this.#step = step
    const { about, text, details, prompt } = step
    if (about) {
      this.#about = about
      this.#heading = "due"
      this.#text = text
    }
    if (text.length > 0) this.#text = text
    if (details.length > 0) this.#details = details
    this.#show(text, prompt, details)
  }

  #show(text: readonly Line[], prompt: Prompt, details: readonly Line[]): void {
    const heading = this.#heading === "due" ? describe(this.#about, this.#parts.cwd) : []
    this.#heading = "shown"
    this.#stage?.show([...heading, ...text], prompt, details)
  }

  #wait(until: Promise<unknown>): void {
    until.then(
      (value) => this.#advance(value),
      (error: unknown) => this.#leave({ type: "failed", error }),
    )
  }

  #onEvent(event: StageEvent): void {
    if (event.type === "value") {
      this.#keepTyped(event.prompt)
      this.#advance(event.value)
    } else if (event.type === "edit") this.#edit(event.text)
    else if (event.type === "later") this.#leave({ type: "open", why: "later" }, "Left open.")
    else this.#cancel()
  }

  #cancel(): void {
    const answer = answerDeclined(this.#parts.request.id, "cancelled")
    this.#leave({ type: "answer", answer }, "Ctrl-C: this question is declined.", "declined by Ctrl-C")
  }

  #stop(): void {
    if (this.#state !== "up") return
    this.#goAway("stopped")
    const { clock, stopGroup } = this.#parts
    this.#stopTimer = clock.after(STOP_MS, () => {
      this.#comeBack()
      if (this.#state !== "up") return
      this.#wentOn = true
      this.#stopTimer = clock.after(STOP_MS, () => {
        this.#wentOn = false
      })
    })
    stopGroup()
  }

  #edit(draft: string): void {
    const prompt = this.#stage?.prompt
    this.#goAway("editing")
    this.#parts.editText(draft).then(
      (text) => this.#edited(prompt?.retyped(text)),
      (error: unknown) => this.#edited(prompt, `The editor failed: ${error instanceof Error ? error.message : error}`),
    )
  }

  #edited(prompt: Prompt | undefined, problem?: string): void {
    this.#away = prompt
    this.#comeBack(problem === undefined ? [] : [said(problem, "problem")])
  }

  #goAway(state: "stopped" | "editing"): void {
    const prompt = this.#stage?.prompt
    this.#stage?.clear()
    this.#letGo(state, prompt)
  }

  /** Without touching the screen: after a stop by somebody else it is not where it was. */
  #letGo(state: "stopped" | "editing", prompt: Prompt | undefined = this.#stage?.prompt): void {
    this.#away = prompt
    this.#stage?.stop()
    this.#stage = undefined
    this.#saveDrafts()
    this.#state = state
    this.#parts.terminal.drop()
  }

  #comeBack(also: readonly Line[] = []): void {
    if (this.#state !== "stopped" && this.#state !== "editing") return
    this.#stopTimer()
    if (!this.#take()) return
    this.#state = "up"
    const prompt = this.#away
    this.#away = undefined
    this.#heading = "due"
    // A field says nothing of the choice that led to it.
    if (prompt?.kind === "choice") this.#show([...this.#text, ...also], prompt, this.#details)
    else if (prompt) this.#show([...this.#text, ...this.#details, ...also], prompt, [])
    else this.#goOn()
  }

  #keepTyped(prompt: Prompt | undefined): void {
    // A secret is never kept, and what only stood there was not typed.
    if (!this.#step || prompt?.kind !== "text" || prompt.typed === this.#step.prompt.typed) return
    this.#drafts[this.#step.draftKey] = prompt.typed
  }

  #saveDrafts(): void {
    const { options, request } = this.#parts
    this.#keepTyped(this.#stage?.prompt ?? this.#away)
    const draft = renderDrafts(this.#drafts)
    if (request.kind === "secret" || draft === this.#saved) return
    this.#saved = draft
    options.saveDraft(draft)
  }

  /** Ends without sending: what was typed is kept, and the reason is said. */
  #leave(outcome: Outcome, message?: string, how: Settled = "settled"): void {
    if (this.#state === "over") return
    this.#saveDrafts()
    this.#stage?.leave()
    if (message !== undefined) this.#stage?.say(message)
    this.#end(outcome, how)
  }

  #end(outcome: Outcome, how: Settled): void {
    this.#state = "over"
    this.#stopTimer()
    this.#stage?.stop()
    this.#parts.options.signal.removeEventListener("abort", this.#onAbort)
    if (outcome.type === "open" && outcome.why !== "later") this.#parts.terminal.drop()
    else this.#parts.terminal.release(how)
    this.#parts.onOutcome(outcome)
  }
}
