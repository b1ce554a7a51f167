import type { Request } from "../../index.ts"
import { isRecord } from "../is-record.ts"

/** Arguments as a person edits them. */
export function argumentsText(input: unknown): string {
  return JSON.stringify(input ?? {}, undefined, 2)
}

/** Why a text is no arguments, in words for the person. */
export function problemOfArguments(text: string): string | undefined {
  try {
    if (!isRecord(JSON.parse(text))) return "The arguments must be a JSON object."
  } catch (error) {
    return `It is not JSON: ${(error as Error).message}`
  }
  const unsafe = wholeNumbersOf(text).find((number) => !Number.isSafeInteger(Number(number)))
  return unsafe === undefined ? undefined : `${unsafe} is too large for a whole number; make it a string.`
}

/** Arguments that were looked at and left as they are were not edited. */
export function areSame(input: unknown, other: unknown): boolean {
  return JSON.stringify(input) === JSON.stringify(other)
}

/** The request as it would be for other arguments. What it said about the first ones does not hold for them. */
export function withArguments(request: Request, input: Record<string, unknown>): Request {
  const { diff: _diff, basis: _basis, problem: _problem, ...data } = request.data ?? {}
  const call = isRecord(data.call) ? { ...data.call, input } : data.call
  return { ...request, data: { ...data, call } }
}

function wholeNumbersOf(json: string): string[] {
  return (
    json
      .replace(/"(?:[^"\\]|\\.)*"/g, '""')
      .match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)
      ?.filter(isWhole) ?? []
  )
}

function isWhole(number: string): boolean {
  return /^-?\d+$/.test(number)
}
