import type { Command } from "commander"

/**
 * Puts options that stand before a subcommand behind it, so that they work on both sides. `runs`, `tools` or `config` alone lists.
 *
 * @param argv the arguments as they were typed
 * @param program the program: its commands say which options take a value
 */
export function orderOptions(argv: readonly string[], program: Command): string[] {
  return orderFor(program, argv, optionsOf(program))
}

function orderFor(command: Command, argv: readonly string[], options: KnownOptions): string[] {
  if (command.commands.length === 0) return [...argv]
  const subcommands = new Map(command.commands.map((it) => [it.name(), it]))
  const at = firstOperand(argv, options, subcommands)
  const word = at === undefined ? undefined : argv[at]
  const subcommand = word === undefined ? undefined : subcommands.get(word)
  if (word !== undefined && subcommand) {
    return [word, ...orderFor(subcommand, [...argv.slice(0, at), ...argv.slice((at as number) + 1)], options)]
  }
  const isBare = at === undefined && !argv.includes("--help") && !argv.includes("-h")
  return LISTS.has(command.name()) && isBare ? ["list", ...argv] : [...argv]
}

/** Commands that list where they are given nothing else. */
const LISTS: ReadonlySet<string> = new Set(["runs", "tools", "config"])

/** Where the first word stands that is neither an option nor the value of one. */
function firstOperand(
  argv: readonly string[],
  options: KnownOptions,
  subcommands: ReadonlyMap<string, Command>,
): number | undefined {
  let isValue = false
  for (const [at, word] of argv.entries()) {
    if (isValue) isValue = false
    else if (word === "--") return undefined
    else if (!word.startsWith("-") || word === "-") return at
    else {
      // What follows an option that nobody knows is taken for its value, unless it is a command: the parser shall complain of the option.
      const isUnknown = !options.flags.has(word) && !word.includes("=")
      isValue = options.withValue.has(word) || (isUnknown && !subcommands.has(argv[at + 1] ?? ""))
    }
  }
  return undefined
}

interface KnownOptions {
  withValue: ReadonlySet<string>
  flags: ReadonlySet<string>
}

function optionsOf(program: Command): KnownOptions {
  const options = [program, ...descendants(program)].flatMap((command) => command.options)
  const names = (required: boolean) =>
    options
      .flatMap((option) => (option.required === required ? [option.long, option.short] : []))
      .filter((it) => it != null)
  return { withValue: new Set(names(true)), flags: new Set([...names(false), "--help", "-h"]) }
}

function descendants(command: Command): Command[] {
  return command.commands.flatMap((it) => [it, ...descendants(it)])
}
