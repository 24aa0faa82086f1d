// Which processes belong to a pod, and how all of them are ended: those of its namespace, those that carry its mark, those of its sessions, and
// whatever descends from these.
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Names of environment variables that mark processes. The first holds the pod's folder, so that two instances never share a mark. */
export const POD_MARK = 'FARLOOP_POD';
export const CONTAINER_MARK = 'FARLOOP_CONTAINER';
export const EXEC_MARK = 'FARLOOP_EXEC';

export interface Process {
  pid: number;
  parent: number;
  group: number;
  session: number;
  /** `Z`: it has ended, and its parent has not asked for its end yet. */
  state: string;
  /** Since the machine's start: with the number it names a process for good, as numbers come again. */
  startTicks: number;
  /** Of its own, and of its children that have ended. */
  cpuTicks: number;
  memoryPages: number;
}

export interface Marks {
  /** `NAME=value` of the environment: a process carries all of them. */
  variables: readonly string[];
  /** Mount namespaces, as /proc names them. A process cannot get rid of its own by clearing its environment. */
  namespaces?: ReadonlySet<string>;
  sessions?: ReadonlySet<number>;
}

/** @returns undefined once it is gone */
export function processAt(pid: number): Process | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // `pid (name) state …`: the name may hold anything, brackets too.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const at = (field: number): number => Number(fields[field]);
  return {
    pid,
    state: fields[0] ?? '',
    parent: at(1),
    group: at(2),
    session: at(3),
    cpuTicks: at(11) + at(12) + at(13) + at(14),
    startTicks: at(19),
    memoryPages: at(21),
  };
}

/** Whether the same process still runs. A zombie does not. */
export function isRunning({ pid, startTicks }: Pick<Process, 'pid' | 'startTicks'>): boolean {
  const found = processAt(pid);
  return found !== undefined && found.startTicks === startTicks && found.state !== 'Z';
}

/** All processes of the machine that can be seen, by number. */
export function allProcesses(): Map<number, Process> {
  const found = new Map<number, Process>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const process = Number.isInteger(pid) ? processAt(pid) : undefined;
    if (process) found.set(pid, process);
  }
  return found;
}

/** Those that live and bear one of the marks, with all that descends from them. This process is never among them. */
export function processesWith(marks: Marks, among: Map<number, Process> = allProcesses()): Process[] {
  const isOurs = new Map<number, boolean>([
    [process.pid, false],
    [0, false],
    [1, false],
  ]);
  const belongs = (each: Process): boolean => {
    const known = isOurs.get(each.pid);
    if (known !== undefined) return known;
    isOurs.set(each.pid, false);
    const parent = among.get(each.parent);
    const does = hasMark(each, marks) || (parent !== undefined && belongs(parent));
    isOurs.set(each.pid, does);
    return does;
  };
  return [...among.values()].filter((each) => each.state !== 'Z' && each.state !== 'X' && belongs(each));
}

function hasMark({ pid, session }: Process, { variables, namespaces, sessions }: Marks): boolean {
  if (sessions?.has(session)) return true;
  try {
    if (namespaces && namespaces.size > 0 && namespaces.has(readlinkSync(`/proc/${pid}/ns/mnt`))) return true;
    if (variables.length === 0) return false;
    const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}\0`;
    return variables.every((variable) => environment.includes(`\0${variable}\0`));
  } catch {
    return false; // another user's, or gone
  }
}

/** Those of processes that run, held open: the kernel gives a name again as soon as its namespace is gone, to any other pod. */
export function heldNamespaces(processes: readonly Pick<Process, 'pid'>[]): { name: string; close: () => void }[] {
  return processes.flatMap(({ pid }) => {
    try {
      const file = openSync(`/proc/${pid}/ns/mnt`, 'r');
      const name = readlinkSync(`/proc/self/fd/${file}`);
      // One that it shares with this process says nothing.
      if (name !== readlinkSync('/proc/self/ns/mnt')) return [{ name, close: () => closeSync(file) }];
      closeSync(file);
    } catch {
      // It has ended meanwhile.
    }
    return [];
  });
}

export function signal(processes: readonly Pick<Process, 'pid'>[], name: NodeJS.Signals): void {
  for (const { pid } of processes)
    try {
      process.kill(pid, name);
    } catch {
      // It has ended meanwhile.
    }
}

const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 100;

/** Kills until none is left: what a process starts before it dies is found by the next look. @returns whether all are gone */
export async function killAll(marks: Marks, withinMs = 10_000): Promise<boolean> {
  const endMs = performance.now() + withinMs;
  const ownGroup = processAt(process.pid)?.group;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const left = processesWith(marks);
    const members = new Set(left.map(({ pid }) => pid));
    if (left.length === 0) return true;
    if (performance.now() > endMs) return false;
    // A group dies at once and as a whole: one by one its members would fork faster than they are found. One that somebody else leads is no group of theirs.
    const isTheirs = (group: number): boolean => members.has(group) || marks.sessions?.has(group) === true;
    const groups = new Set(left.map(({ group }) => group).filter((group) => group > 1 && group !== ownGroup && isTheirs(group)));
    signal(
      [...groups].map((group) => ({ pid: -group })),
      'SIGKILL',
    );
    signal(left, 'SIGKILL');
    await pause(pauseMs);
  }
}
