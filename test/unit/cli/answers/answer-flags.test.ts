import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { type AnswerFlags, answersFrom, hasAnswers } from "../../../../src/cli/answers/answer-flags.ts"
import type { Request } from "../../../../src/index.ts"

const none: AnswerFlags = { answer: [], answerEnv: [], answers: [] }
const input: Request = { id: "req_1", kind: "input", prompt: "Which environment?" }
const approval: Request = { id: "req_2", kind: "approval", prompt: "Run it?", data: { call: { by: "gate" } } }
const secret: Request = { id: "req_3", kind: "secret", prompt: "Token?" }
const doubt: Request = { id: "d.1", kind: "in_doubt", prompt: "Again?", data: { call: { by: "engine" } } }

function answers(flags: Partial<AnswerFlags>, open: Request[], more: Partial<Parameters<typeof answersFrom>[1]> = {}) {
  return answersFrom({ ...none, ...flags }, { open, answered: [], listed: [], env: {}, ...more })
}

function refusal(flags: Partial<AnswerFlags>, open: Request[], more: Partial<Parameters<typeof answersFrom>[1]> = {}) {
  try {
    answers(flags, open, more)
  } catch (error) {
    return error as Error & { code: string }
  }
  throw new Error("it was not refused")
}

describe("--answer", () => {
  it("answers the one open request with a bare text", () => {
    assert.deepEqual(answers({ answer: ["staging"] }, [input]), [
      { id: "req_1", ok: true, data: { output: "staging" } },
    ])
  })
  it("answers by id, and the text may hold further equals signs and lines", () => {
    assert.deepEqual(answers({ answer: ["req_1=a=b\nc"] }, [input, secret]), [
      { id: "req_1", ok: true, data: { output: "a=b\nc" } },
    ])
  })
  it("takes what stands before the first = for an id, and says how to send a text with =", () => {
    const { code, message } = refusal({ answer: ["x=1"] }, [input])
    assert.equal(code, "unknown_answer")
    assert.match(message, /no request has the id x \(open: req_1\).*--answer ID=x=1/)
  })
  it("takes a text whose beginning can be no id as a text", () => {
    assert.deepEqual(answers({ answer: ["a b=1"] }, [input])[0]?.data, { output: "a b=1" })
    assert.deepEqual(answers({ answer: ["=1"] }, [input])[0]?.data, { output: "=1" })
  })
  it("refuses an empty text as a usage error", () => {
    assert.equal(refusal({ answer: [""] }, [input]).code, "usage")
    assert.equal(refusal({ answer: ["req_1="] }, [input]).code, "usage")
  })
  it("refuses a bare text while two requests are open, and names them", () => {
    const { code, message } = refusal({ answer: ["staging"] }, [input, approval])
    assert.equal(code, "ambiguous")
    assert.match(message, /req_1, req_2/)
  })
  it("refuses a bare text where nothing was ever asked", () => {
    assert.equal(refusal({ answer: ["staging"] }, []).code, "unknown_answer")
  })
  it("means the request that was answered last where none is open, so that a command given twice is harmless", () => {
    assert.equal(answers({ answer: ["staging"] }, [], { answered: [secretless("a"), secretless("b")] })[0]?.id, "b")
  })
  it("takes yes and no for an approval, and nothing else", () => {
    for (const yes of ["yes", "y", "approve", "approved"]) {
      assert.deepEqual(answers({ answer: [yes] }, [approval]), [{ id: "req_2", ok: true }])
    }
    for (const no of ["no", "n", "decline", "declined"]) {
      assert.deepEqual(answers({ answer: [no] }, [approval]), [{ id: "req_2", ok: false, reason: "declined" }])
    }
    for (const other of ["ok", "true", "Yes", "1", "approve it"]) {
      assert.equal(refusal({ answer: [other] }, [approval]).code, "invalid_answer")
    }
  })
  it("hands a tool that asked for an approval what was said, and the gate a bare yes", () => {
    const own: Request = { id: "t", kind: "approval", prompt: "Sure?", data: { call: { by: "tool" } } }
    assert.deepEqual(answers({ answer: ["yes"] }, [own]), [{ id: "t", ok: true, data: { output: "approved" } }])
  })
  it("refuses a secret on the command line and names the option for it", () => {
    assert.match(refusal({ answer: ["req_3=hunter2"] }, [secret]).message, /--answer-env req_3=VARIABLE/)
  })
  it("decides a call in doubt by its id only", () => {
    assert.equal(refusal({ answer: ["rerun"] }, [doubt]).code, "invalid_answer")
    assert.deepEqual(answers({ answer: ["d.1=rerun"] }, [doubt]), [{ id: "d.1", ok: true }])
    assert.equal(refusal({ answer: ["d.1=yes"] }, [doubt]).code, "invalid_answer")
  })
  it("refuses one text for several relayed calls", () => {
    const relayed: Request = { id: "r", kind: "tool_call", prompt: "", data: { calls: [{ id: "a" }, { id: "b" }] } }
    assert.match(refusal({ answer: ["done"] }, [relayed]).message, /results of 2 calls/)
  })
  it("asks for a JSON list where several choices or questions are answered", () => {
    const several: Request = { id: "q", kind: "question", prompt: "", data: { questions: [{ multiple: true }] } }
    assert.equal(refusal({ answer: ["a"] }, [several]).code, "invalid_answer")
    assert.deepEqual(answers({ answer: ['["a"]'] }, [several])[0]?.data, { output: '["a"]' })
  })
  it("refuses two different answers to one request, and takes the same one twice", () => {
    assert.equal(refusal({ answer: ["req_1=a", "req_1=b"] }, [input]).code, "answer_differs")
    assert.equal(answers({ answer: ["req_1=a", "req_1=a"] }, [input]).length, 1)
  })
})

describe("--answer-env", () => {
  it("gives a secret from a variable", () => {
    assert.deepEqual(answers({ answerEnv: ["req_3=TOKEN"] }, [secret], { env: { TOKEN: "t=1" } }), [
      { id: "req_3", ok: true, data: { output: "t=1" } },
    ])
  })
  it("gives the value of a variable to nothing but a secret, so that it is in no file and not sent", () => {
    const tool: Request = { id: "req_5", kind: "approval", prompt: "Sure?", data: { call: { by: "tool" } } }
    const asSecret: Request = { ...doubt, kind: "secret" }
    for (const request of [input, approval, tool, doubt, asSecret, { ...input, kind: "authorization" }]) {
      const { code, message } = refusal({ answerEnv: [`${request.id}=TOKEN`] }, [request], { env: { TOKEN: "yes" } })
      assert.equal(code, "invalid_answer")
      assert.match(message, new RegExp(`^${request.id} asks for no secret.*--answer ${request.id}=TEXT`))
    }
  })
  it("names a variable that is not set", () => {
    const { code, message } = refusal({ answerEnv: ["req_3=TOKEN"] }, [secret])
    assert.equal(code, "configuration")
    assert.match(message, /TOKEN is not set/)
  })
  it("refuses what is not ID=VARIABLE, without repeating a value that may be secret as a variable", () => {
    assert.equal(refusal({ answerEnv: ["TOKEN"] }, [secret]).code, "usage")
  })
})

describe("--answers", () => {
  it("gives a list of answers as they are", () => {
    const listed = [{ id: "req_1", ok: true, data: { output: "x" } }]
    assert.deepEqual(answers({ answers: ["f.json"] }, [input, approval], { listed }), listed)
  })
})

describe("--approve, --decline, --note and --in-doubt", () => {
  it("answer the one open approval, whatever else is open", () => {
    assert.deepEqual(answers({ approve: true }, [input, approval]), [{ id: "req_2", ok: true }])
    assert.deepEqual(answers({ decline: true, note: "not now" }, [approval]), [
      { id: "req_2", ok: false, reason: "declined", data: { note: "not now" } },
    ])
  })
  it("are refused where no approval or several are open, and never approve a call in doubt", () => {
    assert.equal(refusal({ approve: true }, [input]).code, "unknown_answer")
    assert.equal(refusal({ approve: true }, [approval, { ...approval, id: "req_4" }]).code, "ambiguous")
    assert.equal(refusal({ approve: true }, [{ ...doubt, kind: "approval" }]).code, "unknown_answer")
  })
  it("mean the approval that was answered last where none is open, so that a command given twice is harmless", () => {
    const answered = [{ ...approval, id: "req_0" }, approval, input, { ...doubt, kind: "approval" }]
    assert.deepEqual(answers({ approve: true }, [], { answered }), [{ id: "req_2", ok: true }])
    assert.deepEqual(answers({ decline: true }, [input], { answered }), [
      { id: "req_2", ok: false, reason: "declined" },
    ])
    assert.equal(answers({ approve: true }, [{ ...approval, id: "req_5" }], { answered })[0]?.id, "req_5")
    assert.equal(refusal({ approve: true }, [], { answered: [input] }).code, "unknown_answer")
  })
  it("exclude each other", () => {
    assert.equal(refusal({ approve: true, decline: true }, [approval]).code, "usage")
  })
  it("refuse a note without an answer to go with", () => {
    assert.equal(refusal({ note: "x" }, [approval]).code, "usage")
  })
  it("decide every call in doubt, by who asks and not by the kind that a tool may choose", () => {
    assert.deepEqual(answers({ inDoubt: "rerun" }, [doubt, { ...doubt, id: "d.2" }, { ...input, kind: "in_doubt" }]), [
      { id: "d.1", ok: true },
      { id: "d.2", ok: true },
    ])
    assert.deepEqual(answers({ inDoubt: "unknown" }, [doubt]), [{ id: "d.1", ok: false, reason: "declined" }])
  })
  it("let an answer by id stand above --in-doubt", () => {
    assert.deepEqual(answers({ inDoubt: "unknown", answer: ["d.1=rerun"] }, [doubt]), [{ id: "d.1", ok: true }])
  })
  it("count as answers", () => {
    assert.equal(hasAnswers(none), false)
    assert.equal(hasAnswers({ ...none, decline: true }), true)
  })
})

function secretless(id: string): Request {
  return { id, kind: "input", prompt: "?" }
}
