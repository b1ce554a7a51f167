import { spawnSync } from "node:child_process"
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"
import { isatty, ReadStream, WriteStream } from "node:tty"

/** Both ends of the terminal, opened anew each time. */
export interface TerminalDevice {
  input: NodeJS.ReadableStream & { setRawMode(on: boolean): unknown; destroy(): unknown }
  output: NodeJS.WritableStream & { columns?: number; rows?: number; destroy(): unknown }
  /** Asks the terminal for its size again, after it changed. */
  refreshSize?(): void
}

/** The process's own terminal, whatever is redirected; `undefined` where there is none. */
export function openDevTty(): TerminalDevice | undefined {
  const read = openEnd(constants.O_RDONLY)
  if (read === undefined) return undefined
  const write = openEnd(constants.O_WRONLY)
  if (write === undefined) {
    closeSync(read)
    return undefined
  }
  try {
    const output = new WriteStream(write) as WriteStream & { _refreshSize?(): void }
    // Node refreshes only its own stdout and stderr by itself.
    return { input: new ReadStream(read), output, refreshSize: () => output._refreshSize?.() }
  } catch {
    return undefined // it was hung up meanwhile
  }
}

function openEnd(how: number): number | undefined {
  try {
    return openSync("/dev/tty", how | constants.O_NOCTTY)
  } catch {
    return undefined // ENXIO: the process has no terminal; ENOENT, EACCES: nor may it have one
  }
}

/**
 * Closes those of stdin, stdout and stderr that are a terminal no more, because it was hung up: at its end Node 20 would put
 * their modes back, and abort (exit 134) because it cannot. Call it on exit.
 */
export function closeGoneStdio(): void {
  for (const fd of [0, 1, 2]) {
    try {
      if (fstatSync(fd).isCharacterDevice() && !isatty(fd)) closeSync(fd)
    } catch {
      // it is closed already
    }
  }
}

/**
 * Whether the process group is the terminal's foreground group: only then may it read keys and change modes without being
 * stopped for it. Without a terminal nothing stops it either.
 */
export function inForeground(): boolean {
  const stat = readStat()
  if (stat === undefined) return foregroundByPs()
  // The second field is the program's name in brackets, and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const [group, terminalsGroup] = [fields[2], fields[5]]
  return terminalsGroup === "-1" || group === terminalsGroup
}

function readStat(): string | undefined {
  try {
    return readFileSync("/proc/self/stat", "utf8")
  } catch {
    return undefined // not Linux
  }
}

// Where there is no /proc, ps marks the foreground group with a plus, and a process without a terminal with question marks.
function foregroundByPs(): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=,tty=", "-p", String(process.pid)], { encoding: "utf8" })
  return typeof stdout !== "string" || stdout.trim() === "" || stdout.includes("+") || stdout.includes("?")
}
