export type { AgentDefinition, Budget } from "./agent-definition.ts"
export { AgentRuntime, type AgentRuntimeOptions, type Llm } from "./agent-runtime.ts"
export type { Handle } from "./handle.ts"
export type { TaskResult, TaskStatus } from "./task-result.ts"
