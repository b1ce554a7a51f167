/** The package as it is published: what `npm run build` made, with the types of its source. */
export const toolnexus: typeof import("../../src/index.ts") = await import(
  new URL("../../dist/index.js", import.meta.url).href
)
