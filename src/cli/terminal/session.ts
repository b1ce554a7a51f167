import { StringDecoder } from "node:string_decoder"
import type { Clock } from "../../index.ts"
import type { TerminalDevice } from "./device.ts"
import { createKeyDecoder, type Key } from "./keys.ts"

/** One opened terminal in raw mode, and the keys that come from it. */
export interface Session {
  device: TerminalDevice
  write(text: string): void
  /** Whether the terminal is gone; it may be from the start. */
  hasEnded(): boolean
  /**
   * Restores the modes and lets go of both ends.
   *
   * @param modes `restore`: paste mode off, cursor shown, raw off; `leave`: the terminal is another group's now, or gone
   */
  close(modes: "restore" | "leave"): void
}

export interface SessionOptions {
  device: TerminalDevice
  clock: Clock
  onKey(key: Key): void
  /** End of input, EIO, or a close from elsewhere, whichever comes first; once. */
  onEnd(): void
}

const PASTE_SILENCE_MS = 500
const SEQUENCE_SILENCE_MS = 50
const PASTE_MODE = { on: "\x1b[?2004h", off: "\x1b[?2004l" }
const SHOW_CURSOR = "\x1b[?25h"

/** Takes over an opened terminal: raw, with bracketed pastes, listening. All of it happens before this returns. */
export function openSession({ device, clock, onKey, onEnd }: SessionOptions): Session {
  const { input, output } = device
  let state: "open" | "ended" | "closed" = "open"
  const end = () => {
    if (state !== "open") return
    state = "ended"
    onEnd()
  }
  // They stay when the session is closed: what comes late from a terminal that is gone must not end the process.
  input.on("error", end)
  output.on("error", end)
  const attempt = (act: () => unknown) => {
    try {
      act()
    } catch {
      end() // EIO: the terminal is gone, which is what `onEnd` says
    }
  }
  attempt(() => input.setRawMode(true))
  attempt(() => output.write(PASTE_MODE.on))
  const stopReading = readKeys(input, clock, onKey)
  input.on("end", end)
  input.on("close", end)
  return {
    device,
    hasEnded: () => state === "ended",
    write: (text) => {
      if (state === "open") attempt(() => output.write(text))
    },
    close(modes) {
      if (state === "closed") return
      const usable = state === "open"
      state = "closed"
      stopReading()
      if (modes === "restore" && usable) {
        attempt(() => output.write(PASTE_MODE.off + SHOW_CURSOR))
        attempt(() => input.setRawMode(false))
      }
      attempt(() => input.destroy())
      attempt(() => output.destroy())
    },
  }
}

/** Decodes until it is stopped; what is incomplete is taken as it is after a silence. */
function readKeys(input: TerminalDevice["input"], clock: Clock, onKey: (key: Key) => void): () => void {
  const decoder = createKeyDecoder()
  const characters = new StringDecoder("utf8")
  let stopTimer = () => {}
  let reading = true
  const deliver = (keys: Key[]) => {
    for (const key of keys) if (reading) onKey(key)
  }
  const onData = (bytes: Buffer | string) => {
    stopTimer()
    deliver(decoder.push(typeof bytes === "string" ? bytes : characters.write(bytes)))
    const incomplete = decoder.incomplete()
    if (!reading || incomplete === undefined) return
    const silenceMs = incomplete === "paste" ? PASTE_SILENCE_MS : SEQUENCE_SILENCE_MS
    stopTimer = clock.after(silenceMs, () => deliver(decoder.expire()))
  }
  input.on("data", onData)
  return () => {
    reading = false
    stopTimer()
    input.off("data", onData)
  }
}
