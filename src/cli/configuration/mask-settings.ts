import { type Mask, maskText } from "../../index.ts"
import { errorText } from "../output/error-text.ts"
import type { Members, SettingsReader } from "./settings-reader.ts"

/**
 * The masks of a configuration file: `{ "masks": { "TICKET": "TICKET-[0-9]+" } }`.
 *
 * @throws ToolnexusError `configuration` for a pattern that cannot be used, or would take for ever, naming it
 */
export function masksIn(root: Members, at: SettingsReader): Mask[] {
  return Object.entries(at.record(root, "masks") ?? {}).map(([name, value]) => {
    const text = at.filled(value, `masks.${name}`)
    try {
      const mask: Mask = { name, pattern: new RegExp(text) }
      maskText("", [mask]) // says what is wrong with it
      return mask
    } catch (error) {
      throw at.broken(`masks.${name}: ${errorText(error)}`)
    }
  })
}
