import { accessSync, constants, existsSync, lstatSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { systemFact, ToolnexusError } from "../../index.ts"
import { requireNoLink } from "../configuration/config-file.ts"
import type { Io } from "../io.ts"
import { type LookedOver, lookOver, type Project, readProjects } from "../projects/projects.ts"
import { sealOf } from "../projects/trusted-files.ts"
import { configurationOf, configurationText, EXAMPLE_MODULE, EXAMPLE_NAME, type InitPlan } from "./plan.ts"

/** Where a project's configuration is made. */
export interface NewProject {
  /** Links resolved. */
  folder: string
  /** The configuration. */
  file: string
  /** The example of a tools module. */
  example: string
}

/** @param folder links resolved */
export function newProject(folder: string): NewProject {
  const inside = join(folder, ".toolnexus")
  return { folder, file: join(inside, "config.json"), example: join(inside, EXAMPLE_NAME) }
}

/**
 * Looks, before anything is asked, whether it can be made.
 *
 * @throws ToolnexusError `exists` where there is one, `configuration` where it cannot be written
 */
export function requireNew({ file, folder }: NewProject): void {
  requireNoLink(file)
  if (existsSync(file)) throw thereAlready(file)
  const inside = dirname(file)
  try {
    accessSync(existsSync(inside) ? inside : folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw unwritable(file, systemFact(error))
  }
}

/** @throws ToolnexusError `exists` where something of the example's name is there */
export function requireNoExample({ example }: NewProject): void {
  if (lstatSync(example, { throwIfNoEntry: false })) throw exists(example, "leave --example-tools out, or move it away")
}

/**
 * Writes all of it, or nothing.
 *
 * @returns the files
 * @throws ToolnexusError `exists` where one is there by now
 */
export function writeProject(project: NewProject, plan: InitPlan): string[] {
  const files = [
    ...(plan.tools === "none" ? [] : [{ path: project.example, text: EXAMPLE_MODULE }]),
    { path: project.file, text: configurationText(plan) },
  ]
  const folder = dirname(project.file)
  const isNew = !existsSync(folder)
  const written: string[] = []
  try {
    if (isNew) mkdirSync(folder)
    for (const { path, text } of files) {
      writeFileSync(path, text, { flag: "wx" })
      written.push(path)
    }
  } catch (error) {
    for (const path of written) rmSync(path)
    if (isNew && existsSync(folder)) rmdirSync(folder)
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw thereAlready(project.file)
    throw unwritable(project.file, systemFact(error))
  }
  return written.reverse()
}

/** What a project would be once it is written, for who decides whether to trust it. */
export function plannedProject(project: NewProject, plan: InitPlan, { env }: Pick<Io, "env">): Project {
  const { folder, file } = project
  const there = readProjects(folder, env).projects.find((it) => it.folder === folder)
  const settings = { file, bytes: Buffer.from(configurationText(plan)), root: configurationOf(plan) }
  return { folder, env, settings, mcp: there?.mcp }
}

/**
 * Everything that it would let, the example as if it were there.
 *
 * @throws ToolnexusError `configuration`, naming what is broken
 */
export function lookOverPlanned(planned: Project, plan: InitPlan, { example }: NewProject): LookedOver {
  const lookedOver = lookOver(planned)
  if (plan.tools === "none") return lookedOver
  const seal = sealOf({ is: "file", bytes: Buffer.from(EXAMPLE_MODULE) })
  return { ...lookedOver, seals: new Map([...lookedOver.seals, [example, seal]]) }
}

function thereAlready(file: string): ToolnexusError {
  return exists(
    file,
    "toolnexus config shows what it says, toolnexus config set NAME VALUE --project and toolnexus config edit --project change it",
  )
}

function exists(file: string, next: string): ToolnexusError {
  return new ToolnexusError("exists", `${file} is there already, and is not overwritten: ${next}`)
}

function unwritable(file: string, fact: string): ToolnexusError {
  return new ToolnexusError(
    "configuration",
    `${file} cannot be written (${fact}): mend that, or name another folder with --cwd`,
  )
}
