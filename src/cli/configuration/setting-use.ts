import { statSync } from "node:fs"
import { parseBaseUrl } from "../endpoint/base-url.ts"
import { keyVariableProblem } from "../endpoint/key-variable.ts"
import type { Io } from "../io.ts"
import { isRecord } from "../is-record.ts"
import { errorText } from "../output/error-text.ts"
import type { Configuration } from "./configuration.ts"
import { nameOf } from "./setting-names.ts"
import { type Members, own } from "./settings-reader.ts"

/** What a configuration file is used with. */
export interface Around {
  /** Absolute. */
  file: string
  env: Io["env"]
  /** Profiles of the files that count less than this one. */
  otherProfiles: readonly string[]
}

export interface Looking {
  root: Members
  /** The setting that changes; nothing else is looked at. */
  path: readonly string[]
  around: Around
}

/**
 * What a run would refuse of a setting though it reads well: a profile that is not there, an address that is none, a file
 * that is missing.
 *
 * @returns one line, or `undefined`
 */
export function problemOfUse(configuration: Configuration, looking: Looking): string | undefined {
  const [top, name] = looking.path
  if (top === "profile") return problemOfProfileName(configuration, looking.around)
  if (top === "profiles") {
    return problemOfProfileName(configuration, looking.around) ?? problemOfProfiles(configuration, looking)
  }
  if (top === "mcpServers") return problemOfServers(looking.root, name)
  if (top === "tools" || top === "relay") return missing(top, configuration[top], "file")
  if (top === "skills") return missing(top, configuration.skills, "folder")
  return undefined
}

/** The same of everything that a file says. */
export function problemOfWhole(configuration: Configuration, root: Members, around: Around): string | undefined {
  const problems = Object.keys(root).map((name) => problemOfUse(configuration, { root, path: [name], around }))
  return problems.find((problem) => problem !== undefined)
}

function problemOfProfileName({ profile, profiles }: Configuration, { otherProfiles }: Around): string | undefined {
  const known = [...new Set([...profiles.keys(), ...otherProfiles])]
  if (profile === undefined || known.includes(profile)) return undefined
  const there = known.length === 0 ? "there is none yet" : `there are ${known.join(", ")}`
  return `profile names ${JSON.stringify(profile)}, and there is no such profile (${there}): name another, make it first, or take profile away (config unset profile)`
}

function problemOfProfiles({ profiles }: Configuration, { path: [, wanted], around }: Looking): string | undefined {
  for (const [name, { baseUrl, apiKeyEnv }] of profiles) {
    if (wanted !== undefined && name !== wanted) continue
    try {
      parseBaseUrl(baseUrl)
    } catch (error) {
      return `${nameOf(["profiles", name, "baseUrl"])}: ${errorText(error)}`
    }
    const problem = apiKeyEnv === undefined ? undefined : keyVariableProblem(apiKeyEnv, around.env)
    if (problem !== undefined) {
      return `${nameOf(["profiles", name, "apiKeyEnv"])} must be the name of an environment variable, as in MY_API_KEY (the key itself is in no file)`
    }
  }
  return undefined
}

function problemOfServers(root: Members, wanted: string | undefined): string | undefined {
  const servers = own(root, "mcpServers")
  for (const [name, server] of Object.entries(isRecord(servers) ? servers : {})) {
    if (wanted !== undefined && name !== wanted) continue
    const reach = isRecord(server) ? (own(server, "command") ?? own(server, "url")) : undefined
    if (typeof reach !== "string" || reach === "") {
      return `${nameOf(["mcpServers", name])} must have a command or a url: set all of it as JSON: '{"command": "npx", "args": ["..."]}'`
    }
  }
  return undefined
}

function missing(name: string, paths: readonly string[], kind: "file" | "folder"): string | undefined {
  const gone = paths.find((path) => {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat === undefined || (kind === "folder" ? !stat.isDirectory() : !stat.isFile())
  })
  return gone === undefined ? undefined : `${name} names ${gone}, and there is no such ${kind}`
}
