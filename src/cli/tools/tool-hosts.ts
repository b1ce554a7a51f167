import { type ChildProcess, fork } from "node:child_process"
import { existsSync } from "node:fs"
import type { Socket } from "node:net"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { LIFELINE_FD } from "./tool-messages.ts"

/** The processes that tools modules run in. */
export interface ToolHosts {
  /** Starts one that will be wanted, while something else is done. */
  warm(): void
  take(): ChildProcess
  /** Lets go of one that was not wanted after all. */
  drop(): void
}

export function createToolHosts(): ToolHosts {
  let spare: ChildProcess | undefined
  return {
    warm() {
      try {
        spare ??= forkToolHost()
      } catch {
        // No process can be had: where it is wanted, that is said.
      }
    },
    take() {
      const host = spare ?? forkToolHost()
      spare = undefined
      return host
    },
    drop() {
      spare?.kill("SIGKILL") // it has loaded nothing yet
      spare = undefined
    },
  }
}

/**
 * A session of its own: no terminal to read from, signals from the keyboard go past it, and one group to end. It has the whole
 * environment: the modules are the user's own code, as they were when they ran in this process.
 */
function forkToolHost(): ChildProcess {
  const file = hostFile()
  const host = fork(file, { cwd: dirname(file), detached: true, stdio: ["ignore", "pipe", "pipe", "ipc", "pipe"] })
  const lifeline = host.stdio[LIFELINE_FD] as Socket | undefined
  lifeline?.on("error", () => {}).unref() // it only has to be there
  host.on("error", () => {}) // whoever takes it looks whether it lives
  return host
}

/** In the package's `dist`, wherever below the package a bundler has put this code. */
function hostFile(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, HOST)) && dirname(folder) !== folder) folder = dirname(folder)
  return join(folder, HOST)
}

const HOST = join("dist", "tool-host.js")
