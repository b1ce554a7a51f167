import { errorResult } from "../tool/result.ts"
import type { ToolResult } from "../tool/tool.ts"

/**
 * What the model is told: thrown inside a tool, made a result at its border.
 *
 * @example throw new Refusal(`${path} is a folder: list it with glob`)
 */
export class Refusal extends Error {
  constructor(message: string) {
    super(message)
    this.name = "Refusal"
  }
}

/**
 * A tool's border: a refusal is a result, said as a sentence; any other failure is not this one's to say.
 *
 * @example run: (args) => refusable(() => find(args))
 */
export async function refusable<T>(work: () => Promise<T>): Promise<T | ToolResult> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal) return errorResult(`${error.message}.`)
    throw error
  }
}
