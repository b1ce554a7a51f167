import { validateHeaderName, validateHeaderValue } from "node:http"
import { messageOf } from "../../tool/error.ts"
import { looksSecret, type Secret } from "../hide-values.ts"
import { Refusal } from "../refusal.ts"

/** Headers as they are sent, and what of them must never be shown. */
export interface FilledHeaders {
  headers: Record<string, string>
  secrets: Secret[]
}

const VARIABLE = /\$\{([A-Za-z_]\w*)\}/
/** These are the connection's. */
const RESERVED =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|expect|te|trailer|keep-alive|accept-encoding)$/i

/** @throws Refusal what is wrong with them: the fact and the next step */
export function requireHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value.replaceAll(new RegExp(VARIABLE, "g"), "x"))
    } catch (error) {
      throw new Refusal(`its header ${JSON.stringify(name)} cannot be sent: ${messageOf(error)}`)
    }
    if (RESERVED.test(name)) throw new Refusal(`its header ${name} is not for a tool to say: leave it out`)
    const rest = value.replaceAll(new RegExp(VARIABLE, "g"), "")
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
  const secrets: Secret[] = []
  const filled = Object.entries(headers).map(([header, template]) => {
    const pieces = template.split(VARIABLE).map((piece, at) => {
      if (at % 2 === 0) return piece
      const value = variable(piece, header, env)
      secrets.push(...spellings(piece, value))
      return value
    })
    // A program may have put the key itself there.
    const isKey = pieces.length === 1 && looksSecret(header)
    if (isKey) secrets.push(...spellings(header, template.trim().split(/\s+/).at(-1) ?? ""))
    return [header, pieces.join("")] as const
  })
  return { headers: Object.fromEntries(filled), secrets }
}

/** However a server writes it back. */
function spellings(name: string, value: string): Secret[] {
  const written = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)]
  return [...new Set(written)].map((value) => ({ name, value }))
}

function variable(variable: string, header: string, env: Readonly<Record<string, string | undefined>>): string {
  const value = Object.hasOwn(env, variable) ? env[variable] : undefined
  if (value === undefined || value === "") {
    throw new Refusal(
      `The variable ${variable}, which the header ${header} needs, is not set: it has to be set before toolnexus starts`,
    )
  }
  try {
    validateHeaderValue(header, value)
  } catch {
    throw new Refusal(`The variable ${variable} holds what the header ${header} cannot: a line end, for instance`)
  }
  return value
}
