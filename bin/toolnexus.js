#!/usr/bin/env node
import { createRequire } from "node:module"

const [only] = process.argv.slice(2)
if (process.argv.length === 3 && (only === "--version" || only === "-V")) {
  process.stdout.write(`${createRequire(import.meta.url)("../package.json").version}\n`)
} else {
  const { main, processIo } = await import("../dist/cli.js")
  // A tool may wait for what keeps no process alive: a run does not end in the middle of it.
  const alive = setInterval(() => {}, 1 << 30)
  process.exitCode = await main(process.argv.slice(2), processIo())
  clearInterval(alive)
}
