import { isUtf8 } from "node:buffer"
import { spawn } from "node:child_process"
import { closeSync, constants, openSync } from "node:fs"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/**
 * Lets the person edit a text in `$VISUAL` or `$EDITOR` (else `vi`) on the terminal, whatever is redirected.
 *
 * @param env the editor's environment
 * @throws Error when the editor cannot be started, says that it failed or saved no UTF-8; the text is then as it was
 */
export async function editText(draft: string, env: Record<string, string | undefined>): Promise<string> {
  // Editors end the last line; the person did not type that.
  return (await editFile({ name: "answer.txt", text: draft }, env)).replace(/\r?\n$/, "")
}

/**
 * The same for what is a file's text, line ends and all.
 *
 * @param draft under which name the editor sees it
 * @throws Error as {@link editText}
 */
export async function editFile(
  draft: { name: string; text: string },
  env: Record<string, string | undefined>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "toolnexus-"))
  try {
    const file = join(folder, draft.name)
    await writeFile(file, draft.text, { mode: 0o600 })
    await runEditor(env.VISUAL || env.EDITOR || "vi", file, env)
    return await textIn(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function textIn(file: string): Promise<string> {
  const bytes = await readFile(file)
  if (isUtf8(bytes)) return bytes.toString("utf8")
  throw new Error("what it saved is no UTF-8 text; the text is as it was")
}

function runEditor(editor: string, file: string, env: Record<string, string | undefined>): Promise<void> {
  const terminal = openSync("/dev/tty", constants.O_RDWR | constants.O_NOCTTY)
  return new Promise<void>((resolve, reject) => {
    // Through the shell, as git does: an editor is a command with options, such as `code --wait`.
    const stdio = [terminal, terminal, terminal]
    const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", file], { stdio, env })
    child.on("error", reject)
    child.on("exit", (code, signal) =>
      code === 0
        ? resolve()
        : reject(new Error(`${editor} ended with ${signal ?? `code ${code}`}; the text is as it was`)),
    )
  }).finally(() => closeSync(terminal))
}
