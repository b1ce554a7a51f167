/** Speaks TLS for `api.test` in front of a plain server; a program trusts it by `NODE_EXTRA_CA_CERTS` = {@link CERTIFICATE}. */
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { type AddressInfo, connect } from "node:net"
import { join } from "node:path"
import { pipeline } from "node:stream"
import { createServer } from "node:tls"

const folder = join(import.meta.dirname, "tls")
export const CERTIFICATE: string = join(folder, "certificate.pem")

export interface TlsFront {
  readonly port: number
  [Symbol.asyncDispose](): Promise<void>
}

export async function tlsFront(plainPort: number): Promise<TlsFront> {
  const certificate = { cert: readFileSync(CERTIFICATE), key: readFileSync(join(folder, "key.pem")) }
  const server = createServer(certificate, (socket) => {
    socket.on("error", () => socket.destroy())
    pipeline(socket, connect(plainPort, "127.0.0.1"), socket, () => {})
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close()
    },
  }
}
