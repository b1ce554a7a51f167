import { isRecord, typeName } from "../suspension/request.ts"

/** Says what is wrong with a value from elsewhere, or nothing. `name` is the member's, for the message. */
export type Shape = (value: unknown, name: string) => string | undefined

function must(name: string, be: string, value: unknown): string {
  return `${name} must be ${be}, got ${typeName(value)}`
}

export const text: Shape = (value, name) => (typeof value === "string" ? undefined : must(name, "a string", value))

export const flag: Shape = (value, name) =>
  typeof value === "boolean" ? undefined : must(name, "true or false", value)

/** A whole number, 0 or more, that JavaScript holds exactly. */
export const count: Shape = (value, name) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : `${name} must be a whole number, 0 or more`

/** A number, 0 or more. */
export const amount: Shape = (value, name) =>
  typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY
    ? undefined
    : `${name} must be a number, 0 or more`

export const object: Shape = (value, name) => (isRecord(value) ? undefined : must(name, "an object", value))

export function oneOf(...words: unknown[]): Shape {
  return (value, name) => (words.includes(value) ? undefined : `${name} must be one of ${words.join(", ")}`)
}

export function optional(shape: Shape): Shape {
  return (value, name) => (value === undefined ? undefined : shape(value, name))
}

export function list(shape: Shape): Shape {
  return (value, name) => {
    if (!Array.isArray(value)) return must(name, "a list", value)
    for (let at = 0; at < value.length; at++) {
      const problem = shape(value[at], `${name}[${at}]`)
      if (problem !== undefined) return problem
    }
    return undefined
  }
}

/** An object of members that all have one shape. */
export function record(shape: Shape): Shape {
  return (value, name) => {
    if (!isRecord(value)) return must(name, "an object", value)
    for (const key of Object.keys(value)) {
      const problem = shape(value[key], `${name}.${key}`)
      if (problem !== undefined) return problem
    }
    return undefined
  }
}

/** An object with these members; others are not looked at. */
export function fields(shapes: Record<string, Shape>): Shape {
  const entries = Object.entries(shapes)
  return (value, name) => {
    if (!isRecord(value)) return must(name, "an object", value)
    for (const [key, shape] of entries) {
      const problem = shape(value[key], name === "" ? key : `${name}.${key}`)
      if (problem !== undefined) return problem
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
      return (error as Error).message // it names the member
    }
  }
}
