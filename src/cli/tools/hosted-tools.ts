import { type Clock, type ToolContext, ToolnexusError } from "../../index.ts"
import { errorText } from "../output/error-text.ts"
import type { SealedFiles } from "../projects/sealed-modules.ts"
import type { ToolHosts } from "./tool-hosts.ts"
import type { Doing, FromToolHost, HostedTool } from "./tool-messages.ts"
import { unusableModule } from "./tool-module.ts"
import { watchToolProcess } from "./tool-process.ts"

/** One process with the tools that it has loaded. */
export interface HostedTools {
  readonly modules: readonly HostedModule[]
  /** How it ended, in words; `undefined` while it lives. */
  gone(): Promise<string> | undefined
  /** @throws ToolnexusError `tool` when the process ends meanwhile */
  call(does: Doing, tool: string, args: Record<string, unknown>, ctx: ToolContext): Promise<unknown>
  /** Resolves when what they printed has been told. */
  close(): Promise<void>
}

interface HostedModule {
  file: string
  tools: readonly HostedTool[]
}

export interface HostedToolsOptions {
  hosts: ToolHosts
  /** Where they work. */
  cwd: string
  clock: Clock
  /** What files of trusted projects must hold. */
  seals?: SealedFiles
  /** A line that they printed, or that is to be said of them. */
  onLine(line: string): void
}

/** How long modules may take to load. */
const LOADING_MS = 10_000

/**
 * Has a process load modules.
 *
 * @throws ToolnexusError `configuration`, one line that names the module
 */
export async function openHostedTools(paths: readonly string[], options: HostedToolsOptions): Promise<HostedTools> {
  const { hosts, cwd, clock, seals = {}, onLine } = options
  const loading = createLoading(paths, clock)
  const calls = createCalls()
  let how: string | undefined
  const host = watchToolProcess(hosts.take(), {
    onLine,
    onMessage(message) {
      loading.hear(message)
      calls.hear(message)
    },
  })
  host.ended.then((text) => {
    how = text
    loading.end(text)
    calls.end(text)
  })
  host.send({ type: "load", cwd, modules: paths, seals })
  const modules = await loading.done.catch(async (error: unknown) => {
    await host.close()
    throw error
  })
  return {
    modules,
    gone: () => (host.lives() ? undefined : host.ended),
    close: host.close,
    call(does, tool, args, { signal, stillPasses: _stillPasses, ...ctx }) {
      const { call, settled } = calls.begin(tool)
      const abort = () => host.send({ type: "abort", call, why: errorText(signal?.reason) })
      signal?.addEventListener("abort", abort, { once: true })
      host.send({ type: "call", call, does, tool, args, ctx })
      if (signal?.aborted) abort()
      if (how !== undefined) calls.end(how)
      return settled.finally(() => signal?.removeEventListener("abort", abort))
    },
  }
}

/** The modules, one after the other, until all are there, one is not usable, or the time is up. */
function createLoading(paths: readonly string[], clock: Clock) {
  const modules: HostedModule[] = []
  const { promise, resolve, reject } = withResolvers<HostedModule[]>()
  const next = () => paths[modules.length] ?? ""
  const refuse = (fact: string) => reject(unusableModule(next(), `${fact}: correct the module`))
  const cancel = clock.after(LOADING_MS, () => {
    refuse(`it is not loaded after ${LOADING_MS / 1000} s, as what it waits for at its top level does not come`)
  })
  return {
    done: promise.finally(cancel),
    hear(message: FromToolHost) {
      if (message.type === "loaded") {
        modules.push({ file: next(), tools: message.tools })
        if (modules.length === paths.length) resolve(modules)
      } else if (message.type === "unusable") {
        const cause = Object.assign(new Error(message.message), { stack: message.stack })
        reject(new ToolnexusError("configuration", message.message, { cause }))
      }
    },
    end: (how: string) => refuse(`the tools process ended while it was loaded (${how})`),
  }
}

/** The calls under way. */
function createCalls() {
  const calls = new Map<number, { tool: string; resolve(value: unknown): void; reject(error: unknown): void }>()
  let last = 0
  return {
    begin(tool: string) {
      const { promise, resolve, reject } = withResolvers<unknown>()
      calls.set(++last, { tool, resolve, reject })
      return { call: last, settled: promise }
    },
    hear(message: FromToolHost) {
      if (message.type !== "settled" && message.type !== "failed") return
      const call = calls.get(message.call)
      calls.delete(message.call)
      if (message.type === "settled") call?.resolve(message.value)
      else call?.reject(new ToolnexusError("tool", message.message))
    },
    end(how: string) {
      for (const { tool, reject } of calls.values()) reject(unknownOutcome(tool, how))
      calls.clear()
    },
  }
}

function unknownOutcome(tool: string, how: string): ToolnexusError {
  const fact = `the tools process ended (${how}) while ${tool} was running`
  return new ToolnexusError("tool", `${fact}; its outcome is unknown: resume asks what to do`, { details: { tool } })
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
