import { type FilePatch, parsePatch } from "../../tool/patch.ts"
import type { JSONSchema, Tool } from "../../tool/tool.ts"
import { Refusal } from "../refusal.ts"
import type { BuiltinSettings } from "./builtins.ts"
import { applyHunks } from "./file/apply-hunks.ts"
import type { Change } from "./file/change.ts"
import { changingTool, type Plan } from "./file/changing-tool.ts"
import { locate } from "./file/locate.ts"
import { type Snapshot, takeSnapshot } from "./file/snapshot.ts"
import type { Turn } from "./file/take-turns.ts"
import { readText, textBytes } from "./file/text-file.ts"

/** The built-in that changes several files at once. */
export function applyPatchTool({ cwd }: BuiltinSettings, turn: Turn): Tool {
  const plan = ({ patch }: { patch: string }, signal: AbortSignal | undefined) => planPatch(patch, cwd, signal)
  return changingTool({ name: "apply_patch", description: DESCRIPTION, inputSchema: SCHEMA, plan }, { cwd, turn })
}

const DESCRIPTION =
  "Applies a unified diff of one or more files, all of it or nothing. Each file begins with --- a/PATH and +++ b/PATH lines (/dev/null for a " +
  "file that is made or deleted; git's `rename from` and `rename to` lines rename), then hunks @@ -LINE,COUNT +LINE,COUNT @@. The lines that are " +
  "kept or taken away must be exactly in the file; where the line numbers are wrong, they must be there once. Line ends and byte order " +
  "marks stay as they are."

const SCHEMA: JSONSchema = {
  type: "object",
  properties: { patch: { type: "string", minLength: 1, description: "The unified diff" } },
  required: ["patch"],
  additionalProperties: false,
}

const MAX_FILES = 200

async function planPatch(patch: string, cwd: string, signal: AbortSignal | undefined): Promise<Plan> {
  const parsed = parsePatch(patch)
  if ("problem" in parsed) throw new Refusal(`The patch cannot be read. ${parsed.problem}`)
  if (parsed.files.length > MAX_FILES)
    throw new Refusal(`The patch names more than ${MAX_FILES} files: send it in parts`)
  const changes: Change[] = []
  const done: string[] = []
  for (const filePatch of parsed.files) {
    const planned = await planFile(filePatch, cwd, signal)
    changes.push(...planned.changes)
    done.push(planned.done)
  }
  requireDistinct(changes)
  return { changes, done: `The patch is applied:\n${done.join("\n")}` }
}

async function planFile(patch: FilePatch, cwd: string, signal: AbortSignal | undefined): Promise<Plan> {
  const { from, to } = patch
  if (from === undefined) return planNew(to ?? "", patch, cwd, signal)
  const { file, via } = await locate(cwd, from)
  const before = await takeSnapshot(from, file, signal)
  if (!before) throw new Refusal(`${from} is not there: look for it with glob, or name it /dev/null to make the file`)
  if (from !== to && via === "link") throw new Refusal(`${from} is a symbolic link: delete or rename it with bash`)
  if (to === undefined) return planDelete(from, file, before, patch)
  const content = patched(from, before, patch)
  if (from === to) {
    return { changes: [{ path: from, file, before, after: content }], done: `changed ${from}` }
  }
  const target = await freePlace(to, cwd, signal)
  return {
    changes: [
      { path: from, file, before, after: undefined },
      {
        path: to,
        file: target,
        before: undefined,
        after: { mode: before.mode, ...content },
        movedFrom: { path: from, before },
      },
    ],
    done: `renamed ${from} to ${to}`,
  }
}

async function planNew(to: string, patch: FilePatch, cwd: string, signal: AbortSignal | undefined): Promise<Plan> {
  const file = await freePlace(to, cwd, signal)
  const mode = patch.executable ? { mode: 0o755 } : {}
  const bytes = Buffer.from(applyHunks(to, "", patch.hunks), "utf8")
  return { changes: [{ path: to, file, before: undefined, after: { bytes, ...mode } }], done: `made ${to}` }
}

function planDelete(path: string, file: string, before: Snapshot, patch: FilePatch): Plan {
  if (!before.bytes) throw new Refusal(`${path} has ${before.size} bytes, too many to be put back: delete it with bash`)
  const left = patch.hunks.length === 0 ? "" : applyHunks(path, readText(path, before).text, patch.hunks)
  if (left !== "") throw new Refusal(`${path} is to be deleted, and the patch does not take away all that is in it`)
  return { changes: [{ path, file, before, after: undefined }], done: `deleted ${path}` }
}

function patched(path: string, before: Snapshot, { hunks, executable }: FilePatch): { bytes: Buffer; mode?: number } {
  const mode = executable === undefined ? {} : { mode: withExecution(before.mode, executable ? "on" : "off") }
  if (hunks.length === 0 && before.bytes) return { bytes: before.bytes, ...mode }
  const content = readText(path, before)
  return { bytes: textBytes({ ...content, text: applyHunks(path, content.text, hunks) }), ...mode }
}

/** Whoever may read it may run it, or nobody. */
function withExecution(mode: number, execution: "on" | "off"): number {
  return execution === "on" ? mode | ((mode & 0o444) >> 2) : mode & ~0o111
}

async function freePlace(path: string, cwd: string, signal: AbortSignal | undefined): Promise<string> {
  const { file } = await locate(cwd, path)
  if (await takeSnapshot(path, file, signal)) throw new Refusal(`${path} is there already, and the patch is to make it`)
  return file
}

function requireDistinct(changes: readonly Change[]): void {
  const seen = new Set<string>()
  for (const { path, file } of changes) {
    if (seen.has(file)) throw new Refusal(`The patch names ${path} twice: put its hunks together`)
    seen.add(file)
  }
}
