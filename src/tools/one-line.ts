/** Text from a file as a part of one line: no line end, no control and no invisible character is left in it. */
export function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]+/gu, " ").trim()
}
