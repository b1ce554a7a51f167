// Reads one streamed reply a few times and prints how long the first and the later ones took in ms, and how long of that
// the main thread was on a processor; or once, and the peak of the used heap in MiB.
import { readFileSync } from "node:fs"
import { getHeapStatistics } from "node:v8"

const [kind, style, baseUrl, what] = process.argv.slice(2)
let length = 0
let peak = 0
const watchHeap = () => {
  peak = Math.max(peak, getHeapStatistics().used_heap_size)
}

const onText =
  what === "heap"
    ? (text) => {
        length += text.length
        watchHeap()
      }
    : (text) => {
        length += text.length
      }

const read = kind === "ours" ? await ours() : await bare()
const times = []
const worked = []
for (let n = 0; n < (what === "heap" ? 1 : 6); n++) {
  length = 0
  const [start, workedBefore] = [performance.now(), onProcessorMs()]
  await read()
  times.push(performance.now() - start)
  worked.push(onProcessorMs() - workedBefore)
  if (length < 100_000) throw new Error(`only ${length} characters of text were read`)
}
watchHeap()
const [first, ...later] = times
const [firstWorked, ...laterWorked] = worked
console.log(
  JSON.stringify({
    first: { ms: first, workedMs: firstWorked },
    later: { ms: Math.min(...later), workedMs: Math.min(...laterWorked) },
    heap: peak / 1024 / 1024,
  }),
)

/** What a busy machine does not make longer. Where there is no such file, all of it counts. */
function onProcessorMs() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6
  } catch {
    return process.cpuUsage().user / 1000
  }
}

async function ours() {
  const { createClient } = await import("../dist/index.js")
  const client = createClient({ baseUrl, style, model: "m" })
  return () => client.run("go", { onText })
}

async function bare() {
  const { request } = await import("node:http")
  const path = style === "openai" ? "/chat/completions" : "/v1/messages"
  const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "go" }] })
  const textIn = style === "openai" ? (event) => event.choices[0].delta.content : (event) => event.delta?.text
  return () =>
    new Promise((resolve, reject) => {
      const post = request(`${baseUrl}${path}`, { method: "POST", headers: { "content-type": "application/json" } })
      post.on("error", reject)
      post.on("response", (response) => {
        let rest = ""
        response.setEncoding("utf8")
        response.on("error", reject)
        response.on("end", resolve)
        response.on("data", (chunk) => {
          const events = (rest + chunk).split("\n\n")
          rest = events.pop()
          for (const event of events) {
            const data = event.slice(event.indexOf("data: ") + 6)
            if (data === "[DONE]") continue
            const text = textIn(JSON.parse(data))
            if (text) onText(text)
          }
        })
      })
      post.end(body)
    })
}
