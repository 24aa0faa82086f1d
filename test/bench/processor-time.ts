// Processor seconds of other processes, as Linux tells them: a figure that a busy machine disturbs less than the time on the wall.
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Linux counts in hundredths on every machine that Node runs on. */
const TICKS_PER_SECOND = 100;

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It ended meanwhile.
    return undefined;
  }
};

/** The process whose program has that name and one of whose arguments holds the text. @throws when there is none */
export function findProcess(program: string, argument: string): number {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [command = '', ...rest] = (read(`/proc/${pid}/cmdline`) ?? '').split('\0');
    if (basename(command) === program && rest.some((given) => given.includes(argument))) return Number(pid);
  }
  throw new Error(`no process ${program} with ${argument}`);
}

/** User and system time of the process and all its threads so far; 0 once it is gone. */
export function processorSecondsOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`) ?? '';
  // The name in brackets may hold blanks: fields are counted behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
}

/** Most memory that the process ever held, bytes. */
export function peakBytesOf(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return Number(kilobytes ?? 0) * 1024;
}
