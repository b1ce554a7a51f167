/**
 * The names of a request's members and schema keywords that an error says the endpoint does not take.
 *
 * @param said the error's words
 * @param sent the names that the request holds: no other can have been refused
 * @example refusedNames("Unknown field: additionalProperties", ["format", "additionalProperties"]) // ["additionalProperties"]
 */
export function refusedNames(said: string, sent: Iterable<string>): string[] {
  const refusals = statementsOf(said).filter((statement) => REFUSES.test(statement))
  return [...sent].filter((name) => refusals.some((statement) => names(statement, name)))
}

/** The sentences of an error, without what lists the names that are taken, and without the places that it names. */
export function statementsOf(said: string): string[] {
  const statements = said.split(/[\n;]+|\.\s+/)
  return statements.map((statement) => statement.replace(/,? expected .*/i, "").replace(PLACES, " "))
}

const REFUSES =
  /\b(unknown|unsupported|unrecogni[sz]ed|unexpected|extraneous|extra inputs?|forbidden|cannot find)\b|\b(not|cannot|no longer|n't)( be)?( currently| yet)? (support|permit|allow|recogni[sz]|accept|known|have|used)|\bdoes not (support|permit|allow|accept|take|know)/i

// Where it was found: `at 'tools[0].parameters'`, `In context=('properties', 'a')`, `for function 'format'`.
const PLACES =
  /\bcontext=\([^)]*\)|\b(at|in) (path )?(['"`<])[^'"`>]*[.[][^'"`>]*['"`>]|\b(function|tool|model) (['"`])[^'"`]*\5/gi

/** Whether the words hold a name as a name: the last of a path, and one that is an ordinary word only where it stands out. */
function names(statement: string, name: string): boolean {
  const it = name.replace(/[$.]/g, "\\$&")
  const isThere = new RegExp(`(?<![\\w$-])${it}(?![\\w$-]|\\.\\w|\\[)`)
  if (!isThere.test(statement)) return false
  return !/^[a-z]+$/.test(name) || standsOut(it).test(statement)
}

function standsOut(it: string): RegExp {
  const forms = [
    `['"\`[({<]${it}['"\`\\])}>:]`, // in quotes or brackets
    `\\b(field|name|param|parameter|keyword|property|argument|key|attribute|support|accept|allow)s?:? ${it}\\b`,
    `^\\W*${it}( is| are|:)`, // what the sentence is about
    `\\.${it}(:|\\s|$)`, // the end of a path
    `: *([\\w$]+, *)*${it} *(,|$)`, // in a list
  ]
  return new RegExp(forms.join("|"))
}
