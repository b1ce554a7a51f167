// What providers put into error texts that should not be in a log: keys, and who the account is.
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, "$1 ***"],
  [/\b(sk|pk|rk|gsk|xai|hf|r8|tgp|fw|nvapi|csk|ghp|glpat)[-_][\w*.-]{8,}/g, "***"],
  [/\bAIza[\w-]{10,}/g, "***"],
  [/\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]+/g, "***"],
  [
    /\b(org|organization|proj|project|user|acct|account|team|workspace|wrkspc|tenant|cust|sub)[-_][A-Za-z0-9]*\d[\w-]{5,}/g,
    "$1-***",
  ],
  [/\b(org|proj|user|acct|wrkspc|cust)[-_][A-Za-z0-9]{12,}/g, "$1-***"],
  [/\barn:(aws[\w-]*):([\w-]*):([\w-]*):\d{12}:/g, "arn:$1:$2:$3:***:"],
  [
    /([?&](?:[\w.-]*(?:key|token|secret|password|signature|credential|auth|jwt)|code|sig|pass|pwd)=)[^&\s"']+/gi,
    "$1***",
  ],
  [/\/\/[^/\s:@]+:[^/\s@]+@/g, "//***@"],
  [/[\w.+-]+@[\w-]+(\.[\w-]+)+/g, "***"],
]

/**
 * A text without keys and account identifiers.
 *
 * @param secrets texts that must not appear, whatever they look like: the key, auth headers' values
 */
export function mask(text: string, secrets: readonly string[] = []): string {
  let masked = text
  for (const secret of secrets) if (secret.length >= 4) masked = masked.replaceAll(secret, "***")
  for (const [pattern, instead] of PATTERNS) masked = masked.replace(pattern, instead)
  return masked
}
