// Ends containers that have too many processes, where no part of the system counts them.
import { readFileSync } from 'node:fs';
import { allProcesses, processesWith, type Marks } from '../machine/process-tree.ts';

/** A program that forks without end has filled the machine within a second or two. */
const LOOK_EVERY_MS = 250;
/** The machine's own count costs one small file; the processes are only looked at when it has risen by so many. */
const NOTABLE_RISE = 64;
/** A slow rise is found by then. */
const LOOKS_WITHOUT_RISE = 240;

interface Counted {
  marks: Marks;
  kill(why: string): void;
}

export class ProcessCount {
  readonly #timer: NodeJS.Timeout;

  constructor(most: number, running: () => readonly Counted[]) {
    let seen = tasksOfMachine();
    let looks = 0;
    this.#timer = setInterval(() => {
      looks += 1;
      const now = tasksOfMachine();
      seen = Math.min(seen, now);
      if (now - seen < NOTABLE_RISE && looks < LOOKS_WITHOUT_RISE) return;
      looks = 0;
      seen = now;
      const all = allProcesses();
      for (const run of running()) if (processesWith(run.marks, all).length > most) run.kill(`it had more than ${most} processes`);
    }, LOOK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** Threads count, too: that may be too early, never too late. */
function tasksOfMachine(): number {
  try {
    return Number(/\/(\d+) /.exec(readFileSync('/proc/loadavg', 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
