import type { Engine } from "../engine.ts"
import { askModel } from "./ask-model.ts"
import { askPerson, expire } from "./ask-person.ts"
import { bundle } from "./bundle.ts"
import { decide } from "./decide.ts"
import type { Step } from "./next.ts"
import { askAgainForSecret, runCall, settleCall } from "./run-call.ts"

/** One step, done by the one function that knows how. It resolves when its events are recorded. */
export async function doStep(engine: Engine, step: Step): Promise<void> {
  switch (step.do) {
    case "ask the model":
      return askModel(engine, step.agent)
    case "decide":
      return decide(engine, step.call)
    case "run":
      return runCall(engine, step.call)
    case "settle":
      return settleCall(engine, step.call, step.result)
    case "bundle":
      return bundle(engine, step.calls)
    case "ask again for a secret":
      return askAgainForSecret(engine, step.call, step.request)
    case "reopen":
      return engine.emit([{ type: "request.reopened", id: step.request.request.id, why: step.why }], { flush: true })
    case "expire":
      return expire(engine, step.request)
    case "ask a person":
      return askPerson(engine, step.request)
  }
}
