import assert from "node:assert/strict"
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { describe, it, type TestContext } from "node:test"
import { replyCalls, replyText, type Step, scriptedEndpoint } from "../support/scripted-endpoint.ts"
import { place, TOOLS } from "./command-line.ts"

const deployCall = replyCalls([{ id: "c1", name: "deploy", arguments: { service: "api" } }])

/** A halted run, made here, and a copy of it that another machine answered. */
async function halted(t: TestContext, steps: Step[] = [deployCall, replyText("It is deployed.")]) {
  const endpoint = await scriptedEndpoint(steps).listen()
  t.after(() => endpoint.close())
  const here = place(t)
  here.write("tools.mjs", TOOLS)
  const options = ["--base-url", endpoint.baseUrl, "--model", "m", "--tools", "tools.mjs"]
  assert.equal((await here.run(["run", "deploy it", ...options, "--file", "d.run.jsonl"])).code, 3)
  const elsewhere = { env: { TOOLNEXUS_STATE_DIR: here.path("another-machine") } }
  const answeredCopy = async (name: string) => {
    copyFileSync(here.path("d.run.jsonl"), here.path(name))
    return here.run(["answer", name, "--answer", "production"], elsewhere)
  }
  const known = () => readdirSync(here.path("state/known")).map((name) => here.read(`state/known/${name}`))
  return { ...here, endpoint, options, elsewhere, answeredCopy, known }
}

/** The words of the last line, without the program's name. */
function typed(line: string): string[] {
  return line.split(" ").slice(1)
}

describe("a file that was put in the place of one that was written here", () => {
  it("is from elsewhere: its recorded answer runs nothing, and what is remembered is not rewritten", async (t) => {
    const { run, path, answeredCopy, endpoint, known } = await halted(t)
    const before = known()
    await answeredCopy("copy")
    renameSync(path("copy"), path("d.run.jsonl"))
    const ran = await run(["resume", "d.run.jsonl"])
    assert.equal(ran.code, 3)
    assert.equal(endpoint.requests.length, 1)
    assert.ok(before.every((text) => known().includes(text)))
    assert.equal((await run(["resume", "d.run.jsonl"])).code, 3)
    assert.equal(endpoint.requests.length, 1)
  })
  it("is from elsewhere too where the first one was removed before", async (t) => {
    const { run, path, answeredCopy, endpoint } = await halted(t)
    await answeredCopy("copy")
    rmSync(path("d.run.jsonl"))
    copyFileSync(path("copy"), path("moved.run.jsonl"))
    for (const name of ["moved.run.jsonl", "copy"]) assert.equal((await run(["resume", name])).code, 3)
    assert.equal(endpoint.requests.length, 1)
  })
  it("is from elsewhere too where it was written over the first one, or into it", async (t) => {
    const { run, path, read, answeredCopy, endpoint } = await halted(t)
    await answeredCopy("copy")
    writeFileSync(path("d.run.jsonl"), read("copy"))
    assert.equal((await run(["resume", "d.run.jsonl"])).code, 3)
    assert.equal((await run(["resume", "d.run.jsonl"])).code, 3)
    assert.equal(endpoint.requests.length, 1)
  })
  it("while one that its user moved is still his", async (t) => {
    const { run, path } = await halted(t)
    await run(["answer", "d.run.jsonl", "--answer", "staging"])
    renameSync(path("d.run.jsonl"), path("moved.run.jsonl"))
    assert.equal((await run(["resume", "moved.run.jsonl"])).out, "It is deployed.\n")
  })
})

describe("an answer that a file from elsewhere holds", () => {
  it("is told by a resume that does not count it, with the option that does", async (t) => {
    const { run, answeredCopy } = await halted(t)
    await answeredCopy("copy.run.jsonl")
    for (const _ of ["first", "second"]) {
      const ran = await run(["resume", "copy.run.jsonl"])
      assert.equal(ran.code, 3)
      assert.match(ran.err, /from elsewhere.*does not count \(req_\S+\):\n.*asked again; --accept-recorded/)
    }
    const accepted = await run(["resume", "copy.run.jsonl", "--accept-recorded"])
    assert.deepEqual([accepted.code, accepted.out], [0, "It is deployed.\n"])
    assert.doesNotMatch(accepted.err, /does not count/)
  })
  it("is asked again, and takes the answers that are offered then", async (t) => {
    const bashCall = replyCalls([{ id: "c1", name: "bash", arguments: { command: "echo it ran" } }])
    for (const [step, recorded, given, said] of [
      [deployCall, ["--answer", "production"], ["--answer", "staging"], "deployed api to staging"],
      [bashCall, ["--approve"], ["--decline"], /^declined/],
      [bashCall, ["--decline"], ["--approve"], /^it ran/],
    ] as const) {
      const { run, path, elsewhere, endpoint } = await halted(t, [step, replyText("done")])
      copyFileSync(path("d.run.jsonl"), path("copy.run.jsonl"))
      assert.equal((await run(["answer", "copy.run.jsonl", ...recorded], elsewhere)).code, 0)
      assert.equal((await run(["resume", "copy.run.jsonl"])).code, 3)
      const ran = await run(["resume", "copy.run.jsonl", ...given])
      assert.deepEqual([ran.code, ran.out], [0, "done\n"], ran.err)
      const content = endpoint.requests[1]?.body.messages.at(-1).content
      if (typeof said === "string") assert.equal(content, said)
      else assert.match(content, said)
    }
  })
  it("about a call in doubt is asked again too", async (t) => {
    const { run, read, write, elsewhere, endpoint } = await halted(t, [deployCall, replyText("done")])
    const lines = read("d.run.jsonl").split("\n")
    const started = lines.findIndex((line) => line.includes('"call.started"'))
    write("copy.run.jsonl", `${lines.slice(0, started + 1).join("\n")}\n`)
    assert.equal((await run(["answer", "copy.run.jsonl", "--in-doubt", "rerun"], elsewhere)).code, 0)
    assert.equal((await run(["resume", "copy.run.jsonl"])).code, 3)
    assert.equal((await run(["resume", "copy.run.jsonl", "--in-doubt", "unknown"])).code, 0)
    assert.match(endpoint.requests[1]?.body.messages.at(-1).content, /^outcome unknown/)
  })
  it("is not said to count: what answer prints last goes on with the run", async (t) => {
    const { run, answeredCopy, elsewhere, options } = await halted(t)
    const answered = await answeredCopy("copy.run.jsonl")
    assert.match(answered.err, /from elsewhere: what is recorded in it \(req_\S+\) counts with this option only:\n/)
    assert.equal(answered.lastLine, "toolnexus resume copy.run.jsonl --accept-recorded")
    const ran = await run([...typed(answered.lastLine), ...options], elsewhere)
    assert.deepEqual([ran.code, ran.out], [0, "It is deployed.\n"])
  })
  it("answer on a file of this user goes on without it", async (t) => {
    const { run } = await halted(t)
    const answered = await run(["answer", "d.run.jsonl", "--answer", "staging"])
    assert.equal(answered.lastLine, "toolnexus resume d.run.jsonl")
    assert.equal((await run(typed(answered.lastLine))).out, "It is deployed.\n")
  })
})

describe("the command that resumes a run from elsewhere works as it is printed", () => {
  it("endpoint and tools that were named for the file are remembered, also where nothing was written", async (t) => {
    const { run, path, options, elsewhere, read } = await halted(t)
    copyFileSync(path("d.run.jsonl"), path("copy.run.jsonl"))
    const before = read("copy.run.jsonl")
    const again = await run(["resume", "copy.run.jsonl", ...options], elsewhere)
    assert.equal(again.code, 3)
    assert.equal(read("copy.run.jsonl"), before)
    const ran = await run([...typed(again.lastLine), "--answer", "staging"], elsewhere)
    assert.deepEqual([ran.code, ran.out], [0, "It is deployed.\n"])
  })
  it("also of a copy of a run that was made here, without a word about that one", async (t) => {
    const { run, path, endpoint, known } = await halted(t)
    const other = await scriptedEndpoint([replyText("From the other one.")]).listen()
    t.after(() => other.close())
    copyFileSync(path("d.run.jsonl"), path("copy.run.jsonl"))
    const [before] = known()
    const again = await run(["resume", "copy.run.jsonl", "--base-url", other.baseUrl])
    assert.equal(again.code, 3)
    assert.ok(known().includes(before ?? ""))
    assert.equal((await run([...typed(again.lastLine), "--answer", "staging"])).out, "From the other one.\n")
    assert.equal((await run(["resume", "d.run.jsonl", "--answer", "staging"])).out, "It is deployed.\n")
    assert.deepEqual([endpoint.requests.length, other.requests.length], [2, 1])
  })
  it("of a run whose id no file can be named after", async (t) => {
    const { run, options, read, write } = await halted(t)
    write("e.run.jsonl", read("d.run.jsonl").replace(/"runId":"[^"]+"/, '"runId":"../../x"'))
    const again = await run(["resume", "e.run.jsonl", ...options])
    assert.equal(again.code, 3)
    assert.equal((await run([...typed(again.lastLine), "--answer", "staging"])).out, "It is deployed.\n")
  })
  it("is not changed by one that lies beside it", async (t) => {
    const { run, path, options, elsewhere } = await halted(t)
    for (const name of ["a.run.jsonl", "b.run.jsonl"]) copyFileSync(path("d.run.jsonl"), path(name))
    assert.equal((await run(["resume", "a.run.jsonl", ...options], elsewhere)).code, 3)
    assert.equal((await run(["resume", "b.run.jsonl", "--answer", "staging"], elsewhere)).code, 2)
    assert.equal(readFileSync(path("a.run.jsonl"), "utf8"), readFileSync(path("b.run.jsonl"), "utf8"))
  })
})
