export type { Clock } from "./event/clock.ts"
export type { RunEvent } from "./event/event.ts"
export {
  type Answer,
  answerDeclined,
  answerOutput,
  answerResults,
  hasRecognisedKey,
  OUTPUT_KEY,
  outputOf,
  parseAnswer,
  RECOGNISED_KEYS,
  RESULTS_KEY,
} from "./suspension/answer.ts"
export { parseRequest, type Request } from "./suspension/request.ts"
export type { WaitFor } from "./suspension/wait-for.ts"
export { type ErrorCode, isToolnexusError, ToolnexusError } from "./tool/error.ts"
export { authRequired, pending, pendingOf } from "./tool/result.ts"
export type { JSONSchema, Tool, ToolContext, ToolResult, ToolSource } from "./tool/tool.ts"
