import fc from "fast-check"

/** A way to spoil a text; numbers are taken modulo what there is. */
export type Mutation =
  | { of: "bytes"; how: "flip" | "drop" | "insert" | "cut"; at: number; byte: number }
  | { of: "lines"; how: "drop" | "double" | "swap"; at: number; to: number }
  | { of: "members"; how: "set" | "drop" | "rename" | "double"; line: number; at: number; value: unknown }

/** Values that something somewhere does not expect. */
const ODD: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  "",
  "x",
  "toString",
  "\u0000\u202e\ud800",
  "y".repeat(100_000),
  [],
  [null],
  [[]],
  {},
  { id: 1 },
  JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
  "DEEP",
]

const place: fc.Arbitrary<number> = fc.nat({ max: 1_000_000 })

export const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({
      of: fc.constant("bytes" as const),
      how: fc.constantFrom("flip", "drop", "insert", "cut"),
      at: place,
      byte: fc.nat({ max: 255 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      of: fc.constant("lines" as const),
      how: fc.constantFrom("drop", "double", "swap"),
      at: place,
      to: place,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      of: fc.constant("members" as const),
      how: fc.constantFrom("set", "set", "set", "drop", "rename", "double"),
      line: place,
      at: place,
      value: fc.constantFrom(...ODD),
    }),
  },
)

/** A text of JSON, one value a line or one value in all, spoilt. */
export function spoil(text: string, mutations: readonly Mutation[]): Buffer {
  let bytes: Buffer = Buffer.from(text)
  for (const one of mutations) bytes = spoilOnce(bytes, one)
  return bytes
}

function spoilOnce(bytes: Buffer, mutation: Mutation): Buffer {
  switch (mutation.of) {
    case "bytes":
      return spoilBytes(bytes, mutation)
    case "lines":
      return Buffer.from(spoilLines(bytes.toString().split("\n"), mutation).join("\n"))
    case "members":
      return Buffer.from(spoilMember(bytes.toString(), mutation))
  }
}

function spoilBytes(bytes: Buffer, { how, at, byte }: Mutation & { of: "bytes" }): Buffer {
  const place = bytes.length === 0 ? 0 : at % bytes.length
  const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)]
  switch (how) {
    case "flip":
      return Buffer.concat([before, Buffer.from([byte]), after.subarray(1)])
    case "drop":
      return Buffer.concat([before, after.subarray(1 + (byte % 20))])
    case "insert":
      return Buffer.concat([before, Buffer.from([byte]), after])
    case "cut":
      return before
  }
}

function spoilLines(lines: string[], { how, at, to }: Mutation & { of: "lines" }): string[] {
  const [one, other] = [at % lines.length, to % lines.length]
  const spoilt = [...lines]
  if (how === "drop") spoilt.splice(one, 1)
  else if (how === "double") spoilt.splice(other, 0, lines[one] ?? "")
  else [spoilt[one], spoilt[other]] = [lines[other] ?? "", lines[one] ?? ""]
  return spoilt
}

type Holder = Record<string | number, unknown>

function spoilMember(text: string, { how, line, at, value }: Mutation & { of: "members" }): string {
  if (text.includes("[".repeat(20_000))) return text // nested so deeply already that it cannot be written again
  const isLines = parsed(text) === undefined
  const parts = isLines ? text.split("\n") : [text]
  const which = line % Math.max(1, parts.length - (isLines ? 1 : 0))
  const root = parsed(parts[which] ?? "")
  if (root === undefined) return text
  const places = membersOf(root)
  const [holder, key] = places[at % Math.max(1, places.length)] ?? []
  if (!holder || key === undefined) return text
  if (how === "set") holder[key] = value
  else if (how === "drop") remove(holder, key)
  else if (how === "double" && Array.isArray(holder)) holder.push(structuredClone(holder[key as number]))
  else {
    holder[`${key}_`] = holder[key]
    remove(holder, key)
  }
  parts[which] = JSON.stringify(root).replaceAll('"DEEP"', `${"[".repeat(20_000)}${"]".repeat(20_000)}`)
  return parts.join("\n")
}

function remove(holder: Holder, key: string | number): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1)
  else delete holder[key]
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" ? (value ?? undefined) : undefined
  } catch {
    return undefined // no JSON any more
  }
}

const MAX_DEPTH = 50

/** Every member, at every depth that is not absurd: what holds it, and its key. */
function membersOf(root: unknown, depth = 0): [Holder, string | number][] {
  if (typeof root !== "object" || root === null || depth > MAX_DEPTH) return []
  return Object.entries(root).flatMap(([key, value]) => [
    [root as Holder, key] as [Holder, string],
    ...membersOf(value, depth + 1),
  ])
}
