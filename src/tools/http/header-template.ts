import { validateHeaderName, validateHeaderValue } from "node:http"
import { messageOf } from "../../tool/error.ts"
import { mentionsSecret } from "../../tool/secret-name.ts"
import { expandEnv, notSetFact } from "../expand-env.ts"
import type { Secret } from "../hide-values.ts"
import { Refusal } from "../refusal.ts"

/** Headers as they are sent, and what of them must never be shown. */
export interface FilledHeaders {
  headers: Record<string, string>
  secrets: Secret[]
}

/** These are the connection's. */
const RESERVED =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|expect|te|trailer|keep-alive|accept-encoding)$/i

/** @throws Refusal what is wrong with them: the fact and the next step */
export function requireHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    const rest = expandEnv(value, {}).text
    try {
      validateHeaderName(name)
      validateHeaderValue(name, rest)
    } catch (error) {
      throw new Refusal(`its header ${JSON.stringify(name)} cannot be sent: ${messageOf(error)}`)
    }
    if (RESERVED.test(name)) throw new Refusal(`its header ${name} is not for a tool to say: leave it out`)
    if (rest.includes("${")) throw new Refusal(`its header ${name} holds "\${" and no variable: write \${NAME}`)
    if (/\{[A-Za-z_][\w-]*\}/.test(rest)) {
      throw new Refusal(`its header ${name} holds a placeholder: headers take variables only, \${NAME}`)
    }
  }
}

/**
 * The headers with the variables in them, read now.
 *
 * @throws Refusal naming a variable that is missing, never what one holds
 */
export function fillHeaders(
  headers: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): FilledHeaders {
  const read = Object.entries(headers).map(([header, template]) => ({ header, template, ...expandEnv(template, env) }))
  const missing = read.flatMap((it) => it.missing.map((name) => ({ name, where: `the header ${it.header}` })))
  if (missing.length > 0) {
    throw new Refusal(
      `The request cannot be made: ${notSetFact(missing)}. What is missing has to be set before toolnexus starts`,
    )
  }
  const secrets: Secret[] = []
  for (const { header, template, used } of read) {
    for (const { name, value } of used) {
      requireValue(name, value, header)
      secrets.push(...spellings(name, value))
    }
    // A program may have put the key itself there.
    const isKey = used.length === 0 && mentionsSecret(header)
    if (isKey) secrets.push(...spellings(header, template.trim().split(/\s+/).at(-1) ?? ""))
  }
  return { headers: Object.fromEntries(read.map(({ header, text }) => [header, text])), secrets }
}

/** However a server writes it back. */
function spellings(name: string, value: string): Secret[] {
  const written = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]
  return [...new Set(written)].map((value) => ({ name, value }))
}

function requireValue(variable: string, value: string, header: string): void {
  try {
    validateHeaderValue(header, value)
  } catch {
    throw new Refusal(`The variable ${variable} holds what the header ${header} cannot: a line end, for instance`)
  }
}
