// The files of a pod's folder: what it was ordered with, who runs it, how it is, what is asked of it. Each is replaced whole, so that a reader
// never meets half of one.
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pod, PodStatus } from '../../../../objects/kubernetes.ts';
import type { TaskName } from '../../../../objects/task.ts';
import type { Bounds } from '../machine/bounds.ts';
import type { Engine } from '../machine/engine.ts';
import type { Isolation, Place } from '../machine/place.ts';
import { isRunning, processAt } from '../machine/process-tree.ts';

/** The pod as it was ordered. Its environment goes with the pod's end. */
export interface Order extends TaskName {
  pod: Pod;
  orderedAtMs: number;
  podIp: string;
  isolation: Isolation;
  /** Which runs its containers; absent: they are processes. */
  engine?: Engine;
  bounds: Bounds;
  /** The caller's PATH: the one variable that a container has from it. */
  path: string;
  /** Where Farloop listens. */
  socket: string;
  /** Farloop may be gone for so long. */
  goneMs: number;
  /** Of the first restart that waits; the usual one when absent. */
  firstBackoffMs?: number;
}

/** A run of a container that has not ended. */
export interface RunRecord extends Place {
  pid: number;
  startTicks: number;
  startedAtMs: number;
}

export interface PodRecord {
  /** Raised with each change. */
  version: number;
  hasEnded: boolean;
  status: PodStatus;
  /** By container. */
  runs: Record<string, RunRecord>;
}

/** Why a whole pod was ended. */
export interface Cause {
  reason: string;
  message: string;
  /** This node broke it off: no fault of the pod. */
  isDisruption?: true;
}

/** Asked for by Farloop. */
export interface StopOrder {
  killAtMs: number;
  /** Where it is not the pod's own deletion. */
  cause?: Cause;
}

export interface Claim {
  pid: number;
  startTicks: number;
}

interface Files {
  order: Order;
  record: PodRecord;
  stop: StopOrder;
  claim: Claim;
}

const pathOf = (folder: string, name: keyof Files): string => join(folder, `${name}.json`);

/** @returns undefined where it is absent */
export function readRecord<Name extends keyof Files>(folder: string, name: Name): Files[Name] | undefined {
  try {
    return JSON.parse(readFileSync(pathOf(folder, name), 'utf8')) as Files[Name];
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

export function writeRecord<Name extends keyof Files>(folder: string, name: Name, content: Files[Name]): void {
  const path = pathOf(folder, name);
  const beside = `${path}.${process.pid}`;
  try {
    writeFileSync(beside, JSON.stringify(content), { mode: 0o600 });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/** Makes this process the only one that ever starts something for the pod. @returns false: another was first */
export function claimPod(folder: string): boolean {
  const beside = join(folder, `claim.${process.pid}`);
  writeFileSync(beside, JSON.stringify({ pid: process.pid, startTicks: processAt(process.pid)?.startTicks ?? 0 } satisfies Claim));
  try {
    // A link appears with its content, and fails where one is.
    linkSync(beside, pathOf(folder, 'claim'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(beside, { force: true });
  }
}

/** `unclaimed`: nobody has begun. */
export function runnerOf(folder: string): 'unclaimed' | 'alive' | 'gone' {
  const claim = readRecord(folder, 'claim');
  if (!claim) return 'unclaimed';
  return isRunning(claim) && isRunnerOf(claim, folder) ? 'alive' : 'gone';
}

/** After a restart of the machine another process may have its number, and even its time. */
function isRunnerOf({ pid }: Claim, folder: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(folder);
  } catch {
    return false;
  }
}

/** Folders of a pod that containers see. */
export const homeOf = (folder: string): string => join(folder, 'home');
/** Sources of the mounts of its containers. */
export const placesOf = (folder: string): string => join(folder, 'places');
export const temporaryOf = (folder: string): string => join(folder, 'tmp');
/** Where what a container left as its last words lies. */
export const lastWordsOf = (folder: string, container: string): string => join(folder, 'last-words', container);
export const logOf = (folder: string, container: string, run: number): string => join(folder, 'logs', container, `${run}.log`);
