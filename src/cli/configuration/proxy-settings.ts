import type { ProxyOptions } from "../../index.ts"

/** The proxies that the environment names; names in lower case win, as in other programs. */
export function proxyFrom(env: Readonly<Record<string, string | undefined>>): ProxyOptions {
  const named = (name: string) => env[name] || env[name.toUpperCase()] || undefined
  const all = named("all_proxy")
  return { http: named("http_proxy") ?? all, https: named("https_proxy") ?? all, noProxy: named("no_proxy") }
}
