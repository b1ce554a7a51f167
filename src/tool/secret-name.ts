/** Unmistakable wherever they stand. */
const ANYWHERE = /key|token|secret|password/i
/** What a name may end in, also behind other letters. */
const ENDING =
  /(?:key|token|secret|password|passwd|passphrase|passcode|auth|authorization|cookie|credentials?|signature|jwt)$/
/** Too short to mean anything but as a word of their own. */
const WORDS: ReadonlySet<string> = new Set(
  "auth authn authz oauth authorization authentication bearer cookie credential credentials jwt pass passcode passphrase passwd pat pwd sig signature".split(
    " ",
  ),
)
/** What such a name is of when it ends like this. */
const PLACES: ReadonlySet<string> = new Set("dir file home path sock socket".split(" "))

/**
 * Whether a name is one for a secret: a header or a parameter of this name holds a key or the like.
 *
 * @example namesSecret("X-Api-Key") // true
 * @example namesSecret("max_tokens") // false
 */
export function namesSecret(name: string): boolean {
  const last = wordsOf(name).at(-1) ?? ""
  return ENDING.test(last) || WORDS.has(last) || name.toLowerCase() === "code"
}

/**
 * Whether what a name stands for is better not said: it names a secret, or has to do with one. In doubt it is, but not the place of a
 * thing.
 *
 * @example mentionsSecret("KEY_OF_THE_DATABASE") // true
 * @example mentionsSecret("SSH_AUTH_SOCK") // false
 */
export function mentionsSecret(name: string): boolean {
  if (ANYWHERE.test(name) || namesSecret(name)) return true
  const words = wordsOf(name)
  return words.some((word) => WORDS.has(word)) && !PLACES.has(words.at(-1) ?? "")
}

/** @example wordsOf("userPass_2") // ["user", "pass", "2"] */
function wordsOf(name: string): string[] {
  const apart = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase()
  return apart.split(/[^a-z0-9]+/).filter((word) => word !== "")
}
