import { connect as connectPlain, type Socket } from "node:net"
import { connect as connectEncrypted } from "node:tls"
import { systemFact } from "../../index.ts"

/**
 * Opens a connection to an address and closes it: no request is sent. With `https` the certificate is looked at too.
 *
 * @returns why there is none, with the next step; `undefined`: there was one
 */
export function problemOfReaching(url: URL, signal: AbortSignal): Promise<[fact: string, next: string] | undefined> {
  return new Promise((resolve) => {
    const socket = open(url)
    const settle = (result: [string, string] | undefined) => {
      signal.removeEventListener("abort", stop)
      socket.destroy()
      resolve(result)
    }
    const stop = () => settle(["it was stopped", "run toolnexus doctor again"])
    signal.addEventListener("abort", stop, { once: true })
    socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => settle(undefined))
    socket.on("error", (error) => settle(factOf(error)))
  })
}

function open({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[(.*)\]$/, "$1")
  if (protocol === "http:") return connectPlain({ host, port: Number(port || 80) })
  const named = /^[\d.]+$|:/.test(host) ? {} : { servername: host } // an address is no name
  return connectEncrypted({ host, port: Number(port || 443), ...named })
}

const NETWORK = "check the address, and the network"
const CERTIFICATE = "name the authority that signed it in NODE_EXTRA_CA_CERTS"

const FACTS: Readonly<Record<string, [fact: string, next: string]>> = {
  ECONNREFUSED: ["nothing listens there", "start the server, or check the address"],
  ENOTFOUND: ["there is no such host", NETWORK],
  EAI_AGAIN: ["the host's name could not be looked up", "check the network"],
  ENETUNREACH: ["the network cannot be reached", "check the network"],
  EHOSTUNREACH: ["the host cannot be reached", NETWORK],
  ETIMEDOUT: ["it does not answer", NETWORK],
  ECONNRESET: ["it ended the connection", "check whether it is https:// or http://"],
  EPROTO: ["it does not speak TLS", "write http:// in its address, if that is meant"],
  ERR_SSL_WRONG_VERSION_NUMBER: ["it does not speak TLS", "write http:// in its address, if that is meant"],
  CERT_HAS_EXPIRED: ["its certificate has expired", "renew it on the server"],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["its certificate is self-signed", CERTIFICATE],
  SELF_SIGNED_CERT_IN_CHAIN: ["its certificate is self-signed", CERTIFICATE],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ["its certificate is not trusted", CERTIFICATE],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ["its certificate is not trusted", CERTIFICATE],
  ERR_TLS_CERT_ALTNAME_INVALID: ["its certificate is for another host", "use the name that it is for"],
}

function factOf(error: unknown): [fact: string, next: string] {
  // Several addresses of one host give an error of errors.
  const one = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error
  const { code = "" } = one as NodeJS.ErrnoException
  return FACTS[code] ?? [systemFact(one), NETWORK]
}
