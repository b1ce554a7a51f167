// Asks the requests of its arguments (JSON) at the real terminal, one after the other, and prints what came of each. A number
// among them is milliseconds of work.

import { createAsker } from "../../src/cli/terminal/asker.ts"
import { closeGoneStdio, inForeground, openDevTty } from "../../src/cli/terminal/device.ts"
import type { Request } from "../../src/index.ts"

const asker = createAsker({
  open: openDevTty,
  inForeground,
  stopGroup: () => void process.kill(0, "SIGTSTP"),
  onSignal(name, handler) {
    process.on(name, handler)
    return () => process.off(name, handler)
  },
  clock: {
    now: Date.now,
    after(ms, callback) {
      const timer = setTimeout(callback, ms)
      return () => clearTimeout(timer)
    },
  },
  env: process.env,
  cwd: process.cwd(),
  notice: (line) => process.stderr.write(`${line}\n`),
})

process.on("exit", () => {
  asker.close()
  closeGoneStdio()
})
process.on("SIGUSR2", () => process.exit(9))
for (const [name, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const) {
  process.on(name, () => {
    const took = asker.signal(name)
    if (took === "ignored") return
    process.stdout.write(`${name} ${took}\n`)
    process.exit(code)
  })
}

for (const argument of process.argv.slice(2)) {
  const todo = JSON.parse(argument) as Request | number
  if (typeof todo === "number") {
    await new Promise((resolve) => setTimeout(resolve, todo))
    process.stdout.write("WORKED\n")
  } else {
    const saveDraft = (draft: string) => asker.print(process.stdout, `DRAFT ${draft}\n`)
    const answer = await asker.waitFor(todo, { signal: new AbortController().signal, saveDraft })
    process.stdout.write(`GOT ${JSON.stringify(answer?.data ?? answer?.reason ?? asker.left()?.why ?? answer)}\n`)
  }
}
asker.close()
process.stdout.write("END\n")
