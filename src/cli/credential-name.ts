/** Whether a header or a parameter of this name is one for keys: what it holds must be in no file. */
export function isCredentialName(name: string): boolean {
  return /(auth|authorization|key|token|secret|cookie|password|signature|credential|jwt)$|^(code|sig|pass|pwd)$/i.test(
    name,
  )
}
