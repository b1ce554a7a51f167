/** What was typed in a request's fields, by field. */
export type Drafts = Readonly<Record<string, string>>

/** The field of a request that has only one: its draft is the text itself. */
export const ONLY_FIELD = "text"

/** @param draft as it was recorded; one that cannot be read by field is the only field's text */
export function parseDrafts(draft: string | undefined): Drafts {
  if (draft === undefined || draft === "") return {}
  return parseFields(draft) ?? { [ONLY_FIELD]: draft }
}

export function renderDrafts(drafts: Drafts): string {
  const kept = Object.entries(drafts).filter(([, text]) => text !== "")
  if (kept.length === 0) return ""
  const [only] = kept
  // A lone text that would be read as fields is written as a field.
  if (kept.length === 1 && only?.[0] === ONLY_FIELD && parseFields(only[1]) === undefined) return only[1]
  return JSON.stringify({ fields: Object.fromEntries(kept) })
}

function parseFields(draft: string): Drafts | undefined {
  if (!draft.startsWith('{"fields":{')) return undefined
  try {
    const { fields } = JSON.parse(draft) as { fields: Record<string, unknown> }
    return Object.fromEntries(
      Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    )
  } catch {
    return undefined // somebody's text that begins like ours
  }
}
