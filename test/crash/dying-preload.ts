// Loaded into the built command line before its own code (`node --import`): it sees what is written to run files, and has the
// process killed, or told to end, right before or right after an event of its choice is in the file.
import { appendFileSync, constants } from "node:fs"
import fs from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { CARRIED_OUT, ORDER, type SignalOrder } from "./signal-order.ts"

const order = JSON.parse(process.env[ORDER] ?? "null") as SignalOrder | null
let events = 0

type Write = (buffer: Buffer, offset: number, length: number) => Promise<{ bytesWritten: number }>

const open = fs.open
fs.open = async (path, flags, mode) => {
  const handle = await open(path, flags, mode)
  const isRun = String(path).endsWith(".run.jsonl") && (Number(flags) & constants.O_APPEND) !== 0
  const write = handle.write.bind(handle) as Write
  return isRun ? Object.assign(handle, { write: dyingWrite(write) }) : handle
}
syncBuiltinESMExports()

function dyingWrite(write: Write): Write {
  return async (buffer, offset, length) => {
    const cut = order ? cutOf(buffer, offset, length, order) : undefined
    if (cut === undefined) return write(buffer, offset, length)
    if (order?.signal === "SIGKILL") {
      if (cut > 0) await write(buffer, offset, cut)
      send()
      for (;;); // until it is there
    }
    if (order?.when === "before") send()
    const written = await write(buffer, offset, length)
    if (order?.when === "after") send()
    return written
  }
}

/** Where in these bytes the event of the order begins or ends; `undefined` where it is not among them. */
function cutOf(buffer: Buffer, offset: number, length: number, { when, at }: SignalOrder): number | undefined {
  let cut: number | undefined
  let start = 0
  for (let end = buffer.indexOf(10, offset); end >= 0 && end < offset + length; end = buffer.indexOf(10, end + 1)) {
    events += 1
    if (events === at) cut = when === "before" ? start : end + 1 - offset
    start = end + 1 - offset
  }
  return cut
}

function send(): void {
  if (!order) return
  appendFileSync(process.env[CARRIED_OUT] ?? "", "x")
  process.kill(process.pid, order.signal)
}
