// How many cores a container uses now, where its provider tells the time used since the start alone: from two readings of that.
import type { ContainerFigures, TaskFigures } from '../ports/provider.ts';

/** Readings that are closer to each other say little: the clocks of processes count in hundredths of a second. */
const LEAST_BETWEEN_MS = 1_000;
/** What lies longer ago says nothing about now. */
const MOST_BETWEEN_MS = 300_000;

interface Reading {
  startedAtMs: number | undefined;
  atMs: number;
  cpuSeconds: number;
  /** Between the reading before and this one. */
  cpuCores?: number;
}

/** It keeps one reading a container, of those alone that were read last. */
export class CpuRates {
  #before = new Map<string, Reading>();

  /** The same, with the cores of those containers of which an earlier reading is known. */
  completed(figures: readonly TaskFigures[]): TaskFigures[] {
    const kept = new Map<string, Reading>();
    const completed = figures.map(({ uid, atMs, containers }) => ({
      uid,
      atMs,
      containers: containers.map((each) => this.#complete(each, { key: `${uid}/${each.name}`, atMs, kept })),
    }));
    this.#before = kept;
    return completed;
  }

  #complete(figures: ContainerFigures, { key, atMs, kept }: { key: string; atMs: number; kept: Map<string, Reading> }): ContainerFigures {
    const { cpuSeconds, cpuCores: told, startedAtMs } = figures;
    if (told !== undefined || cpuSeconds === undefined) return figures;
    const now: Reading = { startedAtMs, atMs, cpuSeconds };
    const before = this.#before.get(key);
    const betweenMs = atMs - (before?.atMs ?? 0);
    // Of a run that was started anew the time begins anew.
    const isOfThisRun = before?.startedAtMs === startedAtMs && cpuSeconds >= (before?.cpuSeconds ?? Infinity);
    if (!before || !isOfThisRun || betweenMs > MOST_BETWEEN_MS) {
      kept.set(key, now);
      return figures;
    }
    if (betweenMs < LEAST_BETWEEN_MS) kept.set(key, before);
    else kept.set(key, { ...now, cpuCores: ((cpuSeconds - before.cpuSeconds) * 1_000) / betweenMs });
    const { cpuCores } = kept.get(key) ?? before;
    return { ...figures, ...(cpuCores !== undefined && { cpuCores }) };
  }
}
