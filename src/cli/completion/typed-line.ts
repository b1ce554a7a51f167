import type { Argument, Command, Option } from "commander"

/** Where on the command line the word stands that is being typed. */
export interface Spot {
  command: Command
  /** What the word is: a value of an option, an argument, or the name of a subcommand. An option may stand there too. */
  takes:
    | { is: "value"; option: Option }
    | { is: "argument"; argument: Argument }
    | { is: "subcommand" }
    | { is: "options only" }
  /** Behind `--`, where no option is one. */
  afterDashes: boolean
  /** The options before it, with their values. */
  given: readonly Given[]
  /** The arguments of the command before it. */
  operands: readonly string[]
}

export interface Given {
  option: Option
  value: string | undefined
}

/**
 * Finds what the next word would be, by the program's own commands and options. Options stand before and behind the command.
 *
 * @param program the program
 * @param before the words behind the program's name and before the one that is typed
 */
export function spotAfter(program: Command, before: readonly string[]): Spot {
  const known = new Map(everyOption(program).flatMap((option) => namesOf(option).map((name) => [name, option])))
  const given: Given[] = []
  let [command, operands, afterDashes]: [Command, string[], boolean] = [program, [], false]
  let waiting: Option | undefined
  for (const word of before) {
    if (waiting) {
      given.push({ option: waiting, value: word })
      waiting = undefined
    } else if (afterDashes || !word.startsWith("-") || word === "-") {
      const sub = operands.length === 0 && !afterDashes ? command.commands.find((it) => it.name() === word) : undefined
      if (sub) command = sub
      else operands = [...operands, word]
    } else if (word === "--") {
      afterDashes = true
    } else {
      const [name = "", ...value] = word.split("=")
      const option = known.get(name)
      if (option?.required && !word.includes("=")) waiting = option
      else if (option) given.push({ option, value: word.includes("=") ? value.join("=") : undefined })
    }
  }
  return { command, takes: takesNext({ command, operands, waiting }), afterDashes, given, operands }
}

function takesNext({
  command,
  operands,
  waiting,
}: Pick<Spot, "command" | "operands"> & { waiting: Option | undefined }): Spot["takes"] {
  if (waiting) return { is: "value", option: waiting }
  if (command.commands.length > 0) return operands.length === 0 ? { is: "subcommand" } : { is: "options only" }
  const all = command.registeredArguments
  const argument = all[operands.length] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined)
  return argument ? { is: "argument", argument } : { is: "options only" }
}

/** An option of a command by its name, as in `--output=`. */
export function optionNamed(program: Command, name: string): Option | undefined {
  return everyOption(program).find((option) => namesOf(option).includes(name))
}

/** Those of the program and of all its commands. */
export function everyOption(command: Command): Option[] {
  return [...command.options, ...command.commands.flatMap(everyOption)]
}

function namesOf({ long, short }: Option): string[] {
  return [long, short].filter((name) => name != null)
}
