import { type Command, InvalidArgumentError, Option } from "commander"
import type { AnswerFlags } from "../answers/answer-flags.ts"
import type { EndpointFlags } from "../endpoint/endpoint-settings.ts"
import { DURATION_FORM, parseDuration } from "../words/duration.ts"

/** How the result is printed. */
export type OutputMode = "text" | "json" | "jsonl"

/** What every command takes. */
export interface OutputFlags {
  output: OutputMode
  quiet?: boolean
  verbose?: boolean
  debug?: boolean
}

/** What says which calls may run. */
export interface PermissionFlags {
  cwd?: string
  allow: string[]
  ask: string[]
  deny: string[]
  trustProject?: boolean
}

/** What says which tools there are, and which of their calls may run. */
export interface ToolFlags extends PermissionFlags {
  agent?: string
  tools: string[]
  relay: string[]
  mcp: string[]
  skills: string[]
  builtins: boolean
}

/** What `run` and `resume` take. */
export interface RunFlags extends OutputFlags, EndpointFlags, AnswerFlags, ToolFlags {
  system?: string
  maxTurns?: number
  maxTokens?: number
  maxToolCalls?: number
  maxRepeats?: number
  /** Milliseconds. */
  timeout?: number
  file?: string
  stream: boolean
  input: boolean
  acceptRecorded?: boolean
}

/** What `answer` takes. */
export interface RecordFlags extends OutputFlags, AnswerFlags {
  input: boolean
}

/** What `tools` and `policy test` take. */
export interface InspectionFlags extends OutputFlags, ToolFlags {}

/** What `tools call` takes. */
export interface ToolCallFlags extends InspectionFlags {
  /** JSON. */
  args: string
  input: boolean
}

/** What `trust` takes. */
export interface TrustFlags extends OutputFlags {
  list?: boolean
  revoke?: boolean
  input: boolean
}

/** Options of what is printed; every command has them. */
export function addOutputOptions(command: Command, verbose = "also results of tools, tokens and retries"): Command {
  return command
    .optionsGroup("Output:")
    .addOption(new Option("--output <form>", "what stdout gets").choices(["text", "json", "jsonl"]).default("text"))
    .addOption(new Option("--quiet", "no progress and no notices").conflicts(["verbose", "debug"]))
    .option("--verbose", verbose)
    .option("--debug", "also the stack of an error")
}

/** Options that answer without a terminal. */
export function addAnswerOptions(command: Command): Command {
  return command
    .optionsGroup("Answers without a terminal:")
    .option(
      "--answer <text>",
      "answer the one open request with TEXT, or one by its id with ID=TEXT (repeatable)",
      add,
      [],
    )
    .option(
      "--answer-env <id=variable>",
      "answer by id with the value of a variable, for secrets (repeatable)",
      add,
      [],
    )
    .option("--answers <file>", "a JSON list of answers: [{ id, ok, data?, reason? }] (repeatable)", add, [])
    .option("--approve", "approve the one open approval")
    .option("--decline", "decline the one open approval")
    .option("--note <text>", "words for the model, beside the one answer that is given")
    .addOption(
      new Option(
        "--in-doubt <choice>",
        "calls that a crash cut off: run them again, or tell the model that nobody knows",
      ).choices(["rerun", "unknown"]),
    )
}

/** Everything that `run` and `resume` share. */
export function addRunOptions(command: Command): Command {
  addEndpointOptions(command).optionsGroup("Agent and tools:").option("--system <text>", "the system prompt")
  addToolOptions(command)
    .optionsGroup("Permissions and limits:")
    .option("--max-turns <n>", "replies of the model (default 100)", count)
    .option("--max-tokens <n>", "tokens of the whole run", count)
    .option("--max-tool-calls <n>", "calls of tools (default 500)", count)
    .option("--max-repeats <n>", "the same call in a row (default 5)", count)
    .option("--timeout <duration>", "time with a model or a tool at work, for instance 10m", duration)
  addAnswerOptions(command).option("--accept-recorded", "stand by the answers that a file from elsewhere holds")
  command
    .optionsGroup("The run:")
    .option("--file <file>", "where it is written, a new file; by default one in the state folder", filled)
    .option("--no-input", "ask nobody: what needs a person stays open")
  return addOutputOptions(command).option("--no-stream", "the final text at once instead of as it comes")
}

/** What says where the model is. */
export function addEndpointOptions(command: Command): Command {
  return command
    .optionsGroup("Endpoint:")
    .option("--base-url <url>", "its address, for instance https://api.openai.com/v1 (TOOLNEXUS_BASE_URL)", filled)
    .addOption(
      new Option("--style <style>", "how it speaks; openai unless the host is known (TOOLNEXUS_STYLE)").choices([
        "openai",
        "anthropic",
      ]),
    )
    .option("--model <name>", "the model, or demo: built in, offline, no language model (TOOLNEXUS_MODEL)", filled)
    .option("--api-key-env <name>", "the variable that holds the key (else TOOLNEXUS_API_KEY)", variableName)
    .option("--profile <name>", "an endpoint from your configuration (TOOLNEXUS_PROFILE)", filled)
}

/** What says which tools there are and which of their calls may run. */
export function addToolOptions(command: Command): Command {
  command
    .optionsGroup("Agent and tools:")
    .option("--agent <name>", "an agent from the configuration: its system prompt, model and tools", filled)
    .option(
      "--tools <file>",
      "a JavaScript or TypeScript module whose default export is a list of tools, or a .json list of HTTP tools (repeatable)",
      add,
      [],
    )
    .option(
      "--relay <file>",
      "a JSON list of tools that you carry out: [{ name, description, inputSchema }] (repeatable)",
      add,
      [],
    )
    .option(
      "--mcp <file>",
      "MCP servers as in .mcp.json: { mcpServers: { NAME: { command or url } } } (repeatable)",
      add,
      [],
    )
    .option("--skills <dir>", "a folder of skills, each a folder with a SKILL.md (repeatable)", add, [])
    .option("--no-builtins", "without the built-in tools (bash, read, edit, question and others)")
  return addPermissionOptions(command, "Permissions and limits:")
}

/** What says which calls may run. */
export function addPermissionOptions(command: Command, group: string): Command {
  return command
    .option("--cwd <dir>", "where the tools work", filled)
    .optionsGroup(group)
    .option("--allow <rule>", "run without asking, for instance 'bash(git status*)' (repeatable)", add, [])
    .option("--ask <rule>", "ask before it runs (repeatable)", add, [])
    .option("--deny <rule>", "never run (repeatable)", add, [])
    .option("--trust-project", "let the project's own configuration count, for this one run (see toolnexus trust)")
}

export function add(value: string, previous: string[]): string[] {
  return [...previous, value]
}

export function filled(value: string): string {
  if (value === "") throw new InvalidArgumentError("It must not be empty.")
  return value
}

function variableName(value: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(value)) return value
  throw new InvalidArgumentError("It must be the name of an environment variable, not the key itself.")
}

export function count(value: string): number {
  const number = Number(value)
  if (/^\d+$/.test(value) && Number.isSafeInteger(number) && number > 0) return number
  throw new InvalidArgumentError("It must be a whole number above 0.")
}

/** @throws InvalidArgumentError */
export function duration(value: string): number {
  const ms = parseDuration(value)
  if (ms !== undefined) return ms
  throw new InvalidArgumentError(`It must be ${DURATION_FORM}.`)
}
