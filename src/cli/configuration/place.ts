import { join } from "node:path"

/** What decides where a person's files are. */
export interface Place {
  env: Readonly<Record<string, string | undefined>>
  platform: NodeJS.Platform
  homeDir: string
}

/** The folder of the user's configuration: where `conf` writes it. */
export function configurationFolder({ env, platform, homeDir }: Place): string {
  if (platform === "darwin") return join(homeDir, "Library", "Preferences", "toolnexus")
  if (platform === "win32") return join(env.APPDATA || join(homeDir, "AppData", "Roaming"), "toolnexus", "Config")
  return join(env.XDG_CONFIG_HOME || join(homeDir, ".config"), "toolnexus")
}

/** The user's configuration. */
export function configurationFile(place: Place): string {
  return join(configurationFolder(place), "config.json")
}

/** Where runs are kept and remembered. One that the user named is left as it is. */
export interface StatePlace {
  path: string
  named: "by the user" | "by default"
}

/** `TOOLNEXUS_STATE_DIR`, else the platform's folder for state. */
export function statePlace({ env, platform, homeDir }: Place): StatePlace {
  if (env.TOOLNEXUS_STATE_DIR) return { path: env.TOOLNEXUS_STATE_DIR, named: "by the user" }
  if (env.XDG_STATE_HOME) return { path: join(env.XDG_STATE_HOME, "toolnexus"), named: "by default" }
  return { path: join(platformState({ env, platform, homeDir }), "toolnexus"), named: "by default" }
}

function platformState({ env, platform, homeDir }: Place): string {
  if (platform === "darwin") return join(homeDir, "Library", "Application Support")
  if (platform === "win32") return env.LOCALAPPDATA || join(homeDir, "AppData", "Local")
  return join(homeDir, ".local", "state")
}
