import * as agents from "./agents/index.ts"

export { ProviderError } from "./endpoint/errors/provider-error.ts"
export type { Generate, Generated } from "./endpoint/local/generate.ts"
export { proxyFor } from "./endpoint/transport/proxy.ts"
export type { Clock } from "./event/clock.ts"
export type { AgentPath, AgentSetup, Limits, Message, RunEvent, StyleName, Usage } from "./event/event.ts"
export { unlockRun } from "./journal/lock.ts"
export { createGate, type GateOptions } from "./permission/create-gate.ts"
export {
  type CallExplanation,
  type ExplainOptions,
  explainCall,
  outlookOf,
  type ToolOutlook,
} from "./permission/explain-call.ts"
export type { Decision, Gate, GatedCall } from "./permission/gate.ts"
export { proposeRule } from "./permission/propose-rule.ts"
export { parseRule, type Rule } from "./permission/rules.ts"
export { type RuleTrial, tryRule } from "./permission/try-rule.ts"
export { recordAnswers } from "./run/answers/record-answers.ts"
export { createClient, createDemoClient, createInProcessClient } from "./run/client.ts"
export { markIn } from "./run/masks/marks.ts"
export { type Mask, maskText } from "./run/masks/masks.ts"
export { memoryJournal } from "./run/memory.ts"
export type {
  AuthScheme,
  Client,
  ClientOptions,
  Halted,
  HookDecision,
  HookedCall,
  Hooks,
  InProcessClientOptions,
  LoopOptions,
  MetricEvent,
  ProxyOptions,
  ResumeOptions,
  RetryEvent,
  RunJournal as Journal,
  RunJournal,
  RunOptions,
  Store,
  StreamEvent,
  ToolSet,
} from "./run/options.ts"
export { openRun, type RunFile, readRun } from "./run/run-file.ts"
export type { RunRecord, RunResult, RunStatus, ToolCallRecord } from "./run/views/run-result.ts"
export { type RunSummary, readRunSummary } from "./run/views/run-summary.ts"
export { type RunVerdict, verifyRun } from "./run/views/verify-run.ts"
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
  type RelayResult,
} from "./suspension/answer.ts"
export {
  type AskedBy,
  parseRequest,
  type Question,
  type RelayedCall,
  type Request,
  type StampedCall,
} from "./suspension/request.ts"
export type { WaitFor, WaitForOptions } from "./suspension/wait-for.ts"
export { type ErrorCode, isToolnexusError, ToolnexusError } from "./tool/error.ts"
export { nearestName } from "./tool/nearest-name.ts"
export { PROVIDERS, type Provider, providerAt } from "./tool/providers.ts"
export { authRequired, pending, pendingOf, type RequestDraft } from "./tool/result.ts"
export { mentionsSecret, namesSecret } from "./tool/secret-name.ts"
export { systemFact } from "./tool/system-fact.ts"
export type {
  JSONSchema,
  Preview,
  Tool,
  ToolAnnotations,
  ToolContext,
  ToolResult,
  ToolSource,
  ToolSpec,
} from "./tool/tool.ts"
export { matchesWildcard } from "./tool/wildcard.ts"
export { createToolkit } from "./tools/create-toolkit.ts"
export { defineTool, type ToolDefinition } from "./tools/define-tool.ts"
export { type Expanded, expandEnv } from "./tools/expand-env.ts"
export { type HttpMethod, type HttpToolDefinition, httpTool } from "./tools/http/http-tool.ts"
export { relayTool } from "./tools/relay-tool.ts"
export type {
  CommandOutput,
  McpConfig,
  McpHttpServer,
  McpServerConfig,
  McpServerOptions,
  McpStatus,
  McpStdioServer,
  Toolkit,
  ToolkitOptions,
} from "./tools/toolkit.ts"
export { agents }
