/** Whether a file of `--tools` is a list of HTTP tools; else it is a module, whose code runs. */
export function isHttpFile(path: string): boolean {
  return path.endsWith(".json")
}
