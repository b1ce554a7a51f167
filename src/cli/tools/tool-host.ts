// The process that tools modules run in: a session of its own, without a terminal, whose output goes to the command line. It
// loads what it is told to and carries out calls, until the command line lets go of it or is gone.

import { AsyncLocalStorage } from "node:async_hooks"
import { Worker } from "node:worker_threads"
import type { Tool } from "../../index.ts"
import { errorText, messageText } from "../output/error-text.ts"
import { loadOnlySealed } from "../projects/sealed-modules.ts"
import {
  type FromToolHost,
  type HostedContext,
  type HostedTool,
  LIFELINE_FD,
  type ToToolHost,
} from "./tool-messages.ts"
import { loadToolModule } from "./tool-module.ts"

type Call = Extract<ToToolHost, { type: "call" }>

/** How long what tools left open may go on when nobody listens any more. */
const LEFT_OPEN_MS = 1000

const tell = process.send?.bind(process)
// The channel is ours: what a tool sends to a parent that it supposes is for another one.
Reflect.deleteProperty(process, "send")

writeAtOnce(process.stdout)
writeAtOnce(process.stderr)

const library = import("../../index.ts")
const tools = new Map<string, Tool>()
const running = new Map<number, AbortController>()
/** The tool that is at work, also behind what it left open. */
const atWork = new AsyncLocalStorage<string>()
let isEnding = false
let isLeft = false

process.on("message", (message) => hear(message as ToToolHost))

process.on("uncaughtException", (error) => {
  if (process.listenerCount("uncaughtException") > 1) return // a tool's own
  const tool = atWork.getStore()
  sayLast(`uncaught error${tool === undefined ? "" : ` in ${tool}`}: ${errorText(error)}`)
  process.exit(1)
})
process.once("exit", (code) => {
  const tool = atWork.getStore()
  if (tool !== undefined) sayLast(`${tool} called process.exit(${code})`)
})
process.once("disconnect", () => {
  if (isLeft) return
  killGroup() // a call that went on would be run again beside itself by whoever resumes the run
  process.exit()
})

function hear(message: ToToolHost): void {
  switch (message.type) {
    case "load":
      load(message).catch((error: unknown) => {
        say({ type: "unusable", message: errorText(error), stack: stackOf(error) })
      })
      return
    case "call":
      atWork.run(message.tool, carryOut, message)
      return
    case "abort":
      running.get(message.call)?.abort(new DOMException(message.why, "AbortError"))
      return
    case "leave":
      leave()
  }
}

function leave(): void {
  isLeft = true
  for (const call of running.values()) call.abort()
  process.once("exit", killGroup)
  setTimeout(() => process.exit(), LEFT_OPEN_MS).unref()
}

async function load({ cwd, modules, seals }: Extract<ToToolHost, { type: "load" }>): Promise<void> {
  process.chdir(cwd)
  await library
  watchCommandLine() // from here on code runs that may never come back
  if (Object.keys(seals).length > 0) await loadOnlySealed(seals)
  for (const path of modules) {
    const found = await loadToolModule(path, seals[path])
    for (const tool of found) tools.set(tool.name, tool)
    say({ type: "loaded", tools: found.map(hosted) })
  }
}

function hosted({ name, description, inputSchema, source, annotations, origin, preview }: Tool): HostedTool {
  const optional = { ...(annotations ? { annotations } : {}), ...(origin ? { origin } : {}) }
  return { name, description, inputSchema, source, ...optional, previews: typeof preview === "function" }
}

async function carryOut({ call, does, tool: name, args, ctx }: Call): Promise<void> {
  const tool = tools.get(name)
  if (!tool) return say({ type: "failed", call, message: `the tools modules have no tool ${name} any more` })
  const controller = new AbortController()
  running.set(call, controller)
  const told = { ...ctx, signal: controller.signal }
  try {
    const value = does === "execute" ? await execute(tool, args, told) : await tool.preview?.(args, told)
    say({ type: "settled", call, value })
  } catch (error) {
    say({ type: "failed", call, message: messageText(error) })
  } finally {
    running.delete(call)
  }
}

/** What `defineTool` makes of what a tool does, also for one that was made by hand: a result, and plain data. */
async function execute(tool: Tool, args: Call["args"], ctx: HostedContext): Promise<unknown> {
  const { defineTool } = await library
  return defineTool({ name: tool.name, description: "", run: () => tool.execute(args, ctx) }).execute({}, ctx)
}

function sayLast(how: string): void {
  if (!isEnding) say({ type: "ending", how })
  isEnding = true
}

function say(message: FromToolHost): void {
  if (process.connected) tell?.(message, undefined, undefined, () => {}) // nobody is left to tell
}

function stackOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? (cause.stack ?? "") : ""
}

/** What a tool prints is on its way before its result is, and before it ends the process. Node itself only queues it. */
function writeAtOnce(stream: NodeJS.WriteStream): void {
  const { _handle: handle } = stream as { _handle?: { setBlocking?(on: boolean): void } }
  handle?.setBlocking?.(true)
}

/** A tool in an endless loop keeps this thread from hearing that the command line is gone; another one looks. */
function watchCommandLine(): void {
  const watch = new Worker(new URL("./tool-watch.js", import.meta.url), { workerData: LIFELINE_FD })
  watch.on("error", () => {}) // where no thread can be had, the channel alone tells
  watch.unref()
}

/** What tools started and did not end goes with them. */
function killGroup(): void {
  try {
    process.kill(-process.pid, "SIGKILL")
  } catch {
    // ESRCH: it was not started as a group of its own, and there is no group to end
  }
}
