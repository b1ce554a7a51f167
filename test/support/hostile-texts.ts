/** What could deceive who reads it on a terminal, and what is to be seen of it there: each character, in order. */
export interface HostileText {
  name: string
  text: string
  shown: string
}

export const HOSTILE_TEXTS: readonly HostileText[] = [
  { name: "an erased line", text: "ls\x1b[2K\rx", shown: "ls<U+001B>[2K<U+000D>x" },
  { name: "a cursor that goes up", text: "ls\x1b[9Ax", shown: "ls<U+001B>[9Ax" },
  { name: "a cleared screen", text: "\x1b[2J\x1b[Hls", shown: "<U+001B>[2J<U+001B>[Hls" },
  { name: "a scrollback that is erased", text: "ls\x1b[3J", shown: "ls<U+001B>[3J" },
  { name: "an 8-bit control sequence", text: "ls\x9b2Jx", shown: "ls<U+009B>2Jx" },
  { name: "hidden text", text: "ls \x1b[8m; rm x\x1b[0m", shown: "ls <U+001B>[8m; rm x<U+001B>[0m" },
  {
    name: "a link that leads elsewhere (OSC 8)",
    text: "\x1b]8;;http://a.test\x07b.test\x1b]8;;\x07",
    shown: "<U+001B>]8;;http://a.test<U+0007>b.test<U+001B>]8;;<U+0007>",
  },
  { name: "a filled clipboard (OSC 52)", text: "ls\x1b]52;c;cm0gLXJm\x07", shown: "ls<U+001B>]52;c;cm0gLXJm<U+0007>" },
  { name: "a window title (OSC 0)", text: "ls\x1b]0;owned\x1b\\", shown: "ls<U+001B>]0;owned<U+001B>\\" },
  { name: "an 8-bit title", text: "ls\x9d0;owned\x9c", shown: "ls<U+009D>0;owned<U+009C>" },
  { name: "a device control string", text: "\x1bP$q m\x1b\\ls", shown: "<U+001B>P$q m<U+001B>\\ls" },
  { name: "an application command", text: "\x1b_Gf=100;AAAA\x1b\\ls", shown: "<U+001B>_Gf=100;AAAA<U+001B>\\ls" },
  {
    name: "a privacy message and a start of string",
    text: "\x1b^a\x1b\\\x1bXb\x1b\\ls",
    shown: "<U+001B>^a<U+001B>\\<U+001B>Xb<U+001B>\\ls",
  },
  {
    name: "a question to the terminal, which it answers as if typed",
    text: "ls\x1b[6n\x1b[c\x05",
    shown: "ls<U+001B>[6n<U+001B>[c<U+0005>",
  },
  { name: "a reset", text: "ls\x1bcx", shown: "ls<U+001B>cx" },
  { name: "the alternate screen", text: "\x1b[?1049hls\x1b[?25l", shown: "<U+001B>[?1049hls<U+001B>[?25l" },
  { name: "another character set", text: "\x1b(0lqqk\x0e\x0f", shown: "<U+001B>(0lqqk<U+000E><U+000F>" },
  { name: "a carriage return over a command", text: "rm -rf x\rls -l   x", shown: "rm -rf x<U+000D>ls -l   x" },
  { name: "backspaces over a command", text: "rm x\b\b\b\bls x", shown: "rm x<U+0008><U+0008><U+0008><U+0008>ls x" },
  { name: "tabs", text: "ls\t\t\trm", shown: "ls<U+0009><U+0009><U+0009>rm" },
  { name: "other feeds", text: "ls\v\frm", shown: "ls<U+000B><U+000C>rm" },
  { name: "NUL and DEL", text: "r\0m\x7f", shown: "r<U+0000>m<U+007F>" },
  { name: "a bell", text: "ls\x07\x07", shown: "ls<U+0007><U+0007>" },
  { name: "text turned round", text: "safe\u202Egnp.exe", shown: "safe<U+202E>gnp.exe" },
  { name: "isolates", text: "a\u2067b\u2066c\u2069\u2069", shown: "a<U+2067>b<U+2066>c<U+2069><U+2069>" },
  {
    name: "embeddings and marks",
    text: "a\u202Ab\u202Bc\u202C\u200E\u200F\u061C",
    shown: "a<U+202A>b<U+202B>c<U+202C><U+200E><U+200F><U+061C>",
  },
  {
    name: "zero-width characters",
    text: "r\u200Bm\u200C \u200D-\u2060rf",
    shown: "r<U+200B>m<U+200C> <U+200D>-<U+2060>rf",
  },
  { name: "a soft hyphen and a byte order mark", text: "r\u00ADm\uFEFF", shown: "r<U+00AD>m<U+FEFF>" },
  { name: "variation selectors", text: "r\uFE0Fm\u{E0100}", shown: "r<U+FE0F>m<U+E0100>" },
  { name: "tag characters", text: "ls\u{E0072}\u{E006D}", shown: "ls<U+E0072><U+E006D>" },
  { name: "letters that are blank", text: "ls\u3164\u115F\u1160\uFFA0x", shown: "ls<U+3164><U+115F><U+1160><U+FFA0>x" },
  { name: "letters that look like others", text: "сurl gооgle.test | ѕh", shown: "сurl gооgle.test | ѕh" },
  {
    name: "emoji that are joined",
    text: "a\u{1F469}\u200D\u{1F4BB}b\u{1F1E9}\u{1F1EA}c",
    shown: "a\u{1F469}<U+200D>\u{1F4BB}b\u{1F1E9}\u{1F1EA}c",
  },
  { name: "wide letters", text: "rm 日本語ｒｍ 한국어", shown: "rm 日本語ｒｍ 한국어" },
  { name: "a stack of marks", text: `r${"\u0301\u0336".repeat(20)}m`, shown: `r${"\u0301\u0336".repeat(20)}m` },
  { name: "a joiner of marks, and a mark without a letter", text: "\u0336r\u034Fm", shown: "\u0336r<U+034F>m" },
  { name: "other line ends", text: "ls\u0085rm\u2028x\u2029y", shown: "ls<U+0085>rm<U+2028>x<U+2029>y" },
  {
    name: "spaces that are none",
    text: "rm\u00A0-rf\u2003a\u3000b\u1680c\u202Fd\u205Fe",
    shown: "rm<U+00A0>-rf<U+2003>a<U+3000>b<U+1680>c<U+202F>d<U+205F>e",
  },
  { name: "halves of characters", text: "a\uD800b\uDFFFc", shown: "a<U+D800>b<U+DFFF>c" },
  { name: "private use", text: "a\uE0B0b\u{F0000}\u{10FFFD}", shown: "a<U+E0B0>b<U+F0000><U+10FFFD>" },
  { name: "what is no character", text: "a\u0378b\uFFFFc\u{1FFFE}", shown: "a<U+0378>b<U+FFFF>c<U+1FFFE>" },
  {
    name: "notes between lines, and invisible signs",
    text: "a\uFFF9b\uFFFAc\uFFFBd\u2062e\u{1D173}",
    shown: "a<U+FFF9>b<U+FFFA>c<U+FFFB>d<U+2062>e<U+1D173>",
  },
  { name: "letters from right to left", text: "rm שלום -rf مرحبا", shown: "rm שלום -rf مرحبا" },
  {
    name: "a command pushed out by spaces",
    text: `ls${" ".repeat(500)}; rm -rf x`,
    shown: `ls${" ".repeat(500)}; rm -rf x`,
  },
  {
    name: "a command pushed out by lines",
    text: `ls${"\n".repeat(60)}rm -rf x`,
    shown: `ls${"\n".repeat(60)}rm -rf x`,
  },
  {
    name: "what looks like a question of ours",
    text: "ls\n? Run ls?\n> 1. Approve once\n  folder: /x",
    shown: "ls\n? Run ls?\n> 1. Approve once\n  folder: /x",
  },
  { name: "what looks like an escaped character", text: "ls <U+202E>\\u202E", shown: "ls <U+202E>\\u202E" },
]
