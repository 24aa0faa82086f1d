// How often a database was written to, as its own files tell: what makes it slow, whatever the machine does meanwhile.
import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';

/** Where the file that all of a database's readers share counts the transactions that were committed. */
const COUNTER_AT = 8;

/** Since the database was opened first of all that have it open now; for differences. @param file as queue.db */
export function transactionsIn(folder: string, file: string): number {
  const shared = readFileSync(join(folder, `${file}-shm`));
  return endianness() === 'LE' ? shared.readUInt32LE(COUNTER_AT) : shared.readUInt32BE(COUNTER_AT);
}
