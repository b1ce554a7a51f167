import { fstatSync, type Stats } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"

/** What a file journal needs of an open file; Node's `FileHandle` has it. */
export interface JournalHandle {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>
  write(buffer: Buffer, offset: number, length: number): Promise<{ bytesWritten: number }>
  stat(): Promise<Pick<Stats, "size" | "nlink" | "mode" | "dev" | "ino" | "isFile" | "isDirectory">>
  truncate(length: number): Promise<void>
  datasync(): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/** Where files are, handed in: what fails and in which order things are flushed can be tested. */
export interface JournalFs {
  /** @param flags as of `open(2)`, from `fs.constants` */
  open(path: string, flags: number, mode?: number): Promise<JournalHandle>
}

export const systemFs: JournalFs = {
  open: async (path, flags, mode) => journalHandle(await open(path, flags, mode)),
}

function journalHandle(handle: FileHandle): JournalHandle {
  return {
    read: (...into) => handle.read(...into),
    write: (...from) => handle.write(...from),
    stat: async () => fstatSync(handle.fd), // at once: asked before each write, and no disk is waited for
    truncate: (length) => handle.truncate(length),
    datasync: () => handle.datasync(),
    sync: () => handle.sync(),
    close: () => handle.close(),
  }
}
