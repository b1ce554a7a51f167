import { isRecord, typeName } from "../../suspension/request.ts"
import { messageOf, ToolnexusError } from "../../tool/error.ts"
import type { JSONSchema, Tool, ToolAnnotations, ToolContext, ToolResult } from "../../tool/tool.ts"
import { toolOf } from "../define-tool.ts"
import { Refusal, refusable } from "../refusal.ts"
import { requireHeaders } from "./header-template.ts"
import { argumentsOf } from "./placeholder.ts"
import { parseUrlTemplate, pathArguments, queryArguments, type UrlTemplate } from "./url-template.ts"

/** How an {@link httpTool} asks. */
export type HttpMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE"

/** What {@link httpTool} takes. `{name}` stands for an argument of the call. */
export interface HttpToolDefinition {
  /** `[a-zA-Z0-9_-]`, at most 64; a toolkit replaces other characters by `_`. */
  name: string
  /** What the model reads. */
  description: string
  /** Without one each placeholder is a text that every call must have. */
  inputSchema?: JSONSchema
  /** Default: `readOnly` for GET and HEAD. What is not `readOnly` is asked about unless a rule allows it. */
  annotations?: ToolAnnotations
  /** Default: GET. */
  method?: HttpMethod
  /** The whole address. Placeholders may stand in the path and in values of the query: percent-encoded, they stay where they are. */
  url: string
  /** More of the query. A pair whose argument the call has not is left out. */
  query?: Readonly<Record<string, string>>
  /** `${NAME}` is the variable of that name (`${NAME:-default}` where it may be missing), read at each call and never shown. */
  headers?: Readonly<Record<string, string>>
  /** JSON that is sent. A text that is only a placeholder becomes the argument with its type, or is left out with it. */
  body?: unknown
  /** Of one call. Default: 30000. */
  timeoutMs?: number
  /** Where variables are read. Default: `process.env`. */
  env?: Readonly<Record<string, string | undefined>>
}

/**
 * A tool that makes one HTTP request and gives what is answered: text and JSON as they are, of anything else type and size. Any status
 * but 2xx is an error result. Redirects are followed for GET and HEAD, on the same host. Proxies of the environment are not used.
 *
 * @param definition name, description, and the request with placeholders
 * @throws ToolnexusError `usage`, naming what is wrong
 * @example
 * httpTool({
 *   name: "open_issue",
 *   description: "Opens an issue in a repository",
 *   method: "POST",
 *   url: "https://api.example.test/repos/{repo}/issues",
 *   headers: { authorization: "Bearer ${TRACKER_TOKEN}" },
 *   body: { title: "{title}", labels: ["from-agent"] },
 * })
 */
export function httpTool(definition: HttpToolDefinition): Tool {
  const request = checked(definition)
  const { name, description } = definition
  const isReading = request.method === "GET" || request.method === "HEAD"
  const annotations = definition.annotations ?? (isReading ? { readOnly: true } : undefined)
  return toolOf<Record<string, unknown>>("http", {
    name,
    description,
    inputSchema: definition.inputSchema ?? schemaFor(argumentsIn(request)),
    ...(annotations ? { annotations } : {}),
    run: (args, ctx) => refusable(() => call(request, args, ctx)),
  })
}

/** A definition that can be used. */
export interface HttpRequest {
  method: HttpMethod
  url: UrlTemplate
  headers: Readonly<Record<string, string>>
  body: unknown
  timeoutMs: number
  env: Readonly<Record<string, string | undefined>> | undefined
}

async function call(request: HttpRequest, args: Record<string, unknown>, ctx: ToolContext): Promise<ToolResult> {
  // What reaches the network is loaded by the first call: no run waits for it.
  const { sendRequest } = await import("./send-request.ts")
  return sendRequest(request, args, ctx)
}

const METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
const MEMBERS = new Set(
  "name description inputSchema annotations method url query headers body timeoutMs env".split(" "),
)

function checked(definition: HttpToolDefinition): HttpRequest {
  const named = isRecord(definition) && typeof definition.name === "string" ? ` "${definition.name}"` : ""
  try {
    requireForm(definition)
    const { method = "GET", url, query, headers = {}, body, timeoutMs = 30_000, env } = definition
    requireHeaders(headers)
    const request = { method, url: parseUrlTemplate(url, query), headers, body, timeoutMs, env }
    requireArguments(request, definition.inputSchema)
    return request
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new ToolnexusError("usage", `the HTTP tool${named} cannot be defined like this: ${messageOf(error)}`)
  }
}

function requireForm(definition: unknown): void {
  if (!isRecord(definition)) throw new Refusal(`it must be an object, got ${typeName(definition)}`)
  const unknown = Object.keys(definition).find((member) => !MEMBERS.has(member))
  if (unknown !== undefined) throw new Refusal(`it has no member ${unknown}: there are ${[...MEMBERS].join(", ")}`)
  const { method = "GET", url, query = {}, headers = {}, body, inputSchema, timeoutMs = 1 } = definition
  if (!METHODS.includes(method as string)) {
    throw new Refusal(`its method must be one of ${METHODS.join(", ")}, got ${JSON.stringify(method)}`)
  }
  if (typeof url !== "string") throw new Refusal(`its url must be a text, got ${typeName(url)}`)
  for (const [member, value] of Object.entries({ query, headers })) {
    if (isRecord(value) && Object.values(value).every((it) => typeof it === "string")) continue
    throw new Refusal(`its ${member} must be an object of texts`)
  }
  if (body !== undefined && (method === "GET" || method === "HEAD")) {
    throw new Refusal(`it has a body, and ${method} sends none: leave it out, or name another method`)
  }
  if (inputSchema !== undefined && !isRecord(inputSchema)) {
    throw new Refusal(`its inputSchema must be an object, got ${typeName(inputSchema)}`)
  }
  if (typeof timeoutMs !== "number" || !(timeoutMs > 0)) throw new Refusal("its timeoutMs must be a number above 0")
}

function argumentsIn({ url, body }: HttpRequest): string[] {
  return [...new Set([...pathArguments(url), ...queryArguments(url), ...argumentsOf(body)])]
}

/** What is declared has a place in the request, and what has a place is declared. */
function requireArguments(request: HttpRequest, schema: JSONSchema | undefined): void {
  if (!schema) return
  const declared = isRecord(schema.properties) ? Object.keys(schema.properties) : []
  const used = argumentsIn(request)
  const missing = used.find((name) => !declared.includes(name))
  if (missing !== undefined) throw new Refusal(`{${missing}} is no property of its inputSchema: declare it there`)
  const unused = declared.find((name) => !used.includes(name))
  if (unused !== undefined) {
    throw new Refusal(`nothing is done with ${unused}: write {${unused}} into url, query or body, or do not declare it`)
  }
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
  const optional = pathArguments(request.url).find((name) => !required.includes(name))
  if (optional !== undefined) throw new Refusal(`{${optional}} is a part of its address: name it in required`)
}

function schemaFor(names: readonly string[]): JSONSchema {
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]))
  return { type: "object", properties, required: names, additionalProperties: false }
}
