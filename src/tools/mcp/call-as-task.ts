import type { Client } from "@modelcontextprotocol/sdk/client/index.js"

export interface TaskCall {
  limits: { timeout: number; signal: AbortSignal }
  /** Told of the task that the server made of the call. */
  onTask(taskId: string): void
  /** Told when the server says something new of it. */
  onProgress(): void
}

type Params = { name: string; arguments: Record<string, unknown>; _meta: { progressToken: string } }

/**
 * Makes a call that the server carries out as a task: it is asked how the task is until the result is there. What the task
 * needs a person for ("input required") comes as an elicitation that names the task.
 */
export async function callAsTask(client: Client, params: Params, call: TaskCall): Promise<Record<string, unknown>> {
  const { ResultSchema } = await import("@modelcontextprotocol/sdk/types.js")
  const { tasks } = client.experimental
  const { signal } = call.limits
  let taskId: string | undefined
  let latest = ""
  try {
    for await (const message of tasks.callToolStream(params, ResultSchema as never, { ...call.limits, task: {} })) {
      switch (message.type) {
        case "taskCreated":
          taskId = message.task.taskId
          call.onTask(taskId)
          break
        case "taskStatus": {
          const status = `${message.task.status} ${message.task.statusMessage}`
          if (status !== latest) call.onProgress()
          latest = status
          break
        }
        case "result":
          return message.result
        case "error":
          throw message.error
      }
    }
  } catch (error) {
    if (signal.aborted && taskId !== undefined) await tasks.cancelTask(taskId).catch(() => undefined) // as far as it can be
    throw error
  }
  throw new Error("it gave no result of the task")
}
