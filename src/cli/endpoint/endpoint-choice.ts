import type { UserConfiguration } from "../configuration/configuration.ts"
import type { Io } from "../io.ts"
import type { Output } from "../output/output.ts"
import type { Person } from "../terminal/person.ts"
import { homePath } from "../words/home-path.ts"
import { chooseEndpoint, type Endpoint, type EndpointSources, noEndpoint } from "./endpoint-settings.ts"

const DEMO = "The demo model (a script, offline, that shows how it works)"
const SET_UP = "An endpoint of mine (set it up now; it is kept as a profile)"
const NOTHING = "Nothing (stop, and say how to name an endpoint)"

/**
 * The endpoint of a new run. Where nothing is configured and a person is there, the demo model is offered, and to set one up.
 *
 * @returns `stopped` where a signal ended the question
 * @throws ToolnexusError `configuration`, naming the ways to configure an endpoint
 */
export async function endpointFor(
  sources: Omit<EndpointSources, "env" | "user"> & { user: UserConfiguration },
  person: Person,
  { io, output }: { io: Io; output: Output },
): Promise<Endpoint | "stopped"> {
  const { user } = sources
  const choice = chooseEndpoint({ ...sources, env: io.env })
  if (choice.kind === "chosen") return choice.endpoint
  const wanted = choice.missing.length === 2 ? await whatShallAnswer(person) : undefined
  if (wanted === DEMO) return { kind: "demo" }
  const changed = wanted === SET_UP ? await setUpByPerson(user, person, { io, output }) : undefined
  if (changed) return endpointFor({ ...sources, user: changed }, person, { io, output })
  if (person.stoppedBy()) return "stopped"
  throw noEndpoint(choice.missing, homePath(user.file, io))
}

async function whatShallAnswer({ waitFor, signal }: Person): Promise<unknown> {
  const prompt = "No endpoint is configured. What shall answer?"
  // A closed choice: there is nothing else that could be typed.
  const schema = { type: "string", enum: [DEMO, SET_UP, NOTHING] }
  const answer = await waitFor?.(
    { id: "endpoint", kind: "input", prompt, data: { schema } },
    { signal, saveDraft: () => {} },
  )
  return answer?.ok === true ? answer.data?.output : undefined
}

async function setUpByPerson(
  user: UserConfiguration,
  person: Person,
  { io, output }: { io: Io; output: Output },
): Promise<UserConfiguration | undefined> {
  person.release() // the prompts have a terminal of their own
  const { setUpEndpoint } = await import("./endpoint-setup.ts")
  const made = await setUpEndpoint(io, person.signal)
  if (!made) return undefined
  output.notice(
    `saved as the profile ${made.name} and used from now on; change or remove it in ${homePath(made.file, io)}`,
  )
  return { ...user, profile: made.name, profiles: new Map([...user.profiles, [made.name, made.profile]]) }
}
