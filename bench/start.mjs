// From start to exit: `toolnexus run` with one POST, beside bare node that makes the same POST with node:http:
//   npm run build && node bench/start.mjs [ROUNDS]
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { interleaved, median, ratio } from "./interleaved.mjs"

const ROUNDS = Number(process.argv[2] ?? 21)
const reply = JSON.stringify({
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
})
const server = createServer((request, response) => {
  request.resume().on("end", () => response.writeHead(200, { "content-type": "application/json" }).end(reply))
})
server.listen(0, "127.0.0.1")
await once(server, "listening")
const address = `http://127.0.0.1:${server.address().port}`
const folder = mkdtempSync(join(tmpdir(), "toolnexus-bench-"))

const BARE_POST = `
import { request } from "node:http"
const post = request("${address}/chat/completions", { method: "POST", headers: { "content-type": "application/json" } }, (response) => {
  let text = ""
  response.setEncoding("utf8").on("data", (chunk) => { text += chunk }).on("end", () => console.log(JSON.parse(text).choices[0].message.content))
})
post.end(JSON.stringify({ model: "m", messages: [{ role: "user", content: "go" }] }))`
const bin = new URL("../bin/toolnexus.js", import.meta.url).pathname

/** Milliseconds from start to exit. */
async function timeOf(args) {
  const env = { PATH: process.env.PATH, HOME: folder, TOOLNEXUS_STATE_DIR: join(folder, "state") }
  const start = performance.now()
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: "ignore" })
  const [code] = await once(child, "exit")
  if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${code}`)
  return performance.now() - start
}

const times = await interleaved(
  {
    nothing: () => timeOf(["--input-type=module", "--eval", ""]),
    bare: () => timeOf(["--input-type=module", "--eval", BARE_POST]),
    version: () => timeOf([bin, "--version"]),
    ours: () => timeOf([bin, "run", "--base-url", address, "--model", "m", "go"]),
  },
  ROUNDS,
)
server.close()
rmSync(folder, { recursive: true, force: true })
const ms = (name) => `${median(times[name]).toFixed(0)} ms`
console.log(
  `toolnexus run: ${ms("ours")}, ${ratio(times.ours, times.bare).toFixed(2)} times a bare node:http POST (${ms("bare")})`,
)
console.log(`nothing at all: ${ms("nothing")}; toolnexus --version: ${ms("version")}`)
