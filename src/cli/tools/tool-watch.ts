// A thread beside the tools that ends their process when the command line is gone, also where a tool never lets the main thread hear it.

import { Socket } from "node:net"
import { workerData } from "node:worker_threads"

// Nothing is ever written to it: it ends when the system closes the other end, whatever the command line ended by.
const lifeline = new Socket({ fd: Number(workerData), readable: true, writable: false })
lifeline.on("error", end).on("end", end).resume()

function end(): void {
  try {
    process.kill(-process.pid, "SIGKILL")
  } catch {
    process.kill(process.pid, "SIGKILL") // it was not started as a group of its own
  }
}
