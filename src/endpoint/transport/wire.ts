import { Agent, type ClientRequestArgs, request as httpRequest, type RequestOptions } from "node:http"
import { proxyAuthorization } from "./proxy.ts"

/** How the requests of one scheme get onto the network. */
export interface Wire {
  request: typeof httpRequest
  /** Keeps connections. */
  agent: Agent
  /** One that has no connection yet. */
  freshAgent(): Agent
  /**
   * Where to connect, and what the other side of that connection wants to know beside the request itself.
   *
   * @param dropped aborted when the request is given up
   */
  route(url: URL, dropped: AbortSignal): { to: URL; options: RequestOptions }
}

/**
 * Loads what a scheme needs: `node:https` and the package for proxies only when they are used.
 *
 * @param protocol of the addresses that are asked, `http:` or `https:`
 */
export async function openWire(protocol: string, proxy: URL | undefined): Promise<Wire> {
  if (!proxy) return { ...(await openDirect(protocol)), route: (url) => ({ to: url, options: {} }) }
  return protocol === "http:" ? openForward(proxy) : openTunnel(proxy)
}

async function openDirect(protocol: string): Promise<Omit<Wire, "route">> {
  if (protocol === "http:") {
    return { request: httpRequest, agent: new Agent({ keepAlive: true }), freshAgent: () => new Agent() }
  }
  const https = await import("node:https")
  return {
    request: https.request,
    agent: new https.Agent({ keepAlive: true }),
    freshAgent: () => new https.Agent(),
  }
}

/** Plain requests are sent to the proxy with their whole address: many proxies open tunnels to port 443 only. */
async function openForward(proxy: URL): Promise<Wire> {
  const authorization = proxyAuthorization(proxy)
  return {
    ...(await openDirect(proxy.protocol)),
    route(url) {
      const options = { path: url.href, headers: { host: url.host, ...authorization } }
      return { to: new URL(proxy.origin), options }
    },
  }
}

interface TunnelOptions extends RequestOptions {
  dropped: AbortSignal
}

async function openTunnel(proxy: URL): Promise<Wire> {
  const [https, { HttpsProxyAgent }] = await Promise.all([import("node:https"), import("hpagent")])
  class TunnelAgent extends HttpsProxyAgent {
    override createConnection(options: ClientRequestArgs, whenOpen: () => void) {
      // A request without a socket cannot be ended: what is ended is the package's own one, which asks for the tunnel.
      Object.assign(this, { proxyRequestOptions: { signal: (options as TunnelOptions).dropped } })
      return super.createConnection(options, whenOpen)
    }
  }
  return {
    request: https.request,
    agent: new TunnelAgent({ proxy, keepAlive: true }),
    freshAgent: () => new TunnelAgent({ proxy }),
    route(url, dropped) {
      const options: TunnelOptions = { dropped }
      return { to: url, options }
    },
  }
}
