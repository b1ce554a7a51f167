import { isRecord, typeName } from "../suspension/request.ts"

/** Says what is wrong with a value from elsewhere, or nothing. */
export interface Shape {
  (value: unknown): Problem | undefined
  /** What `typeof` says of every sound value, and of no other: there may be 100,000 of them. */
  readonly plain?: "string" | "boolean"
  /** It may lack; what it is when it is there. */
  readonly of?: Shape
}

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

export const text: Shape = plain("string", "a string")

export const flag: Shape = plain("boolean", "true or false")

function plain(type: "string" | "boolean", be: string): Shape {
  const shape = (value: unknown) => (typeof value === type ? undefined : must(be, value))
  return Object.assign(shape, { plain: type })
}

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
  const mayLack = (value: unknown) => (value === undefined ? undefined : shape(value))
  return Object.assign(mayLack, { of: shape })
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
  const members = Object.entries(shapes).map(([key, shape]) => {
    const inner = shape.of ?? shape
    return { key, shape: inner, mayLack: shape !== inner, plain: inner.plain }
  })
  return (value) => {
    if (!isRecord(value)) return must("an object", value)
    for (let at = 0; at < members.length; at++) {
      const { key, shape, mayLack, plain } = members[at] as (typeof members)[number]
      const member = value[key]
      if (member === undefined ? mayLack : typeof member === plain) continue
      const problem = shape(member)
      if (problem) return inside(key, problem)
    }
    return undefined
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
