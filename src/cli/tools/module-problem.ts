import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { errorText } from "../output/error-text.ts"
import { CHANGED } from "../projects/sealed-modules.ts"

/**
 * Why a module cannot be loaded: the fact, with the line where there is one, and the next step. On one line.
 *
 * @param path of the module, absolute
 */
export function moduleProblem(error: unknown, path: string): string {
  const { code } = error as { code?: unknown }
  if (code === "ERR_UNKNOWN_FILE_EXTENSION") return extensionProblem(errorText(error), path)
  if (code === "ERR_MODULE_NOT_FOUND") {
    const [, name] = /^Cannot find package '([^']+)'/.exec(errorText(error)) ?? []
    return `${errorText(error)}: ${name === undefined ? "correct the import" : `install it there (npm install ${name})`}`
  }
  if (errorText(error).includes(CHANGED)) return `${errorText(error)}: look at it with toolnexus trust`
  const place = placeIn(error, path)
  return `${errorText(error)}${place === undefined ? "" : ` (${place})`}: correct the module`
}

function extensionProblem(text: string, path: string): string {
  const [, extension = "", file = path] = /^Unknown file extension "([^"]*)" for (.*)$/.exec(text) ?? []
  if (!/^\.[cm]?tsx?$/.test(extension)) {
    return `${text}: a tools module is JavaScript (.mjs, .js) or TypeScript (.ts), a list of HTTP tools .json`
  }
  const fact = `Node ${process.versions.node} does not run ${extension} files`
  const newer = runsTypeScript() ? "" : "use Node 22.18 or newer, or "
  const script = file.replace(/\.[cm]?tsx?$/, ".mjs")
  const make = `npx esbuild ${file} --bundle --packages=external --platform=node --format=esm --outfile=${script}`
  return `${fact}${file === path ? "" : ` (${file})`}: ${newer}make JavaScript of it: ${make}`
}

function runsTypeScript(): boolean {
  return Boolean((process.features as { typescript?: unknown }).typescript)
}

/** `line 3`, or with the file where it is another one. */
function placeIn(error: unknown, path: string): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? "") : ""
  const places = [...stack.matchAll(/(?:^|[\s(])((?:file:\/\/)?\/[^\s():]+):(\d+)(?::\d+\)?)?$/gm)]
  const read = places.map(([, file = "", line]) => ({
    file: file.startsWith("file:") ? fileURLToPath(file) : file,
    line: Number(line),
  }))
  const own = read.find(({ file }) => file === path)
  if (own) return `line ${own.line}`
  if (error instanceof SyntaxError) {
    const [first] = read
    return first && stack.startsWith("file:") ? `${first.file}, line ${first.line}` : syntaxPlace(path)
  }
  return undefined
}

/** Of a syntax error Node tells the line only where it ends the process. */
function syntaxPlace(path: string): string {
  const { stderr } = spawnSync(process.execPath, ["--check", path], { encoding: "utf8" })
  const first = stderr?.split("\n")[0] ?? ""
  return first.startsWith(`${path}:`) ? `line ${first.slice(path.length + 1)}` : "in a file that it imports"
}
