import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { TestContext } from "node:test"
import { type ScriptedEndpoint, type Step, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { type Place, place, type Ran, type RunWith, type Started } from "./command-line.ts"

/** A repository beside the person's own folders, an endpoint of the person's and one of the project's. */
export interface ProjectPlace {
  here: Place
  /** The repository. */
  repo: string
  own: ScriptedEndpoint
  theirs: ScriptedEndpoint
  /** Writes a file of the repository. */
  put(name: string, content: unknown): string
  /** Runs a command in the repository, the person's endpoint in the environment. */
  run(argv: string[], options?: RunWith): Promise<Ran>
  start(argv: string[], options?: RunWith): Started
  /** Looks at the project and trusts it. */
  trust(): Promise<Ran>
  /** Whether code of the repository ran: it leaves a file of this name. */
  left(name: string): boolean
}

/** @param steps of both endpoints */
export async function projectPlace(t: TestContext, steps: Step[]): Promise<ProjectPlace> {
  const here = place(t)
  const [own, theirs] = [await scriptedEndpoint(steps).listen(), await scriptedEndpoint(steps).listen()]
  t.after(() => Promise.all([own.close(), theirs.close()]))
  const repo = join(realpathSync(here.dir), "repo")
  mkdirSync(join(repo, ".git"), { recursive: true })
  const put = (name: string, content: unknown) => {
    const file = join(repo, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content))
    return file
  }
  const env = { TOOLNEXUS_BASE_URL: own.baseUrl, TOOLNEXUS_MODEL: "m" }
  const inside = (options: RunWith): RunWith => ({ cwd: repo, ...options, env: options.env ?? env })
  const start = (argv: string[], options: RunWith = {}) => here.start(argv, inside(options))
  return {
    here,
    repo,
    own,
    theirs,
    put,
    start,
    run: (argv, options = {}) => here.run(argv, inside(options)),
    async trust() {
      const started = start(["trust"])
      await asked(started)
      started.type("1")
      started.type("\r")
      return started.ran
    },
    left: (name) => existsSync(join(repo, name)),
  }
}

/** Reads on to the end of what is shown, until the question is there. */
export async function asked(started: Started): Promise<void> {
  const question = started.shows("? Your answer").then(() => "question" as const)
  while ((await Promise.race([question, started.shows("more line").then(() => "more" as const)])) === "more") {
    started.type(" ")
  }
}

/** A tools module that says that it was loaded by leaving a file in the repository. */
export const MARKING_MODULE = `import { writeFileSync } from "node:fs"
import { word } from "./word.mjs"
writeFileSync("module-ran", word)
export default ({ defineTool }) => [defineTool({ name: "greet", description: "greets", run: () => word })]
`

/** A server that leaves a file when it is started, and speaks to nobody. */
export const MARKING_SERVER = `import { writeFileSync } from "node:fs"
writeFileSync("server-ran", "")
`
