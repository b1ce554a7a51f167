import { existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { type RunSummary, readRunSummary } from "../../index.ts"
import { openState } from "../configuration/settings.ts"
import { fewAtOnce } from "../few-at-once.ts"
import type { Io } from "../io.ts"
import { localTime } from "../words/local-time.ts"
import { shortId } from "../words/short-id.ts"
import { pathOf } from "./candidates.ts"
import type { Candidate } from "./shell.ts"
import type { Spot } from "./typed-line.ts"

/** The last ones are meant. */
const MOST = 40

/** The runs that were made here and that the command has something to do with, the newest first. */
export async function findRuns({ command }: Spot, io: Io): Promise<Candidate[]> {
  const remembered = openState(io)
    .all(() => {})
    .filter(({ made, file }) => made === "here" && existsSync(file))
  const newest = remembered
    .map((run) => ({ ...run, changedMs: statSync(run.file).mtimeMs }))
    .sort((a, b) => b.changedMs - a.changedMs)
    .slice(0, MOST)
  const read = await fewAtOnce(newest, async ({ file }) => readRunSummary(file).catch(() => undefined)) // `runs` says why
  const fits = FITS[pathOf(command)] ?? (() => true)
  return read.flatMap((run) => (run && fits(run) ? [{ word: shortId(run.runId), about: aboutRun(run) }] : []))
}

const FITS: Readonly<Record<string, (run: RunSummary) => boolean>> = {
  resume: ({ status, holder }) => status !== "done" && !holder,
  answer: ({ open }) => open.length > 0,
  "runs unlock": ({ holder }) => holder !== undefined,
}

function aboutRun({ status, updatedAt, prompt, holder }: RunSummary): string {
  return `${holder ? "at work" : status}, ${localTime(updatedAt)}: ${prompt}`
}

/** The ids of what is open in the run that the line names. */
export async function findRequests({ takes, operands }: Spot, io: Io): Promise<Candidate[]> {
  const [named] = operands
  if (named === undefined || takes.is !== "value") return []
  const path = resolve(io.cwd, named)
  const file = existsSync(path) ? path : openState(io).find(named)?.file
  const open = file === undefined ? [] : (await readRunSummary(file)).open
  const isForSecrets = takes.option.long === "--answer-env"
  const [only] = open
  if (open.length === 1 && only?.kind === "approval" && !isForSecrets) return YES_OR_NO
  return open
    .filter(({ kind }) => (kind === "secret") === isForSecrets)
    .map(({ id, prompt }) => ({ word: `${id}=`, about: prompt }))
}

const YES_OR_NO: Candidate[] = [
  { word: "yes", about: "approve" },
  { word: "no", about: "decline" },
]
