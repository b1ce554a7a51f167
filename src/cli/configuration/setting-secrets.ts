import { type Mask, maskText, namesSecret } from "../../index.ts"
import { addressIn, secretIn } from "../endpoint/base-url.ts"

/**
 * A value of a setting without what is secret in it: values of members and options whose name says so, keys in addresses, and
 * what is masked in what tools say. A variable that is only named stays.
 *
 * @param path where it stands
 */
export function withoutSecrets(value: unknown, path: readonly string[], masks: readonly Mask[]): unknown {
  if (typeof value === "string") return hiddenText(value, path.at(-1) ?? "", masks)
  if (Array.isArray(value)) return hiddenList(value, path, masks)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, it]) => [name, withoutSecrets(it, [...path, name], masks)]),
  )
}

/** Whether a value holds what stands for a secret: it would be taken literally. */
export function holdsMark(value: unknown): boolean {
  return /\[masked [^[\]]+\]/.test(JSON.stringify(value))
}

function hiddenText(text: string, name: string, masks: readonly Mask[]): string {
  if (namesSecret(name) && !text.includes("${")) return mark(name)
  const url = addressIn(text)
  if (url && secretIn(url) !== undefined) return `${url.origin}${url.pathname} ${mark("key")}`
  return maskText(text, masks)
}

/** Options of commands: `--token=X`, or `--token` and then X. */
function hiddenList(list: readonly unknown[], path: readonly string[], masks: readonly Mask[]): unknown[] {
  return list.map((it, at) => {
    const before = list[at - 1]
    const option = typeof before === "string" ? /^--?([\w-]+)$/.exec(before)?.[1] : undefined
    if (typeof it !== "string") return withoutSecrets(it, path, masks)
    const [, start = "", name, value = ""] = /^(--?([\w-]+)=)(.*)$/s.exec(it) ?? []
    if (name !== undefined) return start + hiddenText(value, name, masks)
    return hiddenText(it, option !== undefined && !it.startsWith("-") ? option : "", masks)
  })
}

function mark(name: string): string {
  return `[masked ${name.replace(/[[\]]/g, "_")}]`
}
