import { namesSecret, nearestName, ToolnexusError } from "../../index.ts"
import { isRecord } from "../is-record.ts"
import { jsonProblem } from "../words/json-problem.ts"
import { CONFIGURATION, type Shape } from "./setting-shapes.ts"

/** A setting by its name: where it stands in a file, and what can stand there. */
export interface Setting {
  path: readonly string[]
  shape: Shape
}

/**
 * The places that a dotted name leads through: `limits.maxTurns`. A name with dots in it is quoted: `profiles."gpt-4.1".model`.
 *
 * @throws ToolnexusError `usage` for what is no such name
 */
export function pathOf(name: string): string[] {
  const parts = /^(?:"[^"]+"|[^".]+)(?:\.(?:"[^"]+"|[^".]+))*$/.test(name) ? name.match(/"[^"]+"|[^".]+/g) : null
  if (parts) return parts.map((part) => (part.startsWith('"') ? part.slice(1, -1) : part))
  throw new ToolnexusError(
    "usage",
    `${JSON.stringify(name)} is no setting's name: write it as limits.maxTurns, a name with dots in quotes`,
  )
}

/** A name that leads there. */
export function nameOf(path: readonly string[]): string {
  return path.map((part) => (/[."]/.test(part) ? `"${part}"` : part)).join(".")
}

/**
 * The setting of a name.
 *
 * @throws ToolnexusError `usage` where there is none, saying which may be meant; for a key's place, where it is
 */
export function settingNamed(name: string): Setting {
  const path = pathOf(name)
  let shape: Shape = CONFIGURATION
  for (const [at, part] of path.entries()) {
    if (shape.is === "value") throw noSetting(path, nameOf(path.slice(0, at)))
    if (shape.is === "named") shape = shape.each
    else {
      const next: Shape | undefined = Object.hasOwn(shape.of, part) ? shape.of[part] : undefined
      if (!next) throw unknownPart(path, at, Object.keys(shape.of))
      shape = next
    }
  }
  return { path, shape }
}

function unknownPart(path: readonly string[], at: number, known: readonly string[]): ToolnexusError {
  const part = path[at] as string
  if (namesSecret(part)) return noKeys(nameOf(path))
  const near = nearestName(part, known)
  const within = path.slice(0, at)
  const meant = near === undefined ? (at === 0 ? elsewhere(part) : undefined) : nameOf([...within, near])
  return noSetting(path, meant, nameOf(within) === "" ? known : known.map((it) => nameOf([...within, it])))
}

/** `maxTurns` for `limits.maxTurns`. */
function elsewhere(part: string): string | undefined {
  const within = Object.entries(CONFIGURATION.of).flatMap(([group, shape]) =>
    shape.is === "members" ? Object.keys(shape.of).map((member) => ({ group, member })) : [],
  )
  const near = nearestName(
    part,
    within.map(({ member }) => member),
  )
  const found = within.find(({ member }) => member === near)
  return found && nameOf([found.group, found.member])
}

function noSetting(path: readonly string[], meant: string | undefined, known: readonly string[] = []): ToolnexusError {
  const hint = meant === undefined ? `there are ${known.join(", ")}` : `did you mean ${meant}?`
  return new ToolnexusError("usage", `there is no setting ${nameOf(path)}: ${hint}`)
}

/** Says nothing of the value. */
function noKeys(name: string): ToolnexusError {
  return new ToolnexusError(
    "usage",
    `${name} is not stored: keys are in no file; name the variable that holds it: toolnexus config set profiles.NAME.apiKeyEnv VARIABLE`,
  )
}

/**
 * The value of a setting as it is typed.
 *
 * @throws ToolnexusError `usage` where it is none; what was typed is not repeated, it may be a key
 */
export function valueFrom({ path, shape }: Setting, text: string): unknown {
  if (shape.is === "value" && shape.form === "text") return text
  if (shape.is === "value" && shape.form === "text or JSON" && !/^\s*[[{"]/.test(text)) return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const isSimple = shape.is === "value" && (shape.form === "a number" || shape.form === "true or false")
    const where = isSimple ? "" : ` (this is no JSON: ${jsonProblem(text)})`
    throw new ToolnexusError("usage", `${nameOf(path)} must be ${wanted(shape)}${where}`)
  }
  requireKnown({ path, shape }, value)
  return value
}

function wanted(shape: Shape): string {
  if (shape.is !== "value") return `an object, as JSON: write '{"NAME": ...}'`
  switch (shape.form) {
    case "a list of texts":
      return `a list of texts, as JSON: write '["...", "..."]'`
    case "text or JSON":
      return "a text, or an object as JSON"
    default:
      return shape.form
  }
}

/** Members that nobody knows, at any depth. */
function requireKnown({ path, shape }: Setting, value: unknown): void {
  if (shape.is === "value") return
  if (!isRecord(value)) throw new ToolnexusError("usage", `${nameOf(path)} must be ${wanted(shape)}`)
  for (const [name, it] of Object.entries(value)) {
    const next = shape.is === "named" ? shape.each : Object.hasOwn(shape.of, name) ? shape.of[name] : undefined
    if (!next) throw unknownPart([...path, name], path.length, Object.keys("of" in shape ? shape.of : {}))
    requireKnown({ path: [...path, name], shape: next }, it)
  }
}
