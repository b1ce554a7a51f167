import { errorResult } from "../../tool/result.ts"
import type { Tool, ToolAnnotations, ToolResult } from "../../tool/tool.ts"
import type { ListedTool } from "./listed-tool.ts"
import type { McpServer } from "./mcp-server.ts"
import type { Outcome } from "./open-call.ts"
import type { ServerSettings } from "./read-servers.ts"
import { renderResult } from "./render-result.ts"
import { isNamed } from "./tool-list.ts"

/**
 * A server's tool as one of ours. What the server asks in a call becomes a request: the tool suspends, and the server's call
 * waits in this process. Run again with the answer, the tool hands it over; where no call waits (any more) it makes the call
 * anew, and what was answered before goes to the questions that come again.
 */
export function mcpTool(server: McpServer, listed: ListedTool, name: string): Tool {
  const { settings } = server
  const annotations = annotationsOf(listed, settings)
  const repeats = annotations.readOnly || annotations.idempotent ? "safely" : "at a risk"
  const { waiting } = server
  const render = (outcome: Outcome) => resultOf(outcome, settings, name)
  return {
    name,
    description: listed.description,
    inputSchema: listed.inputSchema,
    source: "mcp",
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
    origin: { server: settings.name, tool: listed.name },
    isWaiting: (key) => waiting.get(key)?.isAsking ?? false,
    async execute(args, ctx = {}) {
      const { answer, answers = [] } = ctx
      const known = waiting.take(ctx.idempotencyKey)
      if (known && answer && known.askedAs(answer.id)) {
        const heard = known.hand(answer)
        const news = await waiting.goOn(known, ctx)
        if (news.is === "question") return news.asked
        const result = render(news.outcome)
        if (heard === "heard") return result
        // It gave up waiting. What it has done stands; what it has not done is done with the answer.
        if (!result.isError) return { ...result, output: `${result.output}\n${tooLate(settings.name)}` }
      } else {
        known?.giveUp("it is made again")
      }
      if (answer && !answer.ok) return declined(settings.name)
      const news = await waiting.goOn(server.call(listed.name, { name, args, recorded: answers, repeats }), ctx)
      return news.is === "question" ? news.asked : render(news.outcome)
    },
  }
}

function annotationsOf({ name, hints }: ListedTool, settings: ServerSettings): ToolAnnotations {
  const { readOnly, idempotent, trustHints } = settings
  return {
    ...(isNamed(name, readOnly) || (trustHints && hints.readOnly) ? { readOnly: true } : {}),
    ...(isNamed(name, idempotent) || (trustHints && hints.idempotent) ? { idempotent: true } : {}),
  }
}

function resultOf(outcome: Outcome, { name: server, hide }: ServerSettings, tool: string): ToolResult {
  switch (outcome.is) {
    case "result": {
      const { output, isError } = renderResult(outcome.result)
      return { output: hide(output), isError }
    }
    case "refused":
      return errorResult(outcome.message)
    case "failed":
      return errorResult(
        `The MCP server ${server} gave no result of ${tool}: ${outcome.fact}. What it did until then is not known.`,
      )
  }
}

function tooLate(server: string): string {
  return `(The person's answer came when ${server} did not wait for it any more.)`
}

function declined(server: string): ToolResult {
  return errorResult(
    `declined/expired: the person declined what ${server} asked.\nThe call was not made again; what ${server} did before it asked is not known. Do not try it again.`,
  )
}
