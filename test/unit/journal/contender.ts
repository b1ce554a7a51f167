// A process that tries to open a journal at each `go`, says "held" or "refused ...", and lets go at `close`.
import { createInterface } from "node:readline"
import { type FileJournal, openFileJournal } from "../../../src/journal/file.ts"

const [file = ""] = process.argv.slice(2)
let journal: FileJournal<{ by: number }> | undefined

async function take(): Promise<string> {
  try {
    journal = await openFileJournal(file)
    const at = (await journal.read()).length
    await journal.append([{ by: process.pid }], { at, flush: true })
    return "held"
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return `refused ${code} ${message}`
  }
}

async function letGo(): Promise<string> {
  await journal?.close()
  return "closed"
}

console.log("ready")
for await (const line of createInterface(process.stdin)) console.log(line === "go" ? await take() : await letGo())
