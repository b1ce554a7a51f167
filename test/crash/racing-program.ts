// The command line in a process that does not end: it runs a command whenever it is told one, and says what came of it.
import { createInterface } from "node:readline"
import { main, processIo } from "../../src/cli/main.ts"

/** What one command came to. */
export interface Raced {
  code: number
  out: string
  err: string
}

const io = processIo()

async function run(argv: string[]): Promise<Raced> {
  const raced: Raced = { code: -1, out: "", err: "" }
  const into = (stream: "out" | "err") => ({
    isTTY: false,
    write: (text: string) => {
      raced[stream] += text
    },
    onError: () => {},
    flush: async () => {},
  })
  raced.code = await main(argv, { ...io, stdout: into("out"), stderr: into("err"), done: () => {} })
  return raced
}

console.log("ready")
for await (const line of createInterface(process.stdin)) {
  console.log(JSON.stringify(await run(JSON.parse(line) as string[])))
}
