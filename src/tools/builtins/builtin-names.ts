/** Every built-in's name, in the order in which a model is offered them. */
export const BUILTIN_NAMES: readonly [
  "question",
  "read",
  "write",
  "edit",
  "apply_patch",
  "glob",
  "grep",
  "bash",
  "webfetch",
  "todo",
] = ["question", "read", "write", "edit", "apply_patch", "glob", "grep", "bash", "webfetch", "todo"]

export type BuiltinName = (typeof BUILTIN_NAMES)[number]
