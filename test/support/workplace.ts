import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { TestContext } from "node:test"
import { type Pty, type PtyOptions, startPty } from "./pty.ts"
import { type ScriptedEndpoint, type Step, scriptedEndpoint } from "./scripted-endpoint.ts"

const bin = resolve(import.meta.dirname, "../../bin/toolnexus.js")

/** A folder with a state folder of its own, an endpoint, and the built program to start in it. */
export interface Workplace {
  readonly folder: string
  readonly stateFolder: string
  readonly endpoint: ScriptedEndpoint
  /** The environment in which the program finds the endpoint. */
  readonly env: Record<string, string>
  /** The program in a terminal. */
  terminal(args: readonly string[], options?: PtyOptions): Pty
  /** A command for a shell in a terminal, `toolnexus` being the program. */
  shell(command: string, options?: PtyOptions): Pty
  write(name: string, text: string): string
  read(name: string): string
  /** The run files that were made in the state folder. */
  runs(): string[]
}

/** Sets it up for one test; the endpoint is closed with it. */
export async function workplace(t: TestContext, steps: readonly Step[]): Promise<Workplace> {
  const folder = mkdtempSync(join(tmpdir(), "toolnexus-work-"))
  const stateFolder = join(folder, "state")
  const endpoint = await scriptedEndpoint(steps).listen()
  t.after(() => endpoint.close())
  const env = {
    HOME: folder,
    TOOLNEXUS_STATE_DIR: stateFolder,
    TOOLNEXUS_BASE_URL: endpoint.baseUrl,
    TOOLNEXUS_MODEL: "scripted",
  }
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const inside = (options: PtyOptions): PtyOptions => ({ cwd: folder, ...options, env: { ...env, ...options.env } })
  return {
    folder,
    stateFolder,
    endpoint,
    env,
    terminal: (args, options = {}) => startPty(t, [process.execPath, bin, ...args], inside(options)),
    shell: (command, options = {}) => {
      const script = `toolnexus() { '${process.execPath}' '${bin}' "$@"; }\n${command}\n`
      return startPty(t, ["/bin/bash", "--norc", "-c", script], inside(options))
    },
    write,
    read: (name) => readFileSync(join(folder, name), "utf8"),
    runs: () => {
      const files = readdirSync(stateFolder, { recursive: true, encoding: "utf8" })
      return files.filter((file) => file.endsWith(".run.jsonl")).map((file) => join(stateFolder, file))
    },
  }
}

/** A tools module: `deploy` asks for an environment, `wait` takes a while, `confirm` wants a yes. */
export const TOOLS_MODULE = `export default ({ defineTool, outputOf, pending }) => [
  defineTool({ name: "deploy", description: "deploys", run: (_args, ctx) =>
    ctx.answer ? "deployed to " + outputOf(ctx.answer) : pending({ kind: "input", prompt: "Which environment?" }) }),
  defineTool({ name: "name_it", description: "names it", run: (_args, ctx) =>
    ctx.answer ? "named " + outputOf(ctx.answer) : pending({ kind: "input", prompt: "What name?" }) }),
  defineTool({ name: "confirm", description: "confirms", run: (_args, ctx) =>
    ctx.answer ? "confirmed" : pending({ kind: "approval", prompt: "Really?" }) }),
  defineTool({ name: "wait", description: "takes two seconds", run: () =>
    new Promise((resolve) => setTimeout(() => resolve("waited"), 2000)) }),
]
`
