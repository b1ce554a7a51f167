import { type LookupAddress, lookup } from "node:dns"
import type { LookupFunction } from "node:net"
import { isPublicAddress } from "./public-address.ts"

/** Which hosts may be on this machine or in a network behind it: `HOST` or `HOST:PORT`, `*` for all. */
export type PrivateHosts = readonly string[]

export function mayBePrivate(url: URL, allowed: PrivateHosts): boolean {
  const port = url.port || (url.protocol === "https:" ? "443" : "80")
  const host = url.hostname.toLowerCase()
  return allowed.some((entry) => {
    const name = entry.toLowerCase()
    return name === "*" || name === host || name === `${host}:${port}`
  })
}

/** Why an address is not connected to; thrown where the connection is made, so that no name can lead there later. */
export class PrivateAddressError extends Error {
  constructor(host: string, address: string) {
    super(
      `${host} is at the address ${address}, which is not public: this machine or a network behind it is not fetched from`,
    )
    this.name = "PrivateAddressError"
  }
}

type Resolve = (
  host: string,
  options: { all: true; family?: number },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

const system: Resolve = (host, options, done) => lookup(host, options, done)

/**
 * A `lookup` for `node:http` that gives public addresses only: the very ones that are connected to. One that is not public refuses
 * the host, also beside others that are.
 *
 * @param resolve instead of the system's
 */
export function publicLookup(resolve: Resolve = system): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { all: true, family: familyOf(options.family) }, (error, addresses) => {
      const wrong = addresses?.find(({ address }) => !isPublicAddress(address))
      const [first] = addresses ?? []
      if (error) callback(error, "", 0)
      else if (wrong) callback(new PrivateAddressError(host, wrong.address), "", 0)
      else if (!first) callback(Object.assign(new Error(`${host} has no address`), { code: "ENOTFOUND" }), "", 0)
      else if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

function familyOf(family: number | string | undefined): number {
  return family === 4 || family === "IPv4" ? 4 : family === 6 || family === "IPv6" ? 6 : 0
}
