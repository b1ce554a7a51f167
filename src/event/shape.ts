import { isRecord, typeName } from "../suspension/request.ts"

/** Says what is wrong with a value from elsewhere, or nothing. */
export type Shape = (value: unknown) => Problem | undefined

/** What is wrong, and where inside the value. The place is put together on the way out: most values are sound. */
export interface Problem {
  /** `message.role`, `tools[2]`, empty for the value itself; absent where the fact says it. */
  at?: string
  fact: string
}

/** On one line. */
export function problemText({ at, fact }: Problem): string {
  return at === undefined || at === "" ? fact : `${at} ${fact}`
}

function wrong(fact: string): Problem {
  return { at: "", fact }
}

function must(be: string, value: unknown): Problem {
  return wrong(`must be ${be}, got ${typeName(value)}`)
}

/** The problem of a member, as the whole has it. */
function inside(key: string, { at, fact }: Problem): Problem {
  if (at === undefined) return { fact }
  return { at: at === "" || at.startsWith("[") ? key + at : `${key}.${at}`, fact }
}

export const text: Shape = (value) => (typeof value === "string" ? undefined : must("a string", value))

export const flag: Shape = (value) => (typeof value === "boolean" ? undefined : must("true or false", value))

/** A whole number, 0 or more, that JavaScript holds exactly. */
export const count: Shape = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : wrong("must be a whole number, 0 or more")

/** A number, 0 or more. */
export const amount: Shape = (value) =>
  typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY
    ? undefined
    : wrong("must be a number, 0 or more")

export const object: Shape = (value) => (isRecord(value) ? undefined : must("an object", value))

export function oneOf(...words: unknown[]): Shape {
  return (value) => (words.includes(value) ? undefined : wrong(`must be one of ${words.join(", ")}`))
}

export function optional(shape: Shape): Shape {
  return (value) => (value === undefined ? undefined : shape(value))
}

export function list(shape: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) return must("a list", value)
    for (let at = 0; at < value.length; at++) {
      const problem = shape(value[at])
      if (problem) return inside(`[${at}]`, problem)
    }
    return undefined
  }
}

/** An object of members that all have one shape. */
export function record(shape: Shape): Shape {
  return (value) => {
    if (!isRecord(value)) return must("an object", value)
    for (const key of Object.keys(value)) {
      const problem = shape(value[key])
      if (problem) return inside(key, problem)
    }
    return undefined
  }
}

/** An object with these members; others are not looked at. */
export function fields(shapes: Record<string, Shape>): Shape {
  const members = Object.entries(shapes).map(([key, shape]) => ({ key, shape }))
  return (value) => {
    if (!isRecord(value)) return must("an object", value)
    let problem: Problem | undefined
    const wrong = members.find(({ key, shape }) => {
      problem = shape(value[key])
      return problem
    })
    return wrong && problem && inside(wrong.key, problem)
  }
}

/** What a parser takes: its error says what is wrong. */
export function parsedBy(parse: (value: unknown) => unknown): Shape {
  return (value) => {
    try {
      parse(value)
      return undefined
    } catch (error) {
      return { fact: (error as Error).message } // it names the member
    }
  }
}
