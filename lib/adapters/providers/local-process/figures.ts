// Use of the machine by containers, from the kernel's figures of their processes.
import type { ContainerFigures } from '../../../ports/provider.ts';
import { CONTAINER_MARK, POD_MARK, processesWith, type Process } from './machine/process-tree.ts';
import type { RunRecord } from './folder/records.ts';

/** Of the kernel's clock for these figures, on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4_096;

/** Cores in use are counted over at least so long: the kernel's clock has coarse ticks. */
const SHORTEST_MS = 1_000;
const WINDOW_MS = 10_000;

interface Measured {
  cpuSeconds: number;
  atMs: number;
  cores: number | undefined;
  /** Where the window began. */
  since: { cpuSeconds: number; atMs: number };
}

/** Of one node. */
export class Measurements {
  readonly #before = new Map<string, Measured>();

  /** @param all the processes of the machine, read once for all */
  of(folder: string, name: string, run: RunRecord, all: Map<number, Process>, nowMs: number): ContainerFigures {
    const { namespace, pid, startTicks, startedAtMs } = run;
    const processes = processesWith(
      {
        // A namespace says it for less than all environments cost.
        variables: namespace === undefined ? [`${POD_MARK}=${folder}`, `${CONTAINER_MARK}=${name}`] : [],
        ...(namespace !== undefined && { namespaces: new Set([namespace]) }),
        // The session of an engine's command is not the container's.
        sessions: new Set(run.engine ? [] : [pid]),
      },
      all,
    );
    const sum = (of: (each: Process) => number): number => processes.reduce((total, each) => total + of(each), 0);
    const key = `${folder} ${name} ${pid} ${startTicks}`;
    const before = this.#before.get(key);
    // A process that left its parent takes its time with it: a counter never falls.
    const cpuSeconds = Math.max(before?.cpuSeconds ?? 0, sum(({ cpuTicks }) => cpuTicks) / TICKS_PER_SECOND);
    const since = before?.since ?? { cpuSeconds: 0, atMs: startedAtMs };
    const windowMs = nowMs - since.atMs;
    const cores = windowMs < SHORTEST_MS ? before?.cores : (cpuSeconds - since.cpuSeconds) / (windowMs / 1000);
    this.#before.set(key, { cpuSeconds, atMs: nowMs, cores, since: windowMs < WINDOW_MS ? since : { cpuSeconds, atMs: nowMs } });
    return {
      name,
      startedAtMs,
      cpuSeconds,
      ...(cores !== undefined && { cpuCores: cores }),
      memoryBytes: sum(({ memoryPages }) => memoryPages) * PAGE_BYTES,
    };
  }

  /** Those of runs that were not measured this time are over. */
  keepOnly(measuredAtMs: number): void {
    for (const [key, { atMs }] of this.#before) if (atMs !== measuredAtMs) this.#before.delete(key);
  }
}
