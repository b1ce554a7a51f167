import assert from "node:assert/strict"
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, symlinkSync } from "node:fs"
import { test } from "node:test"
import { createToolkit } from "../../../../src/tools/create-toolkit.ts"
import { temporaryFolder } from "../../../support/folder.ts"
import { program } from "../../../support/program.ts"

const folder = temporaryFolder()
const skill = (matter: string, body = "Do it.\n") => `---\n${matter}\n---\n${body}`

/** Folders that load: the SKILL.md, and the line of the prompt. */
const GOOD: Record<string, [content: string | Buffer, line: string]> = {
  plain: [skill("name: plain\ndescription: Fills in forms"), "plain: Fills in forms"],
  "with-more": [
    skill("name: with-more\ndescription: d\nlicense: MIT\nallowed-tools: [Read, Bash]\nmetadata:\n  v: 1.0"),
    "with-more: d",
  ],
  "other-name": [skill("name: quite-another\ndescription: d"), "quite-another: d"],
  "no-name": [skill("description: called as its folder"), "no-name: called as its folder"],
  bom: [Buffer.from(`\uFEFF${skill("name: bom\ndescription: d")}`), "bom: d"],
  crlf: [skill("name: crlf\ndescription: d").replaceAll("\n", "\r\n"), "crlf: d"],
  folded: [skill("name: folded\ndescription: >\n  one\n  two\n\n  three"), "folded: one two three"],
  literal: [skill("name: literal\ndescription: |\n  one\n  - evil: two"), "literal: one - evil: two"],
  quoted: [skill('name: "quoted"\ndescription: "Use: when # \\"needed\\""'), 'quoted: Use: when # "needed"'],
  number: [skill("name: 007\ndescription: 1.10"), "007: 1.10"],
  yes: [skill("name: yes\ndescription: null"), "yes: null"],
  anchor: [skill("description: &d used twice\nname: *d"), "used twice: used twice"],
  tagged: [
    skill(`name: tagged\ndescription: !!js/function "function () { return 1 }"`),
    "tagged: function () { return 1 }",
  ],
  merged: [skill("base: &base { name: a }\n<<: *base\nname: merged\ndescription: d"), "merged: d"],
  "Odd Näme v1.2": [skill("description: d"), "Odd Näme v1.2: d"],
  "plugin:part": [skill("name: plugin:part\ndescription: d"), "plugin:part: d"],
  dots: [skill("name: dots\ndescription: d").replace(/---\n(Do it)/, "...\n$1"), "dots: d"],
}

/** Folders that do not, and why. */
const BAD: Record<string, [content: string | Buffer, reason: RegExp]> = {
  "no-matter": ["# Just text\n", /it has no front matter: begin it with a line ---/],
  "no-end": ["---\nname: x\ndescription: d\n", /its front matter has no end: put a line ---/],
  "broken-yaml": [
    skill("name: broken\ndescription: Use when: needed"),
    /its front matter is no YAML \(line 3: Nested mappings are not allowed.*\): .*needs quotes/,
  ],
  tabs: [skill("name: tabs\nmetadata:\n\tv: 1\ndescription: d"), /its front matter is no YAML \(line 4: /],
  "twice-the-key": [skill("name: a\nname: b\ndescription: d"), /no YAML \(line 3: Map keys must be unique/],
  "no-settings": [skill("- a\n- b"), /it needs name: and description:/],
  "empty-matter": [skill(""), /it needs name: and description:/],
  "no-description": [skill("name: no-description"), /it has no description: say in its front matter/],
  "blank-description": [skill('name: x\ndescription: " \\n "'), /it has no description/],
  "listed-description": [skill("name: x\ndescription: [a, b]"), /description must be a text/],
  "empty-body": [skill("name: x\ndescription: d", " \n"), /no text behind its front matter/],
  "path-as-name": [skill("name: ../../etc\ndescription: d"), /its name "\.\.\/\.\.\/etc" cannot be one/],
  "name-of-lines": [
    skill('name: "a\\n- b"\ndescription: d\nname-x: 1', "x").replace("a\\n- b", "a\\n]- b"),
    /cannot be one/,
  ],
  "long-name": [skill(`name: ${"x".repeat(65)}\ndescription: d`), /cannot be one/],
  binary: [Buffer.from("89504e470d0a1a0a00", "hex"), /its SKILL\.md is image\/png/],
  utf16: [Buffer.from(`\uFEFF${skill("name: utf16\ndescription: d")}`, "utf16le"), /is UTF-16 text: save it as UTF-8/],
  latin1: [Buffer.from(skill("name: latin1\ndescription: \xe9"), "latin1"), /is not UTF-8/],
  huge: [skill("name: huge\ndescription: d", "x".repeat(1024 * 1024)), /has 1048\d+ bytes, and 1048576 are the most/],
  "huge-matter": [skill(`description: ${"x".repeat(70_000)}`), /front matter is longer than 65536/],
  deep: [skill(`name: ${"[".repeat(20_000)}`), /its front matter /],
}

function put(place: string, content: string | Buffer) {
  folder.put(`${place}/SKILL.md`, content)
}

async function load(...folders: string[]) {
  const warnings: string[] = []
  const onWarning = (warning: string) => warnings.push(warning)
  const toolkit = await createToolkit({ skillsDir: folders, cwd: folder.path, onWarning })
  const names = toolkit.skillsPrompt().split("\n").slice(1)
  return { toolkit, warnings, names: names.map((line) => line.slice(2)) }
}

test("skills as people write them load, in a fixed order, with one line of the prompt each", async () => {
  for (const [name, [content]] of Object.entries(GOOD)) put(`good/${name}`, content)
  const { toolkit, warnings, names } = await load("good")
  assert.deepEqual(warnings, [])
  const expected = Object.entries(GOOD).sort(([a], [b]) => (a < b ? -1 : 1))
  assert.deepEqual(
    names,
    expected.map(([, [, line]]) => line),
  )
  assert.equal((await load("good")).toolkit.skillsPrompt(), toolkit.skillsPrompt())
  for (const line of names) {
    const [name = ""] = line.split(/: /)
    assert.match((await toolkit.execute("skill", { name })).output, /\n\nDo it\.$/, name)
  }
})

for (const [name, [content, reason]] of Object.entries(BAD)) {
  test(`a skill like ${name} is named with the reason, in one line, and the one beside it loads`, async () => {
    put(`bad-${name}/${name}`, content)
    put(`bad-${name}/good`, skill("name: good\ndescription: d"))
    const { warnings, names } = await load(`bad-${name}`)
    assert.deepEqual(names, ["good: d"])
    assert.equal(warnings.length, 1, warnings.join("\n"))
    assert.match(warnings[0] ?? "", reason)
    assert.ok(warnings[0]?.startsWith(`bad-${name}/${name} is left out of the skills: `), warnings[0])
    assert.doesNotMatch(warnings[0] ?? "", /\n/)
  })
}

test("skill.md is one too, SKILL.md comes before it, and a folder or a pipe of the name is none", async () => {
  folder.put("case/lower/skill.md", skill("name: lower\ndescription: d"))
  folder.put("case/both/skill.md", skill("name: both\ndescription: lower"))
  put("case/both", skill("name: both\ndescription: upper"))
  mkdirSync(folder.at("case/folder/SKILL.md"), { recursive: true })
  mkdirSync(folder.at("case/pipe"))
  execFileSync("mkfifo", [folder.at("case/pipe/SKILL.md")])
  const { warnings, names } = await load("case")
  assert.deepEqual(names, ["both: upper", "lower: d"])
  assert.deepEqual(warnings, [
    "case/folder is left out of the skills: its SKILL.md is no file: it must be a text file",
    "case/pipe is left out of the skills: its SKILL.md is no file: it must be a text file",
  ])
})

test("folders of skills may be nested, hidden ones are not looked at, and what lies in a skill is the skill's", async () => {
  put("nested/public/docs/pdf", skill("name: pdf\ndescription: d"))
  put("nested/public/docs/pdf/inner", skill("name: inner\ndescription: d"))
  put("nested/node_modules/x", skill("name: package\ndescription: d"))
  put("nested/.git/x", skill("name: git\ndescription: d"))
  put("nested/1/2/3/4/5", skill("name: too deep\ndescription: d"))
  folder.put("nested/README.md", "no skill")
  const { warnings, names } = await load("nested")
  assert.deepEqual([names, warnings], [["pdf: d"], []])
  assert.deepEqual((await load("nested/public/docs/pdf")).names, ["pdf: d"])
})

test("of two skills with one name the first counts, by the order of the folders and then of names, and the other is named", async () => {
  put("first/a", skill("name: same\ndescription: of first a"))
  put("first/b", skill("name: same\ndescription: of first b"))
  put("second/a", skill("name: same\ndescription: of second"))
  put("second/c", skill("name: other\ndescription: d"))
  const { warnings, names } = await load("first", "second")
  assert.deepEqual(names, ["same: of first a", "other: d"])
  assert.deepEqual(warnings, [
    "first/b is left out of the skills: first/a has its name, same: rename one",
    "second/a is left out of the skills: first/a has its name, same: rename one",
  ])
  assert.deepEqual((await load("second", "first")).names, ["same: of second", "other: d"])
})

test("a link is followed inside of the folder; one that leads outside, in a circle or nowhere is named", async () => {
  put("links/.store/hidden", skill("name: hidden\ndescription: d"))
  put("links/real", skill("name: real\ndescription: d"))
  put("elsewhere/outer", skill("name: outer\ndescription: d"))
  symlinkSync(".store/hidden", folder.at("links/in"))
  symlinkSync(".", folder.at("links/loop"))
  symlinkSync("../elsewhere/outer", folder.at("links/out"))
  symlinkSync("real", folder.at("links/again"))
  symlinkSync("nothing", folder.at("links/dangling"))
  symlinkSync("circle", folder.at("links/circle"))
  folder.put("links/file-link-target", "x")
  symlinkSync("file-link-target", folder.at("links/to-a-file"))
  folder.put("links/stolen/x", "x")
  folder.put("secret.md", skill("name: stolen\ndescription: d"))
  symlinkSync("../../secret.md", folder.at("links/stolen/SKILL.md"))
  const { warnings, names } = await load("links")
  assert.deepEqual(names, ["real: d", "hidden: d"])
  const at = folder.path
  assert.deepEqual(warnings.slice(0, 1), [
    `links/again is left out of the skills: it is a link to ${at}/links/real, which is looked at already: remove the link`,
  ])
  assert.match(
    warnings[1] ?? "",
    /^links\/circle is left out of the skills: it is a link that leads nowhere \(too many symbolic links\)/,
  )
  assert.match(
    warnings[2] ?? "",
    /^links\/dangling is left out of the skills: it is a link that leads nowhere \(no such file or folder\)/,
  )
  assert.deepEqual(warnings.slice(3), [
    `links/loop is left out of the skills: it is a link to ${at}/links, which is looked at already: remove the link`,
    `links/out is left out of the skills: it is a link to ${at}/elsewhere/outer, outside of the skills folder: name that one too`,
    `links/stolen is left out of the skills: its SKILL.md is a link to ${at}/secret.md, outside of its folder: put a copy`,
  ])
  assert.deepEqual((await load("links/out")).names, ["outer: d"], "the person named it")
})

test("what may not be read is named, and the rest loads", () => {
  put("closed/file", skill("name: file\ndescription: d"))
  put("closed/folder", skill("name: folder\ndescription: d"))
  put("closed/good", skill("name: good\ndescription: d"))
  chmodSync(folder.path, 0o755)
  chmodSync(folder.at("closed/file/SKILL.md"), 0)
  chmodSync(folder.at("closed/folder"), 0)
  const code = `import { createToolkit } from "./src/tools/create-toolkit.ts"
    const toolkit = await createToolkit({ skillsDir: process.argv[2], onWarning: (line) => console.log(line) })
    console.log(toolkit.skillsPrompt().split("\\n").slice(1).join())`
  const nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath]
  const { stdout } = spawnSync("/usr/bin/setpriv", [...nobody, program({ code }), folder.at("closed")], {
    encoding: "utf8",
  })
  chmodSync(folder.at("closed/folder"), 0o755)
  const [first = "", second = "", third] = stdout.trimEnd().split("\n")
  assert.match(first, /closed\/folder is left out of the skills: it cannot be read \(permission denied\)/)
  assert.match(
    second,
    /closed\/file is left out of the skills: its SKILL\.md may not be accessed: permission is denied$/,
  )
  assert.equal(third, "- good: d")
})

test("a folder that is not there, or is a file, is an error before anything is sent; an empty one is a warning", async () => {
  folder.put("file", "x")
  mkdirSync(folder.at("empty"))
  await assert.rejects(load("nowhere"), {
    code: "configuration",
    message: /^the skills folder nowhere cannot be used: no such file or folder: name one that holds/,
  })
  await assert.rejects(load("file"), { code: "configuration", message: /file cannot be used: it is no folder/ })
  await assert.rejects(createToolkit({ skillsDir: [1] as never }), {
    code: "usage",
    message: /must name folders, got 1/,
  })
  const { warnings, toolkit } = await load("empty")
  assert.deepEqual(warnings, ["the skills folder empty holds no skill: a skill is a folder in it with a SKILL.md"])
  assert.deepEqual([toolkit.skillsPrompt(), toolkit.get("skill")], ["", undefined])
})
