import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { resolve } from "node:path"
import { test } from "node:test"
import { KEYS } from "../support/pty.ts"
import { workplace } from "../support/workplace.ts"

const bin = resolve(import.meta.dirname, "../../bin/toolnexus.js")
/** A server that never speaks to its client, and tells the test by a connection that it lives. */
const waiting = (port: number) => ({
  command: process.execPath,
  args: ["-e", `require("net").connect(${port}, "127.0.0.1")`],
})

test("in a terminal doctor says that questions are asked there, and leaves it as it was", async (t) => {
  const { terminal } = await workplace(t, [])
  const pty = terminal(["doctor"], { columns: 120 })
  assert.deepEqual(await pty.exit, { code: 0, signal: undefined })
  assert.match(pty.scrollback(), /^ok +terminal +questions are asked at this terminal$/m)
})

test("Ctrl-C ends doctor at once with 130, and what it had started too", async (t) => {
  const place = await workplace(t, [])
  const listener = createServer().listen(0, "127.0.0.1")
  t.after(() => listener.close())
  await once(listener, "listening")
  const hanging = waiting((listener.address() as AddressInfo).port)
  place.write("mcp.json", JSON.stringify({ mcpServers: { hanging } }))
  const connected = once(listener, "connection")
  const pty = place.terminal(["doctor", "--mcp", "mcp.json"], { columns: 120 })
  await pty.waitFor(/^ok +rules/m)
  const [socket] = (await connected) as [Socket]
  const gone = once(socket.resume(), "close")
  socket.on("error", () => {}) // it may be cut off
  pty.type(KEYS.ctrlC)
  assert.deepEqual(await pty.exit, { code: 130, signal: undefined })
  await gone
  assert.doesNotMatch(pty.scrollback(), /a run could start/)
})

test("without a terminal, stdin at its end, doctor ends by itself", async (t) => {
  const { folder, env } = await workplace(t, [])
  const child = spawn(process.execPath, [bin, "doctor", "--model", "demo"], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  })
  let out = ""
  child.stdout.on("data", (piece) => {
    out += piece
  })
  assert.deepEqual(await once(child, "close"), [0, null])
  assert.match(out, /^note +terminal +there is none/m)
})
