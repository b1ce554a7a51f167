import { KEY_VARIABLES } from "../tool/providers.ts"

/**
 * The environment of a command: this process's own, without keys.
 *
 * @param secretEnv further names that are left out
 */
export function childEnv(env: NodeJS.ProcessEnv, secretEnv: readonly string[]): NodeJS.ProcessEnv {
  const hidden = new Set([...KEY_VARIABLES, ...secretEnv])
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.has(name)))
}
