// Bundles TypeScript of the tests, so that plain Node runs it: no loader, whose thread makes Node 20 crash now and then when a
// process ends abruptly, and no compiling anew in every process.
import { readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"

const root = resolve(import.meta.dirname, "..")

// What lands must not depend on luck: `npm test` tries the same cases each time, `npm run test:long` new ones.
const PROPERTIES = 'import fc from "fast-check"'
const SEEDED =
  process.env.TOOLNEXUS_TEST_SIZE === "long"
    ? ""
    : "\nfc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20260101 })\n"

/** A bundled file still says where its source is. */
const places = {
  name: "places",
  setup({ onLoad }) {
    onLoad({ filter: /\/(src|test)\/.*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8")
      if (!source.includes("import.meta.") && !source.includes(PROPERTIES)) return undefined
      const contents = (source.includes(PROPERTIES) ? source + SEEDED : source)
        .replaceAll("import.meta.dirname", JSON.stringify(dirname(path)))
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href))
      return { contents, loader: "ts" }
    })
  },
}

/**
 * @param {string[] | Record<string, string>} entryPoints
 * @param {import("esbuild").BuildOptions} options over the usual ones
 */
export function bundle(entryPoints, options) {
  return build({
    entryPoints,
    outbase: root,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.17",
    packages: "external",
    sourcemap: "inline",
    sourcesContent: false,
    plugins: [places],
    logLevel: "warning",
    ...options,
  })
}

/** Where bundles lie: inside the project, so that packages are found. */
export const BUNDLES = join(root, "node_modules", ".cache", "toolnexus-tests")
