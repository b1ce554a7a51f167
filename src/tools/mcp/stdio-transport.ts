import { StringDecoder } from "node:string_decoder"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import { isRecord } from "../../suspension/request.ts"
import type { ServerProcess } from "./server-process.ts"

/** A transport over a process of our own: one JSON message a line. */
export interface StdioTransport extends Transport {
  /** The latest line that was no message. */
  readonly garbage: () => string | undefined
}

/** More without the end of a line is no message any more. */
const MAX_LINE_CHARS = 16 * 1024 * 1024

export function stdioTransport(process: ServerProcess): StdioTransport {
  let garbage: string | undefined
  const transport: StdioTransport = {
    garbage: () => garbage,
    async start() {
      readLines(process, {
        onLine(line) {
          const messages = messagesIn(line)
          if (messages.length === 0) garbage = line.slice(0, 200)
          for (const message of messages) transport.onmessage?.(message)
        },
        onTooLong() {
          garbage = "a line that does not end"
          void process.close()
        },
      })
      process.ended.then(() => transport.onclose?.())
    },
    async send(message) {
      if (!process.stdin.writable) throw new Error("it takes no more input")
      process.stdin.write(`${JSON.stringify(message)}\n`)
    },
    close: () => process.close(),
  }
  return transport
}

function readLines({ stdout }: ServerProcess, to: { onLine(line: string): void; onTooLong(): void }): void {
  const decoder = new StringDecoder("utf8")
  let begun: string[] = []
  let length = 0
  stdout.on("data", (bytes: Buffer) => {
    const [first = "", ...others] = decoder.write(bytes).split("\n")
    begun.push(first)
    length += first.length
    for (const line of others) {
      const whole = begun.join("")
      begun = [line]
      length = line.length
      if (whole.trim() !== "") to.onLine(whole)
    }
    if (length <= MAX_LINE_CHARS) return
    stdout.removeAllListeners("data").resume()
    to.onTooLong()
  })
}

/** What is no message is left out: some servers print a greeting there. */
function messagesIn(line: string): JSONRPCMessage[] {
  try {
    const value: unknown = JSON.parse(line)
    const all = Array.isArray(value) ? value : [value]
    return all.filter((message) => isRecord(message) && message.jsonrpc === "2.0") as JSONRPCMessage[]
  } catch {
    return [] // told by whoever waits for a message in vain
  }
}
