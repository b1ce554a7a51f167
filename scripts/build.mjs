// Builds the package: our own code into few files (start-up time is mostly file loads), types beside them. With --code only the former:
// the types take ten times as long, and no test reads them.
import { execFileSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { build } from "esbuild"

const root = resolve(import.meta.dirname, "..")
process.chdir(root)
const { dependencies, version } = JSON.parse(readFileSync("package.json", "utf8"))
rmSync("dist", { recursive: true, force: true })

/** By folder, what has been loaded when a module of it is loaded later, or is soon after. */
const LOADED_BY_THEN = {
  "src/": ["src/index.ts"],
  "src/tools/": ["src/tools/builtins/builtins.ts"],
  "src/cli/": ["src/cli/main.ts", "src/cli/carry-out.ts"],
}

/**
 * Keeps in one file what is loaded together. esbuild cuts what files share by who shares it: each module that is loaded later would
 * cut another piece out. So each of them brings along what has been loaded by then.
 */
const fewFiles = {
  name: "few-files",
  setup({ onResolve, onLoad }) {
    const later = new Set()
    onResolve({ filter: /^\..*\.ts$/ }, ({ kind, resolveDir, path }) => {
      if (kind === "dynamic-import") later.add(join(resolveDir, path))
      return undefined
    })
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (!later.has(path)) return undefined
      const folders = Object.keys(LOADED_BY_THEN).filter((folder) => path.startsWith(join(root, folder)))
      const before = folders.flatMap((folder) => LOADED_BY_THEN[folder]).map((source) => join(root, source))
      const brought = before.filter((source) => source !== path).map((source) => `import ${JSON.stringify(source)}`)
      return { contents: [readFileSync(path, "utf8"), ...brought].join("\n"), loader: "ts", resolveDir: dirname(path) }
    })
  },
}

await build({
  entryPoints: {
    index: "src/index.ts",
    cli: "src/cli/main.ts",
    "tool-host": "src/cli/tools/tool-host.ts",
    "tool-watch": "src/cli/tools/tool-watch.ts",
    testing: "src/testing/index.ts",
  },
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.17",
  external: Object.keys(dependencies).flatMap((name) => [name, `${name}/*`]),
  define: { "process.env.TOOLNEXUS_VERSION": JSON.stringify(version) },
  chunkNames: "chunks/[name]-[hash]",
  plugins: [fewFiles],
  legalComments: "none",
  logOverride: { "ignored-bare-import": "silent" }, // it says who shares what, and is none at run time
  logLevel: "warning",
})
if (!process.argv.includes("--code")) {
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" })
}
