/** Who writes a run file, in words. */
export function holderLine({ pid, host, time }: { pid: number; host: string; time: string }): string {
  return `process ${pid} on ${host} since ${time}`
}
