import { ToolnexusError } from "../../index.ts"
import {
  type ConfigurationFile,
  type ConfigurationPlace,
  changeConfiguration,
} from "../configuration/change-configuration.ts"
import { aroundOf, placeOf, sayTrust } from "../configuration/config-file.ts"
import type { ConfigFileFlags } from "../configuration/config-options.ts"
import { readConfigurationFile } from "../configuration/configuration.ts"
import { type Changed, changed, type SettingChange, valueAt } from "../configuration/setting-change.ts"
import { nameOf, pathOf, settingNamed, valueFrom } from "../configuration/setting-names.ts"
import { holdsMark, withoutSecrets } from "../configuration/setting-secrets.ts"
import type { Members } from "../configuration/settings-reader.ts"
import type { Io } from "../io.ts"
import { EXIT } from "../output/exit-code.ts"
import type { Output } from "../output/output.ts"
import { homePath } from "../words/home-path.ts"
import { jsonLine } from "../words/json-line.ts"

/** `toolnexus config set`: changes one setting; what a run would refuse is not written. */
export function configSetCommand(
  { name, value: text, flags }: { name: string; value: string; flags: ConfigFileFlags },
  io: Io,
  output: Output,
): Promise<number> {
  const setting = settingNamed(name)
  const value = valueFrom(setting, text)
  if (holdsMark(value)) {
    throw new ToolnexusError("usage", `the value for ${name} holds a mark: put there what it stands for`)
  }
  if (holdsMark(withoutSecrets(value, setting.path, []))) {
    output.say(`${name} holds a secret that whoever reads the file can read: write \${NAME} of a variable in its place`)
  }
  return changeSetting({ is: "set", setting, value }, flags, { io, output })
}

/** `toolnexus config unset`: removes one setting; also what nobody knows, and what is broken. */
export function configUnsetCommand(
  { name, flags }: { name: string; flags: ConfigFileFlags },
  io: Io,
  output: Output,
): Promise<number> {
  return changeSetting({ is: "unset", path: pathOf(name) }, flags, { io, output })
}

async function changeSetting(
  change: SettingChange,
  flags: ConfigFileFlags,
  { io, output }: { io: Io; output: Output },
): Promise<number> {
  const place = placeOf(flags, io)
  const root = readConfigurationFile(place.file)?.root ?? {} // says what is wrong with one that is no JSON
  const path = change.is === "set" ? change.setting.path : change.path
  const name = nameOf(path)
  if (change.is === "unset" && valueAt(root, path) === undefined) settingNamed(name)
  const around = aroundOf(place, io, output)
  const apply = (file: ConfigurationFile) => {
    const result = changed(file.store as Members, change, around)
    if (result.is === "changed") file.store = result.root
    return result
  }
  // What is refused, or changes nothing, makes no file.
  const before = changed(root, change, around)
  const result = before.is === "changed" ? await changeConfiguration(io, apply, place) : before
  if (result.is === "refused") throw result.error
  say(result, { what: change.is, name, place, io, output })
  return EXIT.done
}

interface Told {
  what: SettingChange["is"]
  name: string
  place: ConfigurationPlace
  io: Io
  output: Output
}

function say(result: Exclude<Changed, { is: "refused" }>, { what, name, place, io, output }: Told): void {
  const isChanged = result.is === "changed"
  const said = what === "set" ? "is set" : isChanged ? "is removed" : "is not set"
  output.notice(`${name} ${said} in ${homePath(place.file, io)}${isChanged ? "" : ": nothing is changed"}`)
  if (isChanged && result.problem !== undefined) output.say(`what is left is still broken: ${result.problem}`)
  if (isChanged) sayTrust(place, io, output)
  if (output.mode !== "text") output.printer.out(jsonLine({ name, file: place.file, changed: isChanged }))
}
