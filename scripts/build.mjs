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

/**
 * Keeps the library in one file. esbuild cuts what two files share by who shares it: each module that is loaded later would cut
 * another piece out. So each of them brings the whole library along, which is loaded by then.
 */
const oneLibrary = {
  name: "one-library",
  setup({ onResolve, onLoad }) {
    const library = join(root, "src/index.ts")
    const later = new Set()
    onResolve({ filter: /^\..*\.ts$/ }, ({ kind, resolveDir, path }) => {
      if (kind === "dynamic-import") later.add(join(resolveDir, path))
      return undefined
    })
    onResolve({ filter: /^library$/ }, () => ({ path: library }))
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (!later.has(path) || path === library) return undefined
      return { contents: `${readFileSync(path, "utf8")}\nimport "library"`, loader: "ts", resolveDir: dirname(path) }
    })
  },
}

await build({
  entryPoints: {
    index: "src/index.ts",
    cli: "src/cli/main.ts",
    "tool-host": "src/cli/tool-host.ts",
    "tool-watch": "src/cli/tool-watch.ts",
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
  plugins: [oneLibrary],
  legalComments: "none",
  logOverride: { "ignored-bare-import": "silent" }, // it says who shares what, and is none at run time
  logLevel: "warning",
})
if (!process.argv.includes("--code")) {
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" })
}
