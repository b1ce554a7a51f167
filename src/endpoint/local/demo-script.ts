/** One thing that the person may pick, and the harmless command that goes with it. */
interface Choice {
  label: string
  description: string
  command: string
}

const CHOICES: readonly [Choice, ...Choice[]] = [
  { label: "The date", description: "runs: date", command: "date" },
  { label: "This system", description: "runs: uname -sr", command: "uname -sr" },
  { label: "A greeting", description: "runs: echo", command: "echo 'Hello from the demo'" },
]

/** The arguments of the demo's question. */
export const QUESTION: object = {
  questions: [
    {
      question: "What should the demo look up?",
      options: CHOICES.map(({ label, description }) => ({ label, description })),
    },
  ],
}

/** The command for an answer; words that are no choice are echoed, with nothing in them that a shell could obey. */
export function commandFor(answer: string | undefined): string {
  if (answer === undefined) return CHOICES[0].command
  const chosen = CHOICES.find(({ label }) => label === answer)
  if (chosen) return chosen.command
  const words = answer
    .replace(/[^\p{L}\p{N} .,!?-]/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 60)
  return `echo 'You said: ${words || "something without words"}'`
}

export function welcome(): string {
  return [
    "Hello! I am the demo model: a small script, not a language model. I do not read",
    "your prompt, call none of your own tools and use no network. I only show what",
    "happens when a run needs you.",
    "",
    "First, a question. Answer it here; or leave it (Ctrl-D), and resume the run",
    "later, on any machine.",
  ].join("\n")
}

/** A later prompt of the same conversation. */
export function welcomeBack(): string {
  return "Still the demo model, a script and not a language model: your words cannot change\nwhat I do. Once more, then:"
}

export function beforeCommand(asked: "answered" | "declined" | "not asked", answer: string | undefined): string {
  const next = "Now I would like to run one harmless command. It runs only if you allow it."
  switch (asked) {
    case "answered":
      return `You answered: ${answer}\n\n${next}`
    case "declined":
      return `You did not answer, and that is fine: the run goes on without.\n\n${next}`
    case "not asked":
      return `I am the demo model: a small script, not a language model. I do not read your\nprompt and use no network.\n\n${next}`
  }
}

/** What came of the command. */
export type Ran = { how: "ran"; output: string } | { how: "not run"; why: string } | { how: "no tool" }

export function report(answer: string | undefined, ran: Ran): string {
  return `${[answer === undefined ? "" : `You chose: ${answer}`, outcome(ran), LESSON].filter(Boolean).join("\n")}\n\n${GO_ON}`
}

function outcome(ran: Ran): string {
  switch (ran.how) {
    case "ran":
      return `The command printed:\n\n${indented(ran.output)}\n`
    case "not run":
      return `The command was not run: ${ran.why}`
    case "no tool":
      return "There is no bash tool in this run, so I ran no command."
  }
}

function indented(output: string): string {
  const lines = output
    .replace(/\[exit code 0\]\s*$/, "")
    .trim()
    .split("\n")
  const shown = lines.length > 12 ? [...lines.slice(0, 12), "..."] : lines
  return shown.map((line) => `    ${line}`).join("\n")
}

const LESSON = "All of it is in the run file: what was asked, what you answered, what ran."

const GO_ON = [
  "To go on with a real model, name an endpoint:\n",
  "    npx toolnexus run --base-url http://127.0.0.1:11434/v1 --model qwen3 \\",
  '        "your prompt"',
  "    npx toolnexus run --base-url https://api.openai.com/v1 --model gpt-5-mini \\",
  '        --api-key-env OPENAI_API_KEY "your prompt"',
].join("\n")

/** Without the tools that it would show, it only says what it is. */
export function explanation(): string {
  return [
    "I am the demo model: a small script, not a language model, and I use no network.",
    "In this run I have neither the question nor the bash tool, so there is nothing",
    "that I can show: leave out --no-builtins.",
    "",
    GO_ON,
  ].join("\n")
}
