import assert from "node:assert/strict"
import { execFileSync, spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { createServer } from "node:net"
import { after, test } from "node:test"
import { temporaryFolder, type WorkingFolder, workingFolder } from "../support/folder.ts"
import { program } from "../support/program.ts"

const isRoot = process.getuid?.() === 0
const asRoot = { skip: isRoot ? false : "needs root, to become somebody else" }

/** One call of each tool on a path. */
const CALLS = {
  read: (path: string) => ({ path }),
  grep: (path: string) => ({ pattern: "^", path }),
  glob: (path: string) => ({ pattern: "*", path }),
  write: (path: string) => ({ path, content: "new\n" }),
  edit: (path: string) => ({ path, oldText: "a", newText: "b" }),
  apply_patch: (path: string) => ({ patch: `--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-a\n+b\n` }),
}
type Name = keyof typeof CALLS
const NAMES = Object.keys(CALLS) as Name[]

const folder = await workingFolder({
  empty: "",
  file: "a\n",
  "utf16le.txt": Buffer.from("\ufeffa\n", "utf16le"),
  "utf16be.txt": Buffer.from("feff0061000a", "hex"),
  latin1: Buffer.from([0x61, 0xfc, 0x0a]),
  "cut-utf8": Buffer.from([0x61, 0xe2, 0x82]),
  nul: Buffer.from("a\0b\n"),
  "picture.png": Buffer.from("89504e470d0a1a0a0000", "hex"),
  "sub/f": "",
})
symlinkSync("circle", folder.at("circle"))
symlinkSync("circle-b", folder.at("circle-a"))
symlinkSync("circle-a", folder.at("circle-b"))
symlinkSync("nothing", folder.at("dangling"))
execFileSync("mkfifo", [folder.at("pipe")])
const server = createServer().listen(folder.at("socket"))
after(() => server.close())

const REGULAR = /no regular file/
const MISSING = /is not there/
const ODD: Record<string, { path: string; all?: RegExp } & Partial<Record<Name, RegExp>>> = {
  "a pipe": { path: "pipe", all: REGULAR },
  "a socket": { path: "socket", all: REGULAR },
  "a file behind a link to nothing": { path: "dangling/x", all: MISSING },
  "a device that never ends": { path: "/dev/zero", all: REGULAR },
  "a device that takes all": { path: "/dev/null", all: REGULAR, apply_patch: /both names are \/dev\/null/ },
  "a link to itself": { path: "circle", all: /lead in a circle/ },
  "links in a circle": { path: "circle-a", all: /lead in a circle/ },
  "a link to nothing": { path: "dangling", all: /a symbolic link to a file that is not there/ },
  "a file as a folder": { path: "file/x", all: /a part of its path is a file/ },
  "a name with a NUL": { path: "a\0b", all: /holds a NUL|cannot be read/ },
  "a name that is too long": { path: "x".repeat(300), all: /its name is too long/ },
  "a path that is too long": { path: `${"a/".repeat(2040)}${"b".repeat(30)}`, all: /too long|must NOT have more than/ },
  "a path of megabytes": { path: "a/".repeat(1_000_000), all: /too long|must NOT have more than|named as a folder/ },
  "nothing at all": { path: "gone", all: MISSING, write: /^gone: made/ },
  "a folder": { path: "sub", all: /is a folder/, grep: /nothing found/, glob: /^sub\/f$/ },
  "a file named as a folder": { path: "file/", all: /is named as a folder/ },
  "a folder that is not there": { path: "gone-too/", all: /is named as a folder/ },
  "an empty file": {
    path: "empty",
    read: /^\[The file is empty\]$/,
    grep: /nothing found/,
    glob: /is a file/,
    write: /replaced/,
    edit: /not found/,
    apply_patch: /does not fit/,
  },
  "UTF-16": {
    path: "utf16le.txt",
    read: /^\[UTF-16 text, 6 bytes: read it with bash, for instance iconv/,
    edit: /UTF-16 text, 6 bytes\): use bash/,
    apply_patch: /UTF-16 text/,
  },
  "UTF-16, the other way round": {
    path: "utf16be.txt",
    read: /^\[UTF-16 text/,
    edit: /use bash/,
    apply_patch: /use bash/,
  },
  "Latin-1": { path: "latin1", read: /hardly UTF-8/, edit: /is not UTF-8/, apply_patch: /is not UTF-8/ },
  "a text that is cut off in a character": { path: "cut-utf8", read: /hardly UTF-8/, edit: /is not UTF-8/ },
  "binary data": { path: "nul", read: /^\[binary data, 4 bytes\]$/, grep: /nothing found/, edit: /use bash/ },
  "a picture": {
    path: "picture.png",
    read: /^\[image\/png, 10 bytes\]$/,
    edit: /image\/png/,
    apply_patch: /image\/png/,
  },
}

// Whatever changes something comes last of all.
for (const name of ["read", "grep", "glob", "edit", "apply_patch", "write"] satisfies Name[]) {
  for (const [what, odd] of Object.entries(ODD)) {
    const said = odd[name] ?? odd.all
    if (said === undefined) continue
    test(`${name} on ${what} says what is the matter`, async () => {
      const { output, isError } = await folder.call(name, CALLS[name](odd.path))
      assert.match(output, said)
      if (!odd[name]) assert.equal(isError, true, output)
    })
  }
}

const ODD_NAMES = [
  "-rf",
  "--help",
  "a b",
  " lead",
  "trail ",
  "q'\"`$x\\",
  "new\nline",
  "tab\t",
  "\u001b[31m",
  "\u202ebidi",
  "é漢👍",
  "e\u0301",
  "a:1:b",
  "*",
  "[x]{y}",
  "~",
  "#",
  "...",
  "COM1",
]

for (const name of ODD_NAMES) {
  test(`a file named ${JSON.stringify(name)} is made, found, read, edited and patched like any other`, async () => {
    const here = await workingFolder()
    // What stands for the home folder elsewhere is a name here, where it is said to be.
    const path = name === "~" ? "./~" : name
    assert.equal((await here.call("write", { path, content: "needle\n" })).isError, false)
    assert.deepEqual(readdirSync(here.path), [name])
    const shown = /\p{C}|[\p{Zl}\p{Zp}]/u.test(name) ? JSON.stringify(name) : name
    assert.equal((await here.call("glob", { pattern: "*" })).output, shown)
    assert.equal((await here.call("grep", { pattern: "needle" })).output, `${shown}:1:needle`)
    assert.equal((await here.call("read", { path })).output, "1\tneedle")
    assert.equal((await here.call("edit", { path, oldText: "needle", newText: "pin" })).isError, false)
    const marked = /[\n\t"\\\u001b]/.test(path) ? JSON.stringify(`a/${path}`).replace("\\u001b", "\\033") : `a/${path}`
    const patch = `--- ${marked}\n+++ ${marked.replace("a/", "b/")}\n@@ -1 +1 @@\n-pin\n+tack\n`
    if (name !== "trail ") {
      assert.equal((await here.call("apply_patch", { patch })).output, `The patch is applied:\nchanged ${path}`)
      assert.equal(here.text(name), "tack\n")
    }
    assert.deepEqual(readdirSync(here.path), [name])
  })
}

test("a name that is no UTF-8 is listed, and what cannot be opened by it is told", async () => {
  const here = await workingFolder()
  execFileSync("/bin/sh", ["-c", "printf needle > \"$(printf 'bad\\377name')\""], { cwd: here.path })
  assert.equal((await here.call("glob", { pattern: "*" })).output, "bad\ufffdname")
  assert.match((await here.call("grep", { pattern: "needle" })).output, /could not be read|bad.name:1:needle/)
  assert.match((await here.call("read", { path: "bad\ufffdname" })).output, /is not there/)
})

/** What a call leaves of a file. */
async function left(content: string | Buffer, name: "edit" | "apply_patch", args: object): Promise<string> {
  const here = await workingFolder({ f: content })
  const { output, isError } = await here.call(name, { ...(name === "edit" ? { path: "f" } : {}), ...args })
  return isError ? output : here.text("f")
}

test("line ends, a byte order mark and a missing last line end stay as they are", async () => {
  const patch = "--- a/f\n+++ b/f\n@@ -2 +2,2 @@\n-b\n+B\n+new\n"
  const edit = { oldText: "b", newText: "B\nnew" }
  for (const [before, then] of [
    ["a\nb\nc\n", "a\nB\nnew\nc\n"],
    ["a\nb\nc", "a\nB\nnew\nc"],
    ["a\r\nb\r\nc\r\n", "a\r\nB\r\nnew\r\nc\r\n"],
    ["\uFEFFa\r\nb\r\nc", "\uFEFFa\r\nB\r\nnew\r\nc"],
    ["\uFEFFa\nb\nc\n", "\uFEFFa\nB\nnew\nc\n"],
    ["a\r\nb\nc\r\nd\r\n", "a\r\nB\r\nnew\r\nc\r\nd\r\n"],
  ] as const) {
    assert.equal(await left(before, "apply_patch", { patch }), then, JSON.stringify(before))
    if (!before.includes("b\nc\r")) assert.equal(await left(before, "edit", edit), then, JSON.stringify(before))
  }
  assert.equal(await left("a\rb\rc\r", "edit", { oldText: "b", newText: "B" }), "a\rB\rc\r")
})

test("an edit must have one place, also where its places overlap", async () => {
  assert.match(await left("}\n}\n}\n", "edit", { oldText: "}\n}\n", newText: "x" }), /is in f 2 times, in lines 1, 2/)
  assert.match(await left("aaa", "edit", { oldText: "aa", newText: "x" }), /is in f 2 times, in lines 1, 1/)
  assert.equal(await left("aaaa", "edit", { oldText: "aa", newText: "x", all: true }), "xx")
  assert.equal(await left("a$1b", "edit", { oldText: "$1", newText: "$&$`$'$$" }), "a$&$`$'$$b")
  assert.match(await left("a", "edit", { oldText: "a", newText: "a" }), /are the same/)
  assert.match(await left("a\r\nb", "edit", { oldText: "a\nb", newText: "a\r\nb" }), /are the same/)
})

test("very many places, lines and hunks are answered in bounded time", async () => {
  const here = await workingFolder({ f: "x\n".repeat(1_000_000) })
  assert.match((await here.call("edit", { path: "f", oldText: "x\n", newText: "y\n" })).output, /and 999980 more/)
  assert.match(
    (await here.call("edit", { path: "f", oldText: "x\n", newText: "y\n", all: true })).output,
    /1000000 times, and more than 10000 are not replaced in one call: use bash/,
  )
  assert.match(
    (await here.call("edit", { path: "f", oldText: `${" x\n".repeat(2000)}q`, newText: "" })).output,
    /not found/,
  )
  const hunk = (line: number, lines: number) =>
    `--- a/f\n+++ b/f\n@@ -${line},${lines} +1,1 @@\n${"-x\n".repeat(lines - 1)}-z\n`
  assert.match(
    (await here.call("apply_patch", { patch: hunk(1, 2000) })).output,
    /takes too long: give the right line number/,
  )
  const late = "--- a/f\n+++ b/f\n@@ -999999,2 +999999,2 @@\n x\n-x\n+end\n"
  assert.equal((await here.call("apply_patch", { patch: late })).isError, false)
  assert.match(here.text("f"), /x\nend\n$/)
})

test("permissions, owner, links and what else a file is stay when its content changes", asRoot, async () => {
  for (const name of ["edit", "apply_patch", "write"] as const) {
    const here = await workingFolder({ "real/f": "a\n" })
    chownSync(here.at("real/f"), 1234, 4321)
    chmodSync(here.at("real/f"), 0o4751)
    symlinkSync("real/f", here.at("link"))
    assert.equal((await here.call(name, CALLS[name]("link"))).isError, false)
    const { uid, gid, mode } = statSync(here.at("real/f"))
    assert.deepEqual([uid, gid, (mode & 0o7777).toString(8)], [1234, 4321, "4751"], name)
    assert.equal(readlinkSync(here.at("link")), "real/f")
    assert.deepEqual(readdirSync(here.at("real")), ["f"])
  }
})

test("a renamed file keeps its permissions and owner", asRoot, async () => {
  const here = await workingFolder({ f: "a\n" })
  chownSync(here.at("f"), 1234, 4321)
  chmodSync(here.at("f"), 0o640)
  const patch = "diff --git a/f b/g\nrename from f\nrename to g\n"
  assert.equal((await here.call("apply_patch", { patch })).isError, false)
  const { uid, gid, mode } = statSync(here.at("g"))
  assert.deepEqual([uid, gid, mode & 0o777], [1234, 4321, 0o640])
})

test("a file with a second name becomes a file of its own, and the other name keeps what it had", async () => {
  const here = await workingFolder({ f: "a\n" })
  linkSync(here.at("f"), here.at("other"))
  assert.equal((await here.call("edit", { path: "f", oldText: "a", newText: "b" })).isError, false)
  assert.deepEqual([here.text("f"), here.text("other")], ["b\n", "a\n"])
})

/** Calls as somebody who is not root; what they come to. */
function asNobody(here: Pick<WorkingFolder, "path">, calls: readonly (readonly [string, object])[]): string[] {
  const code = `
    const { createToolkit } = await import("./src/tools/create-toolkit.ts")
    const toolkit = await createToolkit({ builtins: true, cwd: ${JSON.stringify(here.path)} })
    for (const [name, args] of ${JSON.stringify(calls)})
      console.log(JSON.stringify((await toolkit.execute(name, args)).output))`
  const nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, program({ code })]
  const { stdout, stderr } = spawnSync("/usr/bin/setpriv", nobody, { encoding: "utf8", env: {} })
  assert.equal(stderr, "")
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
}

test("a patch whose third file may not be changed changes none", asRoot, async () => {
  const here = await workingFolder({ a: "a\n", b: "a\n", "fixed/c": "a\n" })
  for (const name of [".", "a", "b", "fixed/c"]) chmodSync(here.at(name), name === "." ? 0o777 : 0o666)
  const part = (path: string) => CALLS.apply_patch(path).patch
  const [output] = asNobody(here, [["apply_patch", { patch: part("a") + part("b") + part("fixed/c") }]])
  assert.equal(
    output,
    "fixed/c can be neither replaced nor deleted: permission to change its folder is denied. Nothing was changed.",
  )
  assert.deepEqual([here.text("a"), here.text("b"), here.text("fixed/c")], ["a\n", "a\n", "a\n"])
  assert.deepEqual(readdirSync(here.path).sort(), ["a", "b", "fixed"])
})

test(
  "somebody else's file that may be written is changed, and never runs as its owner afterwards",
  asRoot,
  async () => {
    const here = await workingFolder({ f: "a\n" })
    chmodSync(here.path, 0o777)
    chmodSync(here.at("f"), 0o4777)
    assert.match(asNobody(here, [["edit", CALLS.edit("f")]])[0] ?? "", /replaced 1 place/)
    const { uid, mode } = statSync(here.at("f"))
    assert.deepEqual([uid, (mode & 0o7777).toString(8)], [65534, "777"])
  },
)

test("a patch whose third file cannot be written, as there is no room, changes none", async () => {
  const here = await workingFolder({ a: "a\n", b: "a\n" })
  const part = (path: string) => CALLS.apply_patch(path).patch
  const large = `--- /dev/null\n+++ b/deep/c\n@@ -0,0 +1,3000 @@\n${"+0123456789\n".repeat(3000)}`
  const code = `
    const { createToolkit } = await import("./src/tools/create-toolkit.ts")
    process.on("SIGXFSZ", () => {})
    const toolkit = await createToolkit({ builtins: true, cwd: ${JSON.stringify(here.path)} })
    console.log((await toolkit.execute("apply_patch", { patch: ${JSON.stringify(part("a") + part("b") + large)} })).output)`
  const script = `ulimit -f 8; exec "$0" "$1"` // blocks of 512 or 1024 bytes
  const { stdout, stderr } = spawnSync("/bin/sh", ["-c", script, process.execPath, program({ code })], {
    encoding: "utf8",
  })
  assert.match(stdout, /deep\/c.*(?:EFBIG|too large).*Nothing was changed\.\n$/, stderr)
  assert.deepEqual([here.text("a"), here.text("b"), readdirSync(here.path).sort()], ["a\n", "a\n", ["a", "b"]])
})

test("a file that is deleted, cut or replaced while it is read comes as it was or is told", async () => {
  const line = "line\n".repeat(200_000)
  for (const change of [
    unlinkSync,
    (file: string) => truncateSync(file, 10),
    (file: string) => writeFileSync(file, "new\n"),
  ]) {
    const here = await workingFolder({ f: line.repeat(20) })
    const reading = here.call("read", { path: "f", offset: 3_999_999 })
    await new Promise(setImmediate)
    change(here.at("f"))
    const { output } = await reading
    assert.match(output, /^3999999\tline\n4000000\tline\n\[The file ends here\]$|^f has \d+ lines|^f is not there/)
  }
})

test("a .gitignore that never ends, is none or is huge holds no search up", async () => {
  const odd: Record<string, (file: string) => void> = {
    pipe: (file) => execFileSync("mkfifo", [file]),
    device: (file) => symlinkSync("/dev/zero", file),
    folder: (file) => mkdirSync(file),
    circle: (file) => symlinkSync(".gitignore", file),
    long: (file) => writeFileSync(file, `${"*a".repeat(400_000)}\n*.log\n`),
    deep: (file) => writeFileSync(file, `${"**/".repeat(300_000)}x\n*.log\n`),
    large: (file) => writeFileSync(file, "*.log\n".repeat(300_000)),
    binary: (file) => writeFileSync(file, Buffer.from([0, 255, 10, 0xc3, 0x28])),
  }
  for (const [what, make] of Object.entries(odd)) {
    const here = await workingFolder({ ".git/HEAD": "", "sub/a.txt": "needle\n", "sub/a.log": "needle\n" })
    make(here.at(".gitignore"))
    assert.match((await here.call("glob", { pattern: "**/*.txt" })).output, /^sub\/a\.txt$/, what)
    const logs = (await here.call("glob", { pattern: "**/*.log" })).output
    assert.equal(logs, what === "long" || what === "deep" ? "(nothing found)" : "sub/a.log", what)
    const path = process.env.PATH
    process.env.PATH = "/nowhere"
    assert.match((await here.call("grep", { pattern: "needle", glob: "*.txt" })).output, /^sub\/a\.txt:1:needle$/, what)
    process.env.PATH = path
  }
})

const ODD_PATTERNS = [
  "[",
  "[]",
  "[!]",
  "[]]",
  "[z-a]",
  "***",
  "**/**/**",
  "\\",
  "a\\",
  "a//b",
  "sub/",
  "{a,{b,c}}",
  "{1..3}",
  "!x",
  "./x",
  ".",
  "?",
  "{",
  "}",
  "{}",
  "{,}",
  "[[:alpha:]]",
  "**x",
  "*".repeat(1000),
  "*a".repeat(500),
  "{".repeat(1000),
  "{a,".repeat(300),
  "(",
  "+(x)",
  "\n",
  "\0",
  "\ud800",
]

test("odd patterns of names are patterns like any other, or refused in words", async () => {
  const here = await workingFolder({ "sub/x": "", [`${"a".repeat(200)}`]: "", x: "" })
  for (const pattern of ODD_PATTERNS) {
    const { output, isError } = await here.call("glob", { pattern })
    assert.ok(output !== "" && (!isError || /too many patterns/.test(output)), `${JSON.stringify(pattern)}: ${output}`)
  }
})

test("odd expressions find lines, or are refused in words", async () => {
  const here = await workingFolder({ f: "Needle\n" })
  const path = process.env.PATH
  for (const searchPath of ["/nowhere", path]) {
    process.env.PATH = searchPath
    for (const pattern of ["(", "[", "\\", "*", "a{2,1}", "(?P<", "(?<n", "\\p{Nope}"]) {
      const { output } = await here.call("grep", { pattern })
      assert.match(output, /^The pattern cannot be read \(|^\(nothing found\)$/, `${pattern}: ${output}`)
    }
    for (const pattern of ["(?i)needle", "^Needle$", "$", "N|", "\\p{Lu}", "e{2}"]) {
      assert.equal((await here.call("grep", { pattern })).output, "f:1:Needle", pattern)
    }
  }
  process.env.PATH = path
})

test("a working folder that is gone is an error of every tool that needs it", async () => {
  for (const name of [...NAMES, "bash"]) {
    const here = await workingFolder({ f: "a\n" })
    rmSync(here.path, { recursive: true })
    const args = name === "bash" ? { command: "pwd" } : CALLS[name as Name](name === "glob" ? "." : "f")
    const { output, isError } = await here.call(name, args)
    // write makes the folders on the way, as it says.
    if (name !== "write") assert.deepEqual([isError, /is not there/.test(output)], [true, true], `${name}: ${output}`)
  }
})

test("links among what is searched are told and not followed, however many", async () => {
  const outer = temporaryFolder({ "out/secret": "needle\n" })
  const here = await workingFolder({ f: "needle\n" })
  symlinkSync(outer.at("out"), here.at("link"))
  symlinkSync(".", here.at("round"))
  symlinkSync(outer.at("out/secret"), here.at("file"))
  assert.equal((await here.call("glob", { pattern: "**" })).output, "f\nfile@\nlink@\nround@")
  assert.equal((await here.call("grep", { pattern: "needle" })).output, "f:1:needle")
  assert.equal(lstatSync(here.at("round")).isSymbolicLink(), true)
})

test("a name that is not what the file system calls it is the file that it leads to", async () => {
  const here = await workingFolder({ "sub/f": "a\n" })
  for (const path of [
    "sub/./f",
    "sub//f",
    "./sub/../sub/f",
    `${here.path}/sub/f`,
    `/proc/self/root${here.path}/sub/f`,
  ]) {
    assert.equal((await here.call("read", { path })).output, "1\ta", path)
  }
  assert.equal(readFileSync(here.at("sub/f"), "utf8"), "a\n")
})
