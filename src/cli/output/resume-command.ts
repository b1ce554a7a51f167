import { basename, relative, sep } from "node:path"

/** How this program was started. */
export interface StartedAs {
  env: Readonly<Record<string, string | undefined>>
  /** The script's path, as in `process.argv[1]`. */
  script: string
  /** The folder that the command will be typed in. */
  cwd: string
}

/**
 * The command that resumes a run, to be typed or pasted as it is.
 *
 * @param file the run file
 * @param started how this program was started: the command starts it the same way
 * @param options what it takes for the run to go on
 * @example resumeCommand("my run.run.jsonl", started) // npx toolnexus resume 'my run.run.jsonl'
 */
export function resumeCommand(file: string, started: StartedAs, options: readonly string[] = []): string {
  return [commandOn(file, ["resume"], started), ...options.map(shellQuote)].join(" ")
}

/** The command that shows a run; as {@link resumeCommand}. */
export function showCommand(file: string, started: StartedAs): string {
  return commandOn(file, ["runs", "show"], started)
}

/** The command that lets go of a run file; as {@link resumeCommand}. */
export function unlockCommand(file: string, started: StartedAs): string {
  return commandOn(file, ["runs", "unlock"], started)
}

function commandOn(file: string, words: readonly string[], started: StartedAs): string {
  return [...programWords(started), ...words, file.startsWith("-") ? `./${file}` : file].map(shellQuote).join(" ")
}

/** The words that start this program once more. */
export function programWords({ env, script, cwd }: StartedAs): string[] {
  const agent = env.npm_config_user_agent ?? ""
  const inNodeModules = script.split(sep).includes("node_modules")
  // npm sets these for `npx` and `npm exec`; a script of package.json finds its programs as `npx` does.
  const byRunner = env.npm_command === "exec" || env.npm_lifecycle_event === "npx"
  if (byRunner || (inNodeModules && env.npm_lifecycle_event !== undefined)) {
    return agent.startsWith("pnpm/") ? ["pnpm", "exec", "toolnexus"] : ["npx", "toolnexus"]
  }
  if (inNodeModules && isInside(script, cwd)) return ["npx", "toolnexus"]
  if (basename(script) === "toolnexus" || script === "") return ["toolnexus"]
  return ["node", isInside(script, cwd) ? relative(cwd, script) : script]
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** A word as a POSIX shell reads it back, on one line whatever is in it. */
export function shellQuote(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word
  if (!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(word)) return `'${word.replaceAll("'", "'\\''")}'`
  // Escapes, which the terminal that shows them does not obey. Every shell knows printf, but a substitution drops a last line end.
  if (word.endsWith("\n")) return `$'${word.replace(UNSAFE, octal)}'`
  return `"$(printf '${word.replace(UNSAFE, octal).replaceAll("%", "%%").replace(/^-/, octal)}')"`
}

// An interactive shell expands ! within double quotes.
const UNSAFE = /[\\'"()!\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

function octal(character: string): string {
  return [...Buffer.from(character, "utf8")].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")
}
