import { ToolnexusError } from "../index.ts"
import type { UserConfiguration } from "./configuration.ts"
import { chooseEndpoint, type Endpoint, type EndpointFlags, endpointHelp } from "./endpoint-settings.ts"
import type { Io } from "./io.ts"
import type { Output } from "./output.ts"
import type { Person } from "./person.ts"

const DEMO = "The demo model"
const SET_UP = "An endpoint of mine"

/**
 * The endpoint of a new run. Where nothing is configured and a person is there, the demo model is offered, and to set one up.
 *
 * @returns `stopped` where a signal ended the question
 * @throws ToolnexusError `configuration`, naming the ways to configure an endpoint
 */
export async function endpointFor(
  flags: EndpointFlags,
  user: UserConfiguration,
  person: Person,
  { io, output }: { io: Io; output: Output },
): Promise<Endpoint | "stopped"> {
  const choice = chooseEndpoint({ flags, env: io.env, configuration: user })
  if (choice.kind === "chosen") return choice.endpoint
  const wanted = choice.missing.length === 2 ? await whatShallAnswer(person) : undefined
  if (wanted === DEMO) return { kind: "demo" }
  const configuration = wanted === SET_UP ? await setUpByPerson(user, person, { io, output }) : undefined
  if (configuration) return endpointFor(flags, configuration, person, { io, output })
  if (person.stoppedBy()) return "stopped"
  throw new ToolnexusError("configuration", endpointHelp(choice.missing))
}

async function whatShallAnswer({ waitFor, signal }: Person): Promise<unknown> {
  const question = "No endpoint is configured. What shall answer?"
  const options = [
    { label: DEMO, description: "a script that shows how it works: offline, not a language model" },
    { label: SET_UP, description: "set it up now: an address, a model, the name of the variable that holds the key" },
    { label: "Nothing", description: "stop, and say how to configure an endpoint" },
  ]
  const answer = await waitFor?.(
    { id: "endpoint", kind: "question", prompt: question, data: { questions: [{ question, options }] } },
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
  const made = await setUpEndpoint(io)
  if (!made) return undefined
  output.notice(`saved as the profile ${made.name}, used from now on, in ${made.file}`)
  return { ...user, profile: made.name, profiles: new Map([...user.profiles, [made.name, made.profile]]) }
}
