import { type Argument, type Command, Help, type Option } from "commander"
import { STATUSES } from "../prune/options.ts"
import { type Candidate, type Candidates, NOTHING } from "./shell.ts"
import { optionNamed, type Spot, spotAfter } from "./typed-line.ts"

/** What only this machine's files and folders say. */
export interface Wanted {
  what:
    | "profiles"
    | "agents"
    | "models"
    | "addresses"
    | "variables"
    | "rules"
    | "tools"
    | "runs"
    | "requests"
    | "settings"
  spot: Spot
}

/** Finds what this machine's files say; whatever goes wrong there, it gives something. */
export type Find = (wanted: Wanted) => Promise<readonly Candidate[]>

/**
 * What a value is, where the program's own tree does not say it by its choices: by the option's name, else by what stands in its angle
 * brackets; an argument by its command and name, else by its name.
 */
export const VALUES: Readonly<Record<string, Wanted["what"] | "files" | "folders" | readonly string[]>> = {
  "--profile": "profiles",
  "--agent": "agents",
  "--model": "models",
  "--base-url": "addresses",
  "--api-key-env": "variables",
  "--answer": "requests",
  "--answer-env": "requests",
  "--status": STATUSES,
  "<rule>": "rules",
  "<file>": "files",
  "<dir>": "folders",
  "tools call name": "tools",
  "policy test tool": "tools",
  "config get name": "settings",
  "config set name": "settings",
  "config unset name": "settings",
  file: "runs",
  dir: "folders",
}

/**
 * What may stand for the word that is being typed. It is not yet compared with what is typed of it.
 *
 * @param words those behind the program's name; the last is being typed, and may be empty
 */
export async function candidatesFor(program: Command, words: readonly string[], find: Find): Promise<Candidates> {
  const typed = words.at(-1) ?? ""
  const spot = spotAfter(program, words.slice(0, -1))
  const { takes, afterDashes } = spot
  if (takes.is === "value") return valuesOf(takes.option, spot, find)
  if (!afterDashes && typed.startsWith("-")) return optionOrItsValue(program, typed, spot, find)
  if (takes.is === "subcommand" && !afterDashes) {
    return { ...NOTHING, words: subcommandsOf(spot.command).map((it) => ({ word: it.name(), about: it.summary() })) }
  }
  const values = takes.is === "argument" ? await argumentsOf(takes.argument, spot, find) : NOTHING
  const isNothing = values.words.length === 0 && values.paths === "none"
  return isNothing && typed === "" && !afterDashes ? optionsOf(spot) : values
}

function subcommandsOf(command: Command): readonly Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((it) => it.name() !== "help")
}

async function optionOrItsValue(program: Command, typed: string, spot: Spot, find: Find): Promise<Candidates> {
  const at = typed.indexOf("=")
  if (at < 0) return optionsOf(spot)
  const option = optionNamed(program, typed.slice(0, at))
  return option?.required ? { ...(await valuesOf(option, spot, find)), behind: typed.slice(0, at + 1) } : NOTHING
}

/** Those that can still be given; of a group of commands those of the one that its name alone means. */
function optionsOf({ command, given }: Spot): Candidates {
  const bare = command.commands.find((it) => it.name() === "list") ?? command
  const options = new Help().visibleOptions(bare).filter((option) => isFree(option, given))
  const words = options.map((option) => ({ word: option.long ?? option.short ?? "", about: option.description }))
  return { ...NOTHING, words }
}

/** What is there already, or excluded by what is, is not offered; what can be repeated is. */
function isFree(option: Option, given: Spot["given"]): boolean {
  if (Array.isArray(option.defaultValue)) return true
  return !given.some(({ option: other }) => other.attributeName() === option.attributeName() || excludes(other, option))
}

/** Commander keeps them to itself. */
interface Exclusive {
  conflictsWith?: readonly string[]
}

function excludes(one: Option & Exclusive, other: Option & Exclusive): boolean {
  const names = (it: Exclusive) => it.conflictsWith ?? []
  return names(one).includes(other.attributeName()) || names(other).includes(one.attributeName())
}

function valuesOf(option: Option, spot: Spot, find: Find): Promise<Candidates> {
  const placeholder = /<[^>]*>/.exec(option.flags)?.[0] ?? ""
  return valuesNamed(option.argChoices ?? VALUES[option.long ?? ""] ?? VALUES[placeholder], spot, find)
}

function argumentsOf(argument: Argument, spot: Spot, find: Find): Promise<Candidates> {
  const path = pathOf(spot.command)
  const named = VALUES[`${path} ${argument.name()}`] ?? VALUES[argument.name()]
  return valuesNamed(argument.argChoices ?? named, spot, find)
}

/** As it is typed, without the program's name. */
export function pathOf(command: Command): string {
  return command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}

async function valuesNamed(values: (typeof VALUES)[string] | undefined, spot: Spot, find: Find): Promise<Candidates> {
  if (values === undefined) return NOTHING
  if (values === "files" || values === "folders") return { ...NOTHING, paths: values }
  if (typeof values !== "string") return { ...NOTHING, words: values.map((word) => ({ word, about: "" })) }
  const words = await find({ what: values, spot })
  const ending = values === "requests" || values === "rules" ? "more of it" : "a space"
  return { ...NOTHING, words, ending, paths: values === "runs" ? "files" : "none" }
}
