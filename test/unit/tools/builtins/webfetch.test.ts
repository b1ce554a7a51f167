import assert from "node:assert/strict"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { after, test } from "node:test"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { publicLookup } from "../../../../src/tools/builtins/web/checked-lookup.ts"
import { fetchPage } from "../../../../src/tools/builtins/web/fetch-page.ts"
import { createToolkit } from "../../../../src/tools/create-toolkit.ts"

type Handler = (request: IncomingMessage, response: ServerResponse) => void
const pages: Record<string, Handler> = {}
let asked: string[] = []
const server = createServer((request, response) => {
  asked.push(request.url ?? "")
  const page = pages[request.url ?? ""]
  if (page) page(request, response)
  else response.writeHead(404, { "content-type": "text/plain" }).end("no such page")
})
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
after(() => {
  server.closeAllConnections()
  server.close()
})
const { port } = server.address() as AddressInfo
const at = (path: string, host = "127.0.0.1") => `http://${host}:${port}${path}`
const page = (path: string, body: string | Buffer, headers: Record<string, string> = {}, status = 200) => {
  pages[path] = (_request, response) =>
    response.writeHead(status, { "content-type": "text/html", ...headers }).end(body)
}

const open = await createToolkit({ builtins: ["webfetch"], privateHosts: [`127.0.0.1:${port}`] })
const closed = await createToolkit({ builtins: ["webfetch"] })
const get = (url: string, more: object = {}) => open.execute("webfetch", { url, ...more })
const refusal = async (url: string) => {
  asked = []
  const { output, isError } = await closed.execute("webfetch", { url })
  assert.equal(isError, true, output)
  assert.deepEqual(asked, [], url)
  return output
}

test("a page comes as markdown or as text", async () => {
  page(
    "/page",
    "<html><head><title>T</title><style>x{}</style></head><body><h1>Head &amp; <em>more</em></h1><p>One\n two<br>three</p><script>bad()</script>" +
      "<ul><li>a<li>b <a href='/x?a=1&amp;b'>link</a><ol><li>c</ol></ul><pre>  code\n  &lt;b&gt;</pre><blockquote><p>said</p></blockquote>" +
      "<table><tr><th>k<th>v<tr><td>1<td>2</table><img alt='pic' src=x><!-- no --></body>",
  )
  const { output, isError, metadata } = await get(at("/page"))
  assert.equal(
    output,
    "# Head & *more*\n\nOne two\nthree\n\n- a\n- b [link](/x?a=1&b)\n  1. c\n\n```\n  code\n  <b>\n```\n\n> said\n\nk | v\n1 | 2\n\n[image: pic]",
  )
  assert.deepEqual([isError, metadata], [false, { status: 200, url: at("/page") }])
  const text = (await get(at("/page"), { format: "text" })).output
  assert.match(text, /^Head & more\n\nOne two\nthree\n\n- a\n- b link\n/)
  page("/plain", "a <b> & c", { "content-type": "text/plain; charset=utf-8" })
  assert.equal((await get(at("/plain"))).output, "a <b> & c")
})

test("other encodings and charsets are read, other types are told", async () => {
  page("/gzip", gzipSync("zipped"), { "content-encoding": "gzip" })
  page("/br", brotliCompressSync("brotli"), { "content-encoding": "br" })
  page("/latin1", Buffer.from([0xe4]), { "content-type": "text/plain; charset=iso-8859-1" })
  page("/meta", Buffer.concat([Buffer.from('<meta charset="iso-8859-1"><p>'), Buffer.from([0xfc])]))
  page("/png", Buffer.from("89504e470d0a1a0a", "hex"), { "content-type": "image/png" })
  page("/liar", Buffer.from("89504e470d0a1a0a00", "hex"), { "content-type": "text/plain" })
  page("/odd", "x", { "content-encoding": "zstd" })
  assert.equal((await get(at("/gzip"))).output, "zipped")
  assert.equal((await get(at("/br"))).output, "brotli")
  assert.equal((await get(at("/latin1"))).output, "ä")
  assert.equal((await get(at("/meta"))).output, "ü")
  assert.equal((await get(at("/png"))).output, "[image/png, 8 bytes]")
  assert.equal((await get(at("/liar"))).output, "[text/plain, 9 bytes]")
  assert.match((await get(at("/odd"))).output, /encoding that was not asked for/)
})

test("a status that is no success is an error with what the page says", async () => {
  assert.deepEqual(await get(at("/nothing")), {
    output: `${at("/nothing")} answered with status 404\nno such page`,
    isError: true,
    metadata: { status: 404, url: at("/nothing") },
  })
})

test("a long page comes in parts", async () => {
  page("/long", `<p>${"word ".repeat(15_000)}end</p>`)
  const first = (await get(at("/long"))).output
  const next = Number(/\[\d+ more characters: go on with offset (\d+)\]$/.exec(first)?.[1])
  assert.ok(first.length < 51_000)
  const second = (await get(at("/long"), { offset: next })).output
  assert.match(second, /word end$/)
  assert.match(
    (await get(at("/long"), { offset: 10_000_000 })).output,
    /\[The page has \d+ characters, and offset is 10000000\]/,
  )
})

test("a page without end, a bomb and a server that does not answer are stopped", async () => {
  const limits = { timeoutMs: 60_000, maxBytes: 100_000, privateHosts: ["*"], signal: undefined }
  pages["/endless"] = (_request, response) => {
    response.writeHead(200, { "content-type": "text/plain" })
    const more = () => {
      while (response.write("x".repeat(65536)));
      response.once("drain", more)
    }
    more()
  }
  page("/bomb", gzipSync(Buffer.alloc(50 * 1024 * 1024)), { "content-encoding": "gzip", "content-type": "text/plain" })
  for (const path of ["/endless", "/bomb"]) {
    const { bytes, cut } = await fetchPage(at(path), limits)
    assert.deepEqual([bytes.length, cut], [100_000, true])
  }
  pages["/silent"] = () => {}
  pages["/slow"] = (_request, response) => void response.writeHead(200).write("begun")
  for (const path of ["/silent", "/slow"]) {
    await assert.rejects(fetchPage(at(path), { ...limits, timeoutMs: 200 }), {
      message: `${at(path)} was not there within 200 ms`,
    })
  }
  const stop = new AbortController()
  pages["/abort"] = () => stop.abort(new Error("stopped"))
  const aborted = await open.execute("webfetch", { url: at("/abort") }, { signal: stop.signal })
  assert.equal(aborted.isError, true)
  assert.match((await get("http://127.0.0.1:1/")).output, /not public/)
})

test("no address of this machine or of a network behind it is reached, however it is written", async () => {
  page("/", "secret")
  for (const host of [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "localhost",
    "localhost.",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[ff02::1]",
  ]) {
    assert.match(await refusal(at("/", host)), /which is not public|no address|ENOTFOUND|EAI_AGAIN/, host)
  }
  assert.match(await refusal("file:///etc/passwd"), /file: addresses are not fetched/)
  assert.match(await refusal("http://user:word@example.com/"), /a name or a password/)
  assert.match(await refusal("example.com"), /is no address/)
})

test("what a name leads to is checked where the connection is made, all of it", async () => {
  const limits = { timeoutMs: 5_000, maxBytes: 1000, privateHosts: [], signal: undefined }
  const leadsTo = (...addresses: string[]) =>
    publicLookup((_host, _options, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      ),
    )
  asked = []
  for (const addresses of [["127.0.0.1"], ["93.184.216.34", "127.0.0.1"], ["::1"]]) {
    const lookup = leadsTo(...addresses)
    await assert.rejects(
      fetchPage(at("/", "rebound.example"), { ...limits, lookup }),
      /rebound\.example is at the address .* not public/,
    )
  }
  // A lookup that lies: the connection itself is looked at.
  const lying: ReturnType<typeof publicLookup> = (_host, options, callback) =>
    options.all ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4)
  await assert.rejects(fetchPage(at("/", "lying.example"), { ...limits, lookup: lying }), /not public/)
  assert.deepEqual(asked, [])
})

test("a redirect is followed on the same host, and checked again; to another it is told", async () => {
  const redirect = (path: string, location: string) => page(path, "", { location }, 302)
  page("/end", "<p>arrived</p>")
  redirect("/begin", "/middle")
  redirect("/middle", "end")
  assert.deepEqual((await get(at("/begin"))).metadata, { status: 200, url: at("/end") })
  redirect("/away", "http://169.254.169.254/latest")
  redirect("/port", "http://127.0.0.1:1/")
  redirect("/file", "file:///etc/passwd")
  redirect("/round", "/round")
  assert.match(
    (await get(at("/away"))).output,
    /redirects to another host, which was not followed: http:\/\/169\.254\.169\.254\/latest/,
  )
  assert.match((await get(at("/port"))).output, /redirects to another host/)
  assert.match((await get(at("/file"))).output, /file: addresses are not fetched/)
  assert.match((await get(at("/round"))).output, /redirects more than 5 times/)
})

test("a huge page without blocks is turned into text in bounded time", async () => {
  page("/flat", "<b>x</b><a href=y>z</a> ".repeat(200_000))
  const started = performance.now()
  assert.equal((await get(at("/flat"))).isError, false)
  assert.ok(performance.now() - started < 20_000)
})

test("hostile nesting costs no more than its length", async () => {
  const n = 100_000
  const nested: Record<string, string> = {
    links: `${"<a href=x>".repeat(n)}end${"</a>".repeat(n)}`,
    lists: `${"<ul><li>".repeat(n)}end`,
    quotes: `${"<blockquote>".repeat(n)}end${"</blockquote>".repeat(n)}`,
    tables: `${"<table><tr><td>".repeat(n)}end`,
    marks: `${"<b>".repeat(n)}<a href=x>end</a>`,
    "unclosed quotes": `end${'<a b="'.repeat(n)}`,
    "unclosed scripts": `end${"<script>".repeat(n)}`,
    "no tags": `end${"<".repeat(n)}`,
    attributes: `<a ${"x ".repeat(n)} href=y>end</a>`,
  }
  for (const [what, html] of Object.entries(nested)) {
    page(`/nested/${what.replace(" ", "-")}`, html)
    const { output, isError } = await get(at(`/nested/${what.replace(" ", "-")}`), { format: "text" })
    assert.equal(isError, false)
    assert.match(output, /end|characters: go on/, what)
  }
})

test("a link in a link is the inner one", async () => {
  page("/links", "<a href=one>a <a href=two>b</a> c</a> d")
  assert.equal((await get(at("/links"))).output, "a [b](two) c d")
})
