import { type Answer, outputOf, type Request } from "../../index.ts"
import { questionsOf } from "../terminal/request-data.ts"
import { shortened } from "../words/shortened.ts"

/**
 * A question that offers choices takes any text. At the terminal that is a choice of its own; in an option it may as well be a slip, so
 * it is said: one line for each text that is none of the choices.
 */
export function ownWordLines(requests: readonly Request[], answers: readonly Answer[]): string[] {
  return answers.flatMap((answer) => {
    const request = requests.find(({ id, kind }) => id === answer.id && kind === "question")
    const output = outputOf(answer)
    if (!request || output === undefined) return []
    const questions = questionsOf(request)
    const replies = questions.length === 1 && questions[0]?.take === "one" ? [output] : listIn(output)
    return questions.flatMap(({ options }, at) => {
      const labels = options.map(({ label }) => label)
      const given = questions.length === 1 ? replies : [replies[at]].flat()
      const own = labels.length === 0 ? [] : given.filter((text) => typeof text === "string" && !labels.includes(text))
      return own.map(
        (text) =>
          `${JSON.stringify(shortened(String(text)))} is none of the choices (${shortened(labels.join(", "), 160)}): it counts as your own words`,
      )
    })
  })
}

/** What is no list is refused by whoever takes the answer. */
function listIn(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value : []
  } catch {
    return [] // no JSON at all
  }
}
