/**
 * The caller's own members of a body, without what is ours to say. Tools among them (those that the server runs) stand
 * behind ours; without any tool nothing is said about their choice.
 *
 * @param rendered our tools
 */
export function ownMembers(
  requestParams: Record<string, unknown> | undefined,
  rendered: readonly object[],
): { params: Record<string, unknown>; tools: object[] } {
  const { messages: _, stream: __, tools: more, ...params } = requestParams ?? {}
  const tools = [...rendered, ...(Array.isArray(more) ? more : [])]
  if (tools.length > 0) return { params, tools }
  const { tool_choice: ___, parallel_tool_calls: ____, ...others } = params
  return { params: others, tools }
}
