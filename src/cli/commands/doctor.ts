import { resolve } from "node:path"
import { parseRule } from "../../index.ts"
import { allRules, flagRules, readSettings, requireFolder, type Settings } from "../configuration/settings.ts"
import { type Check, note, ok, problemFrom } from "../doctor/check.ts"
import type { DoctorFlags } from "../doctor/doctor-command.ts"
import { checkCall, checkConnection, checkKey, findEndpoint } from "../doctor/endpoint-checks.ts"
import { checkEditor, checkNode, checkRipgrep, checkTerminal } from "../doctor/machine-checks.ts"
import { checkConfiguration, checkProjects, checkState } from "../doctor/place-checks.ts"
import { checkAgents, checkSources } from "../doctor/tool-checks.ts"
import { type Io, SIGNALS } from "../io.ts"
import { DEFAULT_LIMITS } from "../limits/limits.ts"
import { EXIT, type SignalName } from "../output/exit-code.ts"
import type { Output } from "../output/output.ts"
import { escapeLine } from "../terminal/escape.ts"
import { agentOf, chooseTools } from "../tools/tool-choice.ts"
import { counted } from "../words/counted.ts"
import { jsonLine } from "../words/json-line.ts"

/** `toolnexus doctor`: looks at everything that a run needs, and says what to do about what is not so. */
export async function doctorCommand(flags: DoctorFlags, io: Io, output: Output): Promise<number> {
  const stop = new AbortController()
  const stopped = new Promise<SignalName>((tell) =>
    stop.signal.addEventListener("abort", () => tell(stop.signal.reason)),
  )
  const stopListening = SIGNALS.map((name) => io.onSignal(name, () => stop.abort(name)))
  try {
    const found: Check[] = []
    for (const looking of startChecks(flags, { io, output, signal: stop.signal })) {
      const checks = await Promise.race([looking, stopped])
      if (stop.signal.aborted || typeof checks === "string") return endAtOnce(stop.signal.reason as SignalName, io)
      found.push(...checks)
      if (output.mode === "text") for (const check of checks) output.printer.out(linesOf(check))
      if (output.mode === "jsonl") for (const check of checks) output.printer.out(jsonLine(check))
    }
    return sum(found, output)
  } finally {
    for (const end of stopListening) end()
  }
}

/** Nothing is saved, so nothing is waited for. */
function endAtOnce(name: SignalName, io: Io): number {
  io.exit(EXIT[name])
  return EXIT[name]
}

function sum(found: readonly Check[], output: Output): number {
  const problems = found.filter(({ status }) => status === "problem").length
  const ready = problems === 0
  if (output.mode === "json") output.printer.out(jsonLine({ ready, checks: found }))
  if (ready) output.notice("a run could start")
  else output.say(`no run could start: ${counted(problems, "problem")}`)
  return ready ? EXIT.done : EXIT.usage
}

const INDENT = " ".repeat(24)

/** Harmless lines: what files and servers say is from elsewhere. */
function linesOf({ status, check, fact, next }: Check): string {
  const first = `${status.padEnd(9)}${check.padEnd(15)}${escapeLine(fact)}\n`
  return next === undefined ? first : `${first}${INDENT}→ ${escapeLine(next)}\n`
}

interface Around {
  io: Io
  output: Output
  signal: AbortSignal
}

/** All at once, each with a limit of its own, in the order in which they are told. */
function startChecks(flags: DoctorFlags, around: Around): Promise<Check[]>[] {
  const { io } = around
  const cwd = resolve(io.cwd, flags.cwd ?? ".")
  const read = readSettingsOr(flags, io)
  const trusting = flags.trustProject ? "all for this run" : "as kept"
  const limits = { ...DEFAULT_LIMITS, ...("settings" in read ? read.settings.user.limits : {}) }
  const own = [
    ok("toolnexus", process.env.TOOLNEXUS_VERSION ?? "unreleased"),
    checkNode(process.versions.node, process),
    checkState(io),
    ...checkConfiguration(io),
    ...(problemOfFolder(cwd) ?? checkProjects(cwd, { trusting, limits }, io)),
    checkTerminal(io),
    checkEditor(io),
    checkRipgrep(io),
  ]
  const further = "settings" in read ? startFurther(flags, read.settings, around) : [[notLookedAt(read.error, own)]]
  return [own, ...further].map((checks) => Promise.resolve(checks))
}

/** What is wrong with the configuration is told once. */
function notLookedAt(error: unknown, told: readonly Check[]): Check {
  const fact = "endpoint, rules and tools were not looked at, as the configuration cannot be used"
  if (told.some(({ check, status }) => status === "problem" && check !== "node"))
    return note("the rest", fact, "correct that first, and look again")
  return problemFrom("configuration", error)
}

function problemOfFolder(cwd: string): Check[] | undefined {
  try {
    requireFolder(cwd)
    return undefined
  } catch (error) {
    return [problemFrom("folder", error)]
  }
}

function readSettingsOr(flags: DoctorFlags, io: Io): { settings: Settings } | { error: unknown } {
  try {
    return { settings: readSettings(flags.cwd ?? ".", flags, io, { say() {}, notice() {} }) }
  } catch (error) {
    return { error }
  }
}

/** What the configuration decides about. */
function startFurther(flags: DoctorFlags, settings: Settings, { io, output, signal }: Around) {
  const agents = checkAgents(flags, settings)
  const isAgent = agents?.status !== "problem"
  const { user, projects } = settings
  const agentModel = isAgent ? agentOf(flags, settings)?.model : undefined
  const { endpoint, check } = findEndpoint({ flags, env: io.env, user, projects, agentModel }, io)
  const { agent: _unknown, ...others } = flags
  const choice = chooseTools(isAgent ? flags : others, settings, io.cwd)
  const looking = { clock: io.clock, signal }
  const one = async (looked: Promise<Check>) => [await looked]
  return [
    [check, ...(endpoint ? [checkKey(endpoint, io)] : [])],
    ...(endpoint ? [one(checkConnection(endpoint, io, looking))] : []),
    [checkRules(flags, settings), ...(agents ? [agents] : [])],
    ...checkSources({ choice, settings, endpoint, io, output, signal }),
    ...(endpoint && flags.callModel ? [one(checkCall(endpoint, io, looking))] : []),
  ]
}

function checkRules(flags: DoctorFlags, settings: Settings): Check {
  try {
    const rules = allRules(flagRules(flags, undefined), settings)
    for (const { rule } of rules) parseRule(rule)
    const of = (effect: string) => rules.filter((rule) => rule.effect === effect).length
    if (rules.length === 0) return ok("rules", "only the built-in ones: what changes something is asked about")
    return ok("rules", `${of("allow")} allow, ${of("ask")} ask, ${of("deny")} deny, and the built-in ones`)
  } catch (error) {
    return problemFrom("rules", error)
  }
}
