import { readConfigurationFile } from "../configuration/configuration.ts"
import { configurationFile } from "../configuration/place.ts"
import { nameOf } from "../configuration/setting-names.ts"
import { CONFIGURATION, type Shape } from "../configuration/setting-shapes.ts"
import { own } from "../configuration/settings-reader.ts"
import type { Io } from "../io.ts"
import { isRecord } from "../is-record.ts"
import type { Candidate } from "./shell.ts"

/** Every setting by its name; where names are the person's to choose, those that their own file has. */
export function findSettings(io: Io): Candidate[] {
  const root = readConfigurationFile(configurationFile(io))?.root ?? {}
  return namesIn(CONFIGURATION, root, []).map((path) => ({ word: nameOf(path), about: "" }))
}

function namesIn(shape: Shape, value: unknown, path: readonly string[]): (readonly string[])[] {
  if (shape.is === "value") return [path]
  const it = isRecord(value) ? value : {}
  if (shape.is === "members") {
    return Object.entries(shape.of).flatMap(([name, each]) => namesIn(each, own(it, name), [...path, name]))
  }
  const { each } = shape
  return Object.keys(it).flatMap((name) => {
    const here = [...path, name]
    return each.is === "value" ? [here] : [here, ...namesIn(each, it[name], here)]
  })
}
