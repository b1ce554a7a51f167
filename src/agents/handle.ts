import type { AgentPath } from "../event/event.ts"
import type { AgentDefinition } from "./agent-definition.ts"

/** One agent of a tree. */
export interface Handle {
  /** Deterministic: `root/coder.1/explore.2`. */
  readonly id: string
  readonly name: string
  readonly path: AgentPath
  readonly parent: Handle | undefined
  readonly children: readonly Handle[]
}

/** A handle as its runtime holds it. */
export class AgentHandle implements Handle {
  readonly name: string
  readonly path: AgentPath
  readonly parent: AgentHandle | undefined
  readonly children: AgentHandle[] = []
  readonly definition: AgentDefinition | undefined
  #spawned = 0

  constructor(name: string, parent: AgentHandle | undefined, definition: AgentDefinition | undefined) {
    this.name = name
    this.parent = parent
    this.definition = definition
    this.path = parent ? [...parent.path, parent.nextName(name)] : [name]
  }

  /** It is there from now on. */
  join(): void {
    this.parent?.children.push(this)
  }

  get id(): string {
    return this.path.join("/")
  }

  /** The handle directly below the root that this one is or is under. */
  get top(): AgentHandle {
    return this.parent?.parent ? this.parent.top : this
  }

  nextName(name: string): string {
    this.#spawned += 1
    return `${name}.${this.#spawned}`
  }
}
