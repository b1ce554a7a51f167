import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { describe, it } from "node:test"
import { lookOver, readProjects } from "../../../../src/cli/projects/projects.ts"
import { temporaryFolder } from "../../../support/folder.ts"

/** The files that trusting a project would stand for, by their names in it. */
function filesOf(settings: object, files: Record<string, string | Buffer> = {}): string[] {
  const folder = temporaryFolder({ ".toolnexus/config.json": JSON.stringify(settings), ...files })
  return sealedIn(folder.path)
}

function sealedIn(path: string, env: Record<string, string> = {}): string[] {
  const [project] = readProjects(path, env).projects
  assert.ok(project)
  const sealed = [...lookOver(project).seals].filter(([, seal]) => /^[0-9a-f]{64}$/.test(seal))
  return sealed.map(([file]) => (file.startsWith(`${path}/`) ? file.slice(path.length + 1) : file))
}

describe("the files that trust stands for", () => {
  it("are a module's, with what it imports from beside it, and theirs", () => {
    const files = {
      ".toolnexus/tools.mjs": `import a from "./a.mjs"\nexport { b } from '../lib/b.ts'\nconst c = await import("./c")\n// from "./gone.mjs"\nimport fs from "node:fs"`,
      ".toolnexus/a.mjs": 'import "./tools.mjs"\nimport "./deep/index.js?x=1"',
      ".toolnexus/deep/index.js": 'require ( "./d" )',
      ".toolnexus/deep/d.json": "{}",
      ".toolnexus/c.js": "",
      "lib/b.ts": "",
      "lib/other.ts": "",
    }
    assert.deepEqual(filesOf({ tools: ["tools.mjs"] }, files), [
      ".toolnexus/config.json",
      ".toolnexus/tools.mjs",
      ".toolnexus/a.mjs",
      ".toolnexus/deep/index.js",
      ".toolnexus/deep/d.json",
      "lib/b.ts",
      ".toolnexus/c.js",
    ])
  })
  it("are those that a server's command names, from where it runs, and all of a folder of skills", () => {
    const servers = {
      a: { command: "node", args: ["server.mjs", "--config", "a.json", "../outside.mjs", 7] },
      b: { command: "./run.sh", cwd: "srv" },
      c: { url: "https://c.test/mcp" },
      d: "nothing",
    }
    const files = {
      ".mcp.json": JSON.stringify({ mcpServers: servers }),
      "server.mjs": 'import "./part.mjs"',
      "part.mjs": "",
      "a.json": "{}",
      "srv/run.sh": "",
      "skills/one/SKILL.md": "",
      "skills/one/node_modules/x.js": "",
      "skills/two/deep/script.py": "",
    }
    assert.deepEqual(filesOf({ skills: ["../skills"] }, files).sort(), [
      ".mcp.json",
      ".toolnexus/config.json",
      "a.json",
      "part.mjs",
      "server.mjs",
      "skills/one/SKILL.md",
      "skills/two/deep/script.py",
      "srv/run.sh",
    ])
  })
  it("are the scripts that a server's command names outside of the project, and no data and no binary", () => {
    const servers = {
      a: {
        command: "node",
        args: ["--import=../hook.mjs", "${TOOLS}/server.mjs", "--db", "../data.txt", "../big.bin"],
      },
      b: { command: "../run.sh", cwd: "sub" },
      c: { command: "serve", cwd: "../tools" },
      d: { command: "bash", args: ["-c", "cd x && ../inner.py --y | cat"] },
      e: { command: "../binary" },
      f: { command: "npx", args: ["../node_modules/s/index.js", "../late.js"] },
    }
    const folder = temporaryFolder({
      "repo/.toolnexus/config.json": JSON.stringify({ mcpServers: servers }),
      "repo/run.sh": "inside",
      "hook.mjs": 'import "./hooked.mjs"',
      "hooked.mjs": "",
      "data.txt": "data",
      "big.bin": Buffer.from([0, 1]),
      binary: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0]),
      "tools/server.mjs": "",
      "tools/serve": "a script without an ending",
      "inner.py": "",
      "node_modules/s/index.js": 'import "./part.js"',
      "node_modules/s/part.js": "",
    })
    const env = { TOOLS: folder.at("tools") }
    const named = () =>
      sealedIn(folder.at("repo"), env)
        .map((file) => file.replace(`${folder.path}/`, ""))
        .sort()
    assert.deepEqual(named(), [
      ".toolnexus/config.json",
      "hook.mjs",
      "hooked.mjs",
      "inner.py",
      "node_modules/s/index.js",
      "run.sh",
      "tools/serve",
      "tools/server.mjs",
    ])
    writeFileSync(folder.at("late.js"), "")
    assert.ok(named().includes("late.js"))
  })
  it("are what a link imports from where it leads to", () => {
    const folder = temporaryFolder({
      "tools/server.mjs": 'import "./part.mjs"',
      "tools/part.mjs": "",
      "repo/.mcp.json": JSON.stringify({ mcpServers: { a: { command: "node", args: ["link.mjs"] } } }),
    })
    symlinkSync("../tools/server.mjs", folder.at("repo/link.mjs"))
    assert.deepEqual(sealedIn(folder.at("repo")), [".mcp.json", "link.mjs", folder.at("tools/part.mjs")])
  })
  it("are told from what is absent, a folder, a pipe or a device, and nothing of those is waited for", () => {
    const folder = temporaryFolder({
      ".toolnexus/config.json": JSON.stringify({ tools: ["gone.mjs", "folder", "pipe", "/dev/zero", "a\0b"] }),
    })
    mkdirSync(folder.at(".toolnexus/folder"))
    execFileSync("mkfifo", [folder.at(".toolnexus/pipe")])
    const [project] = readProjects(folder.path, {}).projects
    assert.ok(project)
    const seals = [...lookOver(project).seals.values()].filter((seal) => !/^[0-9a-f]{64}$/.test(seal))
    assert.deepEqual(seals.slice(0, 5), [
      "absent", // .mcp.json
      "absent",
      "unusable: it is a folder",
      "unusable: it is no regular file",
      "unusable: it is no regular file",
    ])
    assert.match(seals[5] ?? "", /^unusable: it holds a character that no path can have/)
  })
  it("are too many where a project names the whole disk, or more than is read", () => {
    assert.throws(() => filesOf({ skills: ["/"] }), /too much to be trusted by looking/)
    const large = Buffer.alloc(13 * 1024 * 1024)
    const files = Object.fromEntries([1, 2, 3, 4, 5].map((name) => [`.toolnexus/${name}.json`, large]))
    assert.throws(
      () => filesOf({ relay: [1, 2, 3, 4, 5].map((name) => `${name}.json`) }, files),
      /too much to be trusted/,
    )
  })
  it("are found at once in a module that is made to take long", () => {
    const blanks = `from${" ".repeat(4_000_000)}`
    const quotes = `import "./${"x".repeat(4_000_000)}`
    const many = "from './a' ".repeat(300_000)
    const files = {
      ".toolnexus/a": "",
      ".toolnexus/1.mjs": blanks,
      ".toolnexus/2.mjs": quotes,
      ".toolnexus/3.mjs": many,
    }
    assert.equal(filesOf({ tools: ["1.mjs", "2.mjs", "3.mjs"] }, files).length, 5)
  })
  it("are those that links lead to", () => {
    const folder = temporaryFolder({
      "elsewhere/tools.mjs": "export default []",
      "repo/.toolnexus/config.json": JSON.stringify({ tools: ["link.mjs"] }),
    })
    symlinkSync("../../elsewhere/tools.mjs", folder.at("repo/.toolnexus/link.mjs"))
    assert.deepEqual(sealedIn(folder.at("repo")), [".toolnexus/config.json", ".toolnexus/link.mjs"])
  })
})
