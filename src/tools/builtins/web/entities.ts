const NAMES =
  "amp & lt < gt > quot \" apos ' nbsp \u00a0 copy © reg ® trade ™ hellip … mdash — ndash – lsquo ‘ rsquo ’ ldquo “ rdquo ” laquo « raquo » " +
  "bull • middot · times × divide ÷ deg ° plusmn ± frac12 ½ euro € pound £ yen ¥ cent ¢ sect § para ¶ larr ← rarr → uarr ↑ darr ↓ " +
  "ne ≠ le ≤ ge ≥ infin ∞ check ✓ auml ä ouml ö uuml ü Auml Ä Ouml Ö Uuml Ü szlig ß eacute é egrave è agrave à ccedil ç ntilde ñ"

/** Those that are in use; pages write the rest as they are, or as numbers. */
const NAMED: ReadonlyMap<string, string> = new Map(
  Array.from(NAMES.matchAll(/([a-zA-Z0-9]+) (\S|\u00a0)/gu), ([, name = "", character = ""]) => [name, character]),
)

/** Character references of HTML as the characters they stand for; an unknown one stays as it is written. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z][a-zA-Z0-9]{1,10}));/g,
    (whole, ten, hex, name) => {
      if (name !== undefined) return NAMED.get(name) ?? whole
      const code = ten === undefined ? Number.parseInt(hex, 16) : Number(ten)
      const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
      return isCharacter ? String.fromCodePoint(code) : "\uFFFD"
    },
  )
}
