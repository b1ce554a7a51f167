/** A key that does something, by the name that prompts know it by. */
export type KeyName =
  | "enter"
  | "newline"
  | "backspace"
  | "delete"
  | "left"
  | "right"
  | "up"
  | "down"
  | "home"
  | "end"
  | "word left"
  | "word right"
  | "erase word"
  | "erase to start"
  | "erase to end"
  | "escape"
  | "ctrl-c"
  | "ctrl-d"
  | "ctrl-g"
  | "ctrl-z"
  | "unknown"

/** What the person did, decoded once: a character, a paste, or a key. */
export type Key =
  | { type: "text"; text: string }
  /** One insertion. `bracketed`: the terminal said that it is one; `read`: several characters came in one read. */
  | { type: "paste"; text: string; by: "bracketed" | "read" }
  | { type: "press"; name: KeyName }

/** Decodes what a terminal sends, read by read. */
export interface KeyDecoder {
  /** The keys of one read; what is incomplete is kept for the next. */
  push(read: string): Key[]
  /** What is incomplete: a paste without its end, or the beginning of a key's sequence. */
  incomplete(): "paste" | "sequence" | undefined
  /** Nothing came for a while: what is incomplete is taken as it is. */
  expire(): Key[]
}

const PASTE_START = "\x1b[200~"
const PASTE_END = "\x1b[201~"
// Written with its escape apart: the linter takes control characters in a pattern for a mistake.
const ESC = "\u001b"
const INCOMPLETE = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*|O)?$`)
const CONTROL_SEQUENCE = `${ESC}\\[[0-?]*[ -/]*[@-~]`
const STRING_SEQUENCE = `${ESC}[\\]PX^_][^\\x07${ESC}]*(?:\\x07|${ESC}\\\\)`
const SHORT_SEQUENCE = `${ESC}O[ -~]|${ESC}[^${ESC}[\\]OPX^_]`
const TOKEN = new RegExp(`${CONTROL_SEQUENCE}|${STRING_SEQUENCE}|${SHORT_SEQUENCE}|[\\s\\S]`, "gu")
const MODIFIED = new RegExp(`^${ESC}\\[1;[2-8]([A-DHF])$`)

export function createKeyDecoder(): KeyDecoder {
  let held = ""
  let pasted: string | undefined
  const takePaste = (text: string): Key[] => {
    pasted = undefined
    const kept = pastedText(text)
    return kept === "" ? [] : [{ type: "paste", text: kept, by: "bracketed" }]
  }
  const push = (read: string): Key[] => {
    const keys: Key[] = []
    let rest = held + read
    held = ""
    while (rest !== "") {
      if (pasted === undefined) {
        const start = rest.indexOf(PASTE_START)
        const typed = start < 0 ? rest : rest.slice(0, start)
        const open = start < 0 ? (INCOMPLETE.exec(typed)?.[0] ?? "") : ""
        keys.push(...readKeys(typed.slice(0, typed.length - open.length)))
        held = open
        if (start < 0) break
        pasted = ""
        rest = rest.slice(start + PASTE_START.length)
      } else {
        const all = pasted + rest
        const end = all.indexOf(PASTE_END)
        if (end < 0) {
          pasted = all
          break
        }
        keys.push(...takePaste(all.slice(0, end)))
        rest = all.slice(end + PASTE_END.length)
      }
    }
    return keys
  }
  return {
    push,
    incomplete: () => (pasted !== undefined ? "paste" : held === "" ? undefined : "sequence"),
    expire() {
      if (pasted !== undefined) return takePaste(pasted)
      const sequence = held
      held = ""
      return sequence === "" ? [] : [{ type: "press", name: sequence === "\x1b" ? "escape" : "unknown" }]
    },
  }
}

/**
 * The keys of one read outside brackets. With more than one character in it, it is a paste, whatever else came along; else
 * each is what it is: a slow line or a fast hand brings Left, Left and a letter in one read.
 *
 * Enter counts as a character: `y` and Enter in one read may be a pasted line as well as a hand that is faster than the line,
 * and only one of the two may send. For the same reason an Enter that came along with any other key is a line end.
 */
function readKeys(typed: string): Key[] {
  const tokens = typed.match(TOKEN) ?? []
  if (tokens.filter(isCharacter).length > 1) {
    const text = pastedText(tokens.filter((token) => !token.startsWith("\x1b")).join(""))
    return text === "" ? [] : [{ type: "paste", text, by: "read" }]
  }
  return tokens.map((token) => keyOf(token, tokens.length === 1 ? "alone" : "in company"))
}

function keyOf(token: string, came: "alone" | "in company"): Key {
  if (isText(token)) return { type: "text", text: token }
  const name = nameOf(token)
  return name === "enter" && came === "in company" ? { type: "paste", text: "\n", by: "read" } : { type: "press", name }
}

function isText(token: string): boolean {
  return !/^[\p{Cc}\p{Cs}]/u.test(token)
}

function isCharacter(token: string): boolean {
  return isText(token) || token === "\r" || token === "\n"
}

/** Line ends are kept, as newlines; other control characters, and halves of characters, are dropped. */
export function pastedText(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(/[\p{Cc}\p{Cs}]/gu, (char) => (char === "\n" ? char : ""))
}

function nameOf(token: string): KeyName {
  const plain = NAMES.get(token)
  if (plain) return plain
  // Arrows and the like with modifiers: ESC [ 1 ; 5 D
  const modified = MODIFIED.exec(token)?.[1]
  if (modified === "C") return "word right"
  return modified === "D" ? "word left" : "unknown"
}

const NAMES: ReadonlyMap<string, KeyName> = new Map([
  ["\r", "enter"],
  ["\n", "enter"],
  ["\x1bOM", "enter"], // the key pad's
  ["\x1b\r", "newline"],
  ["\x1b\n", "newline"],
  ["\x7f", "backspace"],
  ["\b", "backspace"],
  ["\x1b[3~", "delete"],
  ["\x02", "left"],
  ["\x06", "right"],
  ["\x01", "home"],
  ["\x05", "end"],
  ["\x1b[1~", "home"],
  ["\x1b[4~", "end"],
  ["\x1b[7~", "home"],
  ["\x1b[8~", "end"],
  ...arrows("\x1b["),
  ...arrows("\x1bO"),
  ["\x1bb", "word left"],
  ["\x1bf", "word right"],
  ["\x17", "erase word"],
  ["\x1b\x7f", "erase word"],
  ["\x15", "erase to start"],
  ["\x0b", "erase to end"],
  ["\x03", "ctrl-c"],
  ["\x04", "ctrl-d"],
  ["\x07", "ctrl-g"],
  ["\x1a", "ctrl-z"],
] satisfies [string, KeyName][])

function arrows(start: string): [string, KeyName][] {
  return [
    [`${start}A`, "up"],
    [`${start}B`, "down"],
    [`${start}C`, "right"],
    [`${start}D`, "left"],
    [`${start}H`, "home"],
    [`${start}F`, "end"],
  ]
}
