import { isIP } from "node:net"
import { ToolnexusError } from "../../tool/error.ts"

/** The proxies in front of endpoints, by the scheme of the address that is asked. */
export interface ProxyOptions {
  /** For `http:` addresses: `http://HOST:PORT`, with `NAME:PASSWORD@` where it wants them. */
  http?: string | undefined
  /** For `https:` addresses, which go through it in a tunnel. */
  https?: string | undefined
  /** Hosts that are asked directly, as in `NO_PROXY`: names (with all below them), addresses, `HOST:PORT`, or `*`. */
  noProxy?: string | undefined
}

/**
 * The proxy for an address, or `undefined`: it is asked directly.
 *
 * @param proxy one for every address, or by scheme
 * @throws ToolnexusError `configuration` for one that is no HTTP proxy
 * @example proxyFor(new URL("https://a.test"), { https: "http://127.0.0.1:3128", noProxy: ".b.test" })?.port // "3128"
 */
export function proxyFor(url: URL, proxy: string | ProxyOptions | undefined): URL | undefined {
  const options = typeof proxy === "string" ? { http: proxy, https: proxy } : (proxy ?? {})
  const address = url.protocol === "https:" ? options.https : options.http
  if (!address?.trim() || isDirect(url, options.noProxy ?? "")) return undefined
  return parseProxy(address.trim())
}

/** The header that a proxy with a name in its address wants. */
export function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === "" && proxy.password === "") return {}
  return { "proxy-authorization": `Basic ${Buffer.from(accountOf(proxy).join(":")).toString("base64")}` }
}

/** The texts that must appear in no error: a proxy's password, as it is and as it is sent. */
export function proxySecrets(proxy: URL | undefined): string[] {
  if (!proxy) return []
  const sent = Object.values(proxyAuthorization(proxy)).map((value) => value.slice("Basic ".length))
  return [...sent, proxy.password, accountOf(proxy)[1]].filter((secret) => secret !== "")
}

/** The name and the password in an address. */
export function accountOf({ username, password }: URL): [name: string, password: string] {
  return [decoded(username), decoded(password)]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a bare percent sign, meant as one
  }
}

function parseProxy(address: string): URL {
  const withScheme = /^[a-z][\w+.-]*:\/\//i.test(address) ? address : `http://${address}`
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined
  if (url?.protocol === "http:" || url?.protocol === "https:") return url
  // Not the address itself: it may hold a password.
  const got = url ? `got one that begins with ${url.protocol}//` : "got one that cannot be read"
  throw new ToolnexusError(
    "configuration",
    `A proxy must be http://HOST:PORT or https://HOST:PORT, ${got}: correct HTTP_PROXY, HTTPS_PROXY, ALL_PROXY / proxy`,
  )
}

function isDirect(url: URL, noProxy: string): boolean {
  const host = bare(url.hostname)
  const port = url.port || (url.protocol === "https:" ? "443" : "80")
  return noProxy.split(/[\s,]+/).some((entry) => entry !== "" && leavesOut(entry.toLowerCase(), host, port))
}

function leavesOut(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true
  const [, name = entry, onlyPort = port] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? []
  if (onlyPort !== port) return false
  const suffix = bare(name).replace(/^\*?\./, "")
  return suffix !== "" && (host === suffix || (isIP(host) === 0 && host.endsWith(`.${suffix}`)))
}

/** Without the brackets of an IPv6 address and the dot that ends a full name. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "")
}
