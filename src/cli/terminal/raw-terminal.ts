import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { StateFolder } from "../state/state-folder.ts"
import type { TerminalDevice } from "./device.ts"

type Open = () => TerminalDevice | undefined

/**
 * Opens a terminal so that a note lies in the state folder while its modes are changed: a process that is killed leaves the
 * note behind, and the terminal as it was then.
 */
export function openNoted(open: Open, state: StateFolder): Open {
  return () => {
    const device = open()
    if (!device) return undefined
    const { input } = device
    const note = createNote(state)
    const setRawMode = input.setRawMode.bind(input)
    const destroy = input.destroy.bind(input)
    input.setRawMode = (on) => {
      if (on) note.leave()
      const done = setRawMode(on)
      if (!on) note.remove()
      return done
    }
    input.destroy = () => {
      note.remove()
      return destroy()
    }
    return device
  }
}

interface Note {
  leave(): void
  remove(): void
}

function createNote(state: StateFolder): Note {
  let path: string | undefined
  const remove = () => {
    process.off("exit", remove)
    if (path !== undefined) rmSync(path, { force: true })
    path = undefined
  }
  return {
    leave() {
      if (path !== undefined) return
      try {
        const { pid } = process
        const { start, terminal } = statOf(pid) ?? UNKNOWN
        path = join(state.folder(FOLDER), `${pid}-${start}-${terminal}`)
        writeFileSync(path, "", { mode: 0o600 })
        process.on("exit", remove)
      } catch {
        path = undefined // without a note only the word about a kill is missing
      }
    },
    remove,
  }
}

/**
 * The processes that were killed while they had this terminal, each told once.
 *
 * @returns a line for a person, or `undefined` where there was none
 */
export function killedAtTerminal(state: StateFolder): string | undefined {
  const folder = join(state.path, FOLDER)
  const killed = existsSync(folder) ? readdirSync(folder).filter(isOfKilled) : []
  for (const name of killed) rmSync(join(folder, name), { force: true })
  if (killed.length === 0) return undefined
  const who = killed.map((name) => name.split("-")[0]).join(", ")
  return `process ${who} was killed while it asked at this terminal: if what you type is not shown, type stty sane (and Ctrl-J, where Enter does nothing)`
}

const FOLDER = "terminal"
const UNKNOWN = { start: "", terminal: "" }

function isOfKilled(name: string): boolean {
  const [, pid = "", start, terminal] = /^(\d{1,10})-(\d*)-(-?\d*)$/.exec(name) ?? []
  if (pid === "" || terminal !== (statOf(process.pid) ?? UNKNOWN).terminal) return false
  const now = statOf(Number(pid))
  return now === undefined ? !isThere(Number(pid)) : now.start !== start
}

/** Where there is no /proc nothing tells a later process of the same number. */
function statOf(pid: number): { start: string; terminal: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The second field is the program's name in brackets, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return { terminal: fields[4] ?? "", start: fields[19] ?? "" }
  } catch {
    return undefined // it is over, or this is no Linux
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
