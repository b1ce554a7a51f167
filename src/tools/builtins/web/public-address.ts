import { BlockList, isIP } from "node:net"

/** IPv4 networks that are no part of the public internet (IANA's special-purpose registry, multicast, future use). */
const SPECIAL_IPV4 = (
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 " +
  "192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4"
).split(" ")

/** Of IPv6 only global unicast is public, without what documents, and what wraps an IPv4 address. */
const PUBLIC_IPV6 = ["2000::/3"]
const SPECIAL_IPV6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]

const specialIPv4 = networks("ipv4", SPECIAL_IPV4)
const publicIPv6 = networks("ipv6", PUBLIC_IPV6)
const specialIPv6 = networks("ipv6", SPECIAL_IPV6)

/** Whether an address is one of the public internet: not this machine, not a network behind it. What cannot be told is not. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, "")
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1]
  if (mapped !== undefined) return isPublicAddress(mapped)
  if (isIP(plain) === 4) return !specialIPv4.check(plain, "ipv4")
  if (isIP(plain) === 6) return publicIPv6.check(plain, "ipv6") && !specialIPv6.check(plain, "ipv6")
  return false
}

function networks(family: "ipv4" | "ipv6", list: readonly string[]): BlockList {
  const blocks = new BlockList()
  for (const network of list) {
    const [address = "", prefix] = network.split("/")
    blocks.addSubnet(address, Number(prefix), family)
  }
  return blocks
}
