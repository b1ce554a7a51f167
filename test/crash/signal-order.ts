/** When the process is to get a signal: at which event that it appends, from 1. */
export interface SignalOrder {
  signal: "SIGKILL" | "SIGTERM" | "SIGHUP"
  when: "before" | "after"
  at: number
}

/** The variable that holds the order, and the one with the file that is told when it was carried out. */
export const ORDER = "DYING_ORDER"
export const CARRIED_OUT = "DYING_CARRIED_OUT"
