import type { JSONSchema, Tool } from "../../tool/tool.ts"
import type { BuiltinSettings } from "./builtins.ts"
import { changingTool, type Plan } from "./file/changing-tool.ts"
import { FILE_ARGUMENT, locate } from "./file/locate.ts"
import { takeSnapshot } from "./file/snapshot.ts"
import type { Turn } from "./file/take-turns.ts"

interface WriteArguments {
  path: string
  content: string
}

/** The built-in that writes a whole file. It is not marked idempotent: run again later, it would take back what others wrote since. */
export function writeTool({ cwd }: BuiltinSettings, turn: Turn): Tool {
  const plan = (args: WriteArguments, signal: AbortSignal | undefined) => planWrite(args, cwd, signal)
  return changingTool({ name: "write", description: DESCRIPTION, inputSchema: SCHEMA, plan }, { cwd, turn })
}

const DESCRIPTION =
  "Writes a whole file: makes it, with the folders on the way, or replaces all that is in it. A file that is there keeps its permissions. " +
  "To change a part of a file use edit."

const SCHEMA: JSONSchema = {
  type: "object",
  properties: {
    path: FILE_ARGUMENT,
    content: { type: "string", description: "All that will be in the file, exactly as it is given" },
  },
  required: ["path", "content"],
  additionalProperties: false,
}

async function planWrite(
  { path, content }: WriteArguments,
  cwd: string,
  signal: AbortSignal | undefined,
): Promise<Plan> {
  const { file } = await locate(cwd, path)
  const before = await takeSnapshot(path, file, signal)
  const bytes = Buffer.from(content, "utf8")
  const done = `${path}: ${before ? "replaced" : "made"}, ${bytes.length} bytes.`
  return { changes: [{ path, file, before, after: { bytes } }], done }
}
