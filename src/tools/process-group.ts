import type { ChildProcess } from "node:child_process"

/** Signals a detached child and everything that it started in its group. */
export function killGroup({ pid }: Pick<ChildProcess, "pid">, signal: "SIGTERM" | "SIGKILL"): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // ESRCH: the group is gone, which is what was wanted.
  }
}

const running = new Set<ChildProcess>()
let listening = false

/**
 * Has the child's group killed when this process exits, however suddenly it calls `process.exit`.
 *
 * @returns forgets the child again
 */
export function killAtExit(child: ChildProcess): () => void {
  if (!listening) process.once("exit", killAll)
  listening = true
  running.add(child)
  return () => running.delete(child)
}

function killAll(): void {
  for (const child of running) killGroup(child, "SIGKILL")
}
