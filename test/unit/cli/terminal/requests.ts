import type { Request } from "../../../../src/index.ts"

/** A gate's question about a command. */
export const BASH: Request = {
  id: "r-gate",
  kind: "approval",
  prompt: "Run a command?",
  data: {
    call: { id: "c1", name: "bash", input: { command: "rm -rf build\necho done", timeout: 5 }, by: "gate" },
    digest: "d1",
    agent: ["root", "coder.1"],
  },
}

/** A tool's own question. */
export const DEPLOY: Request = {
  id: "r-tool",
  kind: "approval",
  prompt: "Deploy to production?",
  data: { call: { id: "c2", name: "deploy", input: { target: "prod" }, by: "tool" }, digest: "d2" },
}

export const ENVIRONMENT: Request = { id: "r-input", kind: "input", prompt: "Which environment?" }

export const SECRET: Request = { id: "r-secret", kind: "secret", prompt: "The token, please" }

/** A text that is longer than a screen of 24 rows, with numbered lines. */
export function longText(lines: number): string {
  return Array.from({ length: lines }, (_, at) => `line ${at + 1}`).join("\n")
}
