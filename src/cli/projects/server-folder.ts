import { resolve } from "node:path"

/** Where a project's server runs: in the project's folder, or where it says, seen from there. */
export function serverFolder({ cwd }: Record<string, unknown>, project: string): unknown {
  if (cwd === undefined) return project
  return typeof cwd === "string" && /^[^$~]*$/.test(cwd) ? resolve(project, cwd) : cwd
}
