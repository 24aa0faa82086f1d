// How much memory and how many processes a container may have, and who holds it to that: a cgroup where the system gives one to this user, else
// limits of the kernel for each process, and counting.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Container } from '../../../../objects/kubernetes.ts';
import { isQuantity, parseQuantity } from '../../../../objects/values/quantity.ts';
import type { Isolation } from './place.ts';
import { systemProgram } from './system-program.ts';

export interface Bounds {
  mostProcesses: number;
  /** A cgroup below which this user may make others, with limits of memory and processes. */
  cgroup?: string;
  /** `prlimit` is installed. */
  hasLimits: boolean;
}

export const USUAL_MOST_PROCESSES = 1_024;

/** @param mostProcesses of one container */
export function boundsHere(mostProcesses = USUAL_MOST_PROCESSES): Bounds {
  const cgroup = delegatedCgroup();
  const hasLimits = systemProgram('prlimit') !== undefined;
  return { mostProcesses, hasLimits, ...(cgroup !== undefined && { cgroup }) };
}

/** One sentence, for people. */
export function boundsText({ cgroup, hasLimits, mostProcesses }: Bounds, isolation: Isolation): string {
  const processes = `at most ${mostProcesses} processes of a container`;
  if (cgroup !== undefined) return `memory and processes are bounded by a cgroup (${cgroup}; ${processes})`;
  const memory = hasLimits
    ? 'memory is bounded for each process by the kernel (RLIMIT_DATA)'
    : 'memory is not bounded, as prlimit is not installed';
  return `${memory}, ${processes} by ${countsInKernel({ hasLimits }, isolation) ? 'the kernel (RLIMIT_NPROC)' : 'counting'}`;
}

/** In a user namespace the kernel counts the processes of that namespace alone; it never holds the real root to it. */
const countsInKernel = ({ hasLimits }: Pick<Bounds, 'hasLimits'>, isolation: Isolation): boolean =>
  hasLimits && isolation === 'user' && process.geteuid?.() !== 0;

export const isCounted = (bounds: Bounds, isolation: Isolation): boolean =>
  bounds.cgroup === undefined && !countsInKernel(bounds, isolation);

const memoryLimitOf = ({ resources }: Container): bigint | undefined => {
  const limit = resources?.limits?.['memory'];
  return isQuantity(limit) ? parseQuantity(limit).nanos / 10n ** 9n : undefined;
};

/** Node.js and other runtimes reserve half a gigabyte of data before they do anything, and end at once where they may not. */
const LEAST_DATA_BYTES = 2n ** 30n;

/** Words before a container's command. RLIMIT_DATA and not RLIMIT_AS: runtimes reserve far more addresses than they use. */
export function limitWords(bounds: Bounds, isolation: Isolation, container: Container): string[] {
  if (bounds.cgroup !== undefined || !bounds.hasLimits) return [];
  const memory = memoryLimitOf(container);
  const words = [
    ...(memory === undefined ? [] : [`--data=${memory > LEAST_DATA_BYTES ? memory : LEAST_DATA_BYTES}`]),
    ...(countsInKernel(bounds, isolation) ? [`--nproc=${bounds.mostProcesses}`] : []),
  ];
  return words.length === 0 ? [] : [systemProgram('prlimit') ?? 'prlimit', ...words];
}

/** The cgroup of one container. */
export class ContainerCgroup {
  readonly #path: string;
  readonly #own: string;

  private constructor(path: string, own: string) {
    this.#path = path;
    this.#own = own;
  }

  /** @returns undefined where the system gives none. @param name different for each container of this machine */
  static make(bounds: Bounds, name: string, container: Container): ContainerCgroup | undefined {
    const own = ownCgroup();
    if (bounds.cgroup === undefined || own === undefined) return undefined;
    const path = join(bounds.cgroup, name);
    mkdirSync(path, { recursive: true });
    const set = (file: string, value: string): void => writeFileSync(join(path, file), value);
    const memory = memoryLimitOf(container);
    if (memory !== undefined) {
      set('memory.max', String(memory));
      set('memory.oom.group', '1');
    }
    set('pids.max', String(bounds.mostProcesses));
    return new ContainerCgroup(path, own);
  }

  /** A child inherits its cgroup: this process is in it for the moment of the start alone. */
  around<Started>(start: () => Started): Started {
    writeFileSync(join(this.#path, 'cgroup.procs'), String(process.pid));
    try {
      return start();
    } finally {
      writeFileSync(join(this.#own, 'cgroup.procs'), String(process.pid));
    }
  }

  /** Kills all in it, also those that carry no mark any more. */
  kill(): void {
    try {
      writeFileSync(join(this.#path, 'cgroup.kill'), '1');
    } catch {
      // An older kernel: they are found by their marks.
    }
  }

  /** Processes that were killed for want of memory so far. */
  outOfMemoryKills(): number {
    try {
      return Number(/^oom_kill (\d+)/m.exec(readFileSync(join(this.#path, 'memory.events'), 'utf8'))?.[1] ?? 0);
    } catch {
      return 0;
    }
  }

  remove(): void {
    try {
      rmdirSync(this.#path);
    } catch {
      // Something still ends in it: an empty cgroup costs nothing.
    }
  }
}

/** Of this process, as a folder. */
function ownCgroup(): string | undefined {
  // Number, parent, device, root and place of a mount; behind a dash its kind.
  const mount = textAt('/proc/self/mountinfo')
    .split('\n')
    .find((line) => line.includes(' - cgroup2 '));
  const mountedAt = mount?.split(' ')[4];
  const [, path] = /^0::(\/.*)$/m.exec(textAt('/proc/self/cgroup')) ?? [];
  return mountedAt === undefined || path === undefined ? undefined : join(mountedAt, path);
}

const WANTED = ['memory', 'pids'];

/** Found by a try: only a move tells whether the system allows one. @returns a folder that takes cgroups of containers */
function delegatedCgroup(): string | undefined {
  const own = ownCgroup();
  if (own === undefined) return undefined;
  let base: string | undefined;
  for (let at = own; existsSync(join(at, 'cgroup.procs')); at = dirname(at))
    if (canWrite(at) && canWrite(join(at, 'cgroup.procs'))) base = at;
  if (base === undefined || !WANTED.every((each) => textAt(join(base, 'cgroup.controllers')).split(/\s/).includes(each))) return undefined;
  const folder = join(base, `farloop-${process.pid}`);
  const trial = join(folder, 'trial');
  try {
    removeEmptied(base);
    enable(base);
    mkdirSync(folder);
    enable(folder);
    mkdirSync(trial);
    const moved = spawnSync('sh', ['-c', 'echo $$ > "$0/cgroup.procs"', trial], { stdio: 'ignore' }).status === 0;
    const isBounded = existsSync(join(trial, 'memory.max')) && existsSync(join(trial, 'pids.max'));
    rmdirSync(trial);
    if (moved && isBounded) return folder;
    rmdirSync(folder);
  } catch {
    // Not for this user.
  }
  return undefined;
}

const enable = (folder: string): void => writeFileSync(join(folder, 'cgroup.subtree_control'), WANTED.map((each) => `+${each}`).join(' '));

/** Those of earlier instances whose pods have ended. */
function removeEmptied(base: string): void {
  for (const name of readdirSync(base).filter((each) => /^farloop-\d+$/.test(each)))
    try {
      rmdirSync(join(base, name));
    } catch {
      // Its pods still run.
    }
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function textAt(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
