import { isRecord } from "../suspension/request.ts"
import type { ProviderError } from "./provider-error.ts"

type Body = Record<string, unknown>

/** What an endpoint has refused and gets no more. */
export interface Corrections {
  /** A request's body without what was refused. */
  apply(body: Body): Body
  /**
   * Looks for a member of the request that the error names as refused; from then on it is left out, or renamed.
   *
   * @returns whether the same request may now succeed
   */
  learn(error: ProviderError, body: Body): boolean
}

interface Correction {
  named: RegExp
  fits(body: Body): boolean
  /** Called with the error's text too, for what it proposes. */
  correct(said: string): (body: Body) => Body
}

const REASONING = ["reasoning_content", "reasoning_details", "reasoning"] as const

const CORRECTIONS: readonly Correction[] = [
  { named: /stream_options/, fits: has("stream_options"), correct: () => without("stream_options") },
  {
    named: /max_completion_tokens/,
    fits: has("max_tokens"),
    correct: () => renamed("max_tokens", "max_completion_tokens"),
  },
  {
    named: /max_completion_tokens/,
    fits: has("max_completion_tokens"),
    correct: () => renamed("max_completion_tokens", "max_tokens"),
  },
  ...["max_tokens", "max_completion_tokens"].map((name) => ({
    named: new RegExp(`${name}\\b.*?\\b(\\d+)\\s*>\\s*(\\d+)|${name}\\b.*?(at most|maximum|max)\\D{0,40}\\d+`),
    fits: has(name),
    correct: (said: string) => lowered(name, said),
  })),
  ...REASONING.map((name) => ({
    named: new RegExp(`\\b${name}\\b`),
    fits: (body: Body) => messagesOf(body).some((message) => name in message),
    correct: () => withoutInMessages(name),
  })),
  {
    named: /cache_control/,
    fits: (body) => JSON.stringify(body).includes('"cache_control"'),
    correct: () => deepWithout,
  },
  // Not our fault: the server could not read what its model wrote. Once more, as it is.
  { named: /tool_use_failed|failed to call a function/i, fits: () => true, correct: () => (body) => body },
]

export function openCorrections(): Corrections {
  const learnt: ((body: Body) => Body)[] = []
  return {
    apply: (body) => learnt.reduce((corrected, correct) => correct(corrected), body),
    learn(error, body) {
      if (error.status !== 400 && error.status !== 422) return false
      const said = `${error.message}\n${error.body}`
      const found = CORRECTIONS.find(({ named, fits }) => named.test(said) && fits(body))
      if (!found) return false
      learnt.push(found.correct(said))
      return true
    },
  }
}

function has(name: string): (body: Body) => boolean {
  return (body) => Object.hasOwn(body, name)
}

function without(name: string): (body: Body) => Body {
  return ({ [name]: _, ...rest }) => rest
}

function renamed(from: string, to: string): (body: Body) => Body {
  return (body) => Object.fromEntries(Object.entries(body).map(([key, value]) => [key === from ? to : key, value]))
}

/** "max_tokens: 8192 > 4096, which is the maximum": the lower of the numbers that it names. */
function lowered(name: string, said: string): (body: Body) => Body {
  const numbers = [...said.slice(said.indexOf(name)).slice(0, 300).matchAll(/\d+/g)].map(([digits]) => Number(digits))
  return (body) => {
    const lower = Math.min(...numbers.filter((number) => number > 0), Number(body[name]))
    return { ...body, [name]: lower }
  }
}

function messagesOf(body: Body): Body[] {
  return Array.isArray(body.messages) ? body.messages.filter(isRecord) : []
}

function withoutInMessages(name: string): (body: Body) => Body {
  return (body) => ({ ...body, messages: messagesOf(body).map(without(name)) })
}

function deepWithout(body: Body): Body {
  return JSON.parse(JSON.stringify(body, (key, value) => (key === "cache_control" ? undefined : value)))
}
