/** One POST, and what comes back as it comes. */
export interface TransportRequest {
  url: URL
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  body: string
  /** Drops the connection, whatever state it is in. */
  signal: AbortSignal
  /** The longest silence, before the headers and between any two reads of the body. */
  idleTimeoutMs: number
}

export interface TransportResponse {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  /** Decoded. Leaving the loop early frees the socket. It throws when the connection breaks. */
  body: AsyncIterable<Uint8Array>
}

/** How a request gets to an endpoint. It throws the signal's reason on abort, else whatever went wrong. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>
