import type { Io } from "../io.ts"

/** Why nobody at a terminal can be asked; `undefined`: somebody can. */
export function whyNobody({ terminal }: Pick<Io, "terminal">): string | undefined {
  if (!terminal.inForeground()) return "it is not in the terminal's foreground"
  const device = terminal.open()
  device?.input.destroy()
  device?.output.destroy()
  return device === undefined ? "there is no terminal" : undefined
}
