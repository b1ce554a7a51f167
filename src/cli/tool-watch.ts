// A thread beside the tools that ends their process when the command line is gone, also where a tool never lets the main thread hear it.

import { workerData } from "node:worker_threads"

const LOOK_MS = 1000

let isGone = false

setInterval(() => {
  if (process.ppid === workerData) return
  // The first time the main thread may still be ending what runs.
  if (isGone) end()
  isGone = true
}, LOOK_MS)

function end(): void {
  try {
    process.kill(-process.pid, "SIGKILL")
  } catch {
    process.kill(process.pid, "SIGKILL") // it was not started as a group of its own
  }
}
