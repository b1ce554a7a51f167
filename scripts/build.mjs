// Builds the package: our own code into few files (start-up time is mostly file loads), types beside them.
import { execFileSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { build } from "esbuild"

const root = new URL("..", import.meta.url)
process.chdir(root.pathname)
const { dependencies, version } = JSON.parse(readFileSync("package.json", "utf8"))
rmSync("dist", { recursive: true, force: true })

await build({
  entryPoints: {
    index: "src/index.ts",
    cli: "src/cli/main.ts",
    "tool-host": "src/cli/tool-host.ts",
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
  legalComments: "none",
  logLevel: "warning",
})
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" })
