// A streamed reply of 5 MiB in 50,000 events, read by the library beside a bare node:http reader that parses each event:
//   npm run build && node bench/stream.mjs [ROUNDS]
// Each reader is a fresh process. What is timed in it is one request, from sending it to its end: the first that it makes,
// and the fastest of later ones.
import { execFile } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { promisify } from "node:util"
import { interleaved, median, ratio } from "./interleaved.mjs"

const ROUNDS = Number(process.argv[2] ?? 15)
const EVENTS = 50_000
const BYTES = 5 * 1024 * 1024
const AIMS = { ratio: 1.4, heapMiB: 20 }

const WIRES = {
  openai: {
    path: "/chat/completions",
    open: [
      { id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta: { role: "assistant", content: "" } }] },
    ],
    text: (content) => ({ id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta: { content } }] }),
    close: [{ id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }],
    last: "data: [DONE]\n\n",
  },
  anthropic: {
    path: "/v1/messages",
    open: [
      {
        type: "message_start",
        message: { id: "m", role: "assistant", content: [], usage: { input_tokens: 1, output_tokens: 1 } },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ],
    text: (text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
    close: [
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
      { type: "message_stop" },
    ],
    last: "",
  },
}

function line(style, event) {
  return `${style === "anthropic" ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`
}

/** The same text in as many events as asked; 50,000 of them make 5 MiB, or somewhat more. */
function streamOf(style, events) {
  const { open, text, close, last } = WIRES[style]
  const perEvent = Math.max(4, Math.floor(BYTES / EVENTS) - line(style, text("")).length)
  const whole = "All work and no play. ".repeat(Math.ceil((perEvent * EVENTS) / 22)).slice(0, perEvent * EVENTS)
  const size = whole.length / events
  const pieces = Array.from({ length: events }, (_, at) => text(whole.slice(at * size, (at + 1) * size)))
  return Buffer.from([...open, ...pieces, ...close].map((event) => line(style, event)).join("") + last)
}

const streams = new Map()
for (const style of Object.keys(WIRES)) {
  for (const events of [EVENTS, 500]) streams.set(`/${events}${WIRES[style].path}`, streamOf(style, events))
}
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.end(streams.get(request.url))
  })
})
server.listen(0, "127.0.0.1")
await once(server, "listening")
const address = `http://127.0.0.1:${server.address().port}`

const reader = new URL("./stream-reader.mjs", import.meta.url).pathname
async function read(kind, style, events, what) {
  const args = [reader, kind, style, `${address}/${events}`, what]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout)
}

const missed = []
for (const style of Object.keys(WIRES)) {
  const read50k = (kind) => () => read(kind, style, EVENTS, "time")
  const times = await interleaved({ ours: read50k("ours"), bare: read50k("bare") }, ROUNDS)
  for (const which of ["first", "later"]) {
    const of = (unit) => [times.ours, times.bare].map((readings) => readings.map((reading) => reading[which][unit]))
    const [ours, bare] = of("ms")
    const factor = ratio(ours, bare)
    if (factor > AIMS.ratio) missed.push(`${style} ${which}`)
    console.log(
      `${style}, ${which} in a process: ${median(ours).toFixed(0)} ms, bare ${median(bare).toFixed(0)} ms: ` +
        `${factor.toFixed(2)} times (aim ${AIMS.ratio}), of processor time ${ratio(...of("workedMs")).toFixed(2)}`,
    )
  }
  const heapOf = (events) => async () => (await read("ours", style, events, "heap")).heap
  const heaps = await interleaved({ many: heapOf(EVENTS), few: heapOf(500) }, Math.ceil(ROUNDS / 3))
  const above = median(heaps.many) - median(heaps.few)
  if (above > AIMS.heapMiB) missed.push(`${style} heap`)
  console.log(
    `${style}, peak heap: ${median(heaps.many).toFixed(1)} MiB, ${above.toFixed(1)} above 500 events (aim ${AIMS.heapMiB})`,
  )
}
server.close()
if (missed.length > 0) console.log(`above its aim: ${missed.join(", ")}`)
process.exitCode = missed.length > 0 ? 1 : 0
