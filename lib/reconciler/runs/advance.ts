// Advances a run as far as it goes without waiting: step, store, act, and again. It may run twice at once, and stop at any moment: the version of
// the record decides between two, and an action is stored before it is carried out (R5, R8).
import { isOver, readRun, type RunState } from '../../kinds/run-once/run.ts';
import { cancelled, stepOf } from '../../kinds/run-once/step.ts';
import type { RunAction, RunSeen } from '../../kinds/run-once/step-words.ts';
import type { RunRecord, Runs } from '../../ports/runs.ts';
import type { Pod } from '../../objects/kubernetes.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { answersTo, forgetStopped, mirrorEnds } from './provider-answers.ts';
import { keptRun } from './kept-runs.ts';
import { keepLogs } from './run-logs.ts';
import { readManifest, removeManifests } from './run-parts.ts';
import type { RunPorts } from './run-ports.ts';

export interface Advanced {
  run: RunState;
  /** Of its record. */
  version: number;
  /** Unix milliseconds of the next step; undefined: the run is over. */
  dueAtMs?: number;
}

export interface AdvanceOptions {
  /** Uids of pods whose tasks have changed. */
  changed?: ReadonlySet<string>;
  /** Any task may have changed. */
  looksAtAll?: boolean;
  /** Whether there is time for another step. */
  hasTime?: () => boolean;
  /** Called after each stored step. */
  onStep?: (run: RunState, actions: readonly RunAction[]) => void;
}

/** Each pod takes a few steps of its run, and all pods take them together. */
const MOST_STEPS = 1_000;
const AGAIN_MS = 100;

/** @returns undefined: there is no such run */
export async function advance(id: string, ports: RunPorts, options: AdvanceOptions = {}): Promise<Advanced | undefined> {
  const { changed = new Set(), looksAtAll = false, hasTime = () => true, onStep = () => {} } = options;
  const { runs, clock } = ports;
  const found = await open(id, runs);
  if (!found) return undefined;
  let { record, run } = found;
  const { pods } = found;
  if (!pods) {
    // A crash may have come between the end and this.
    await removeManifests(runs, id);
    return { run, version: record.version };
  }
  const provider = ports.providerOf({ provider: run.provider, node: run.node.metadata.name ?? '' });
  const { cannot } = provider.limits();
  const places = new Set([...run.pods.keys()].filter((index) => looksAtAll || changed.has(run.pods[index]?.uid ?? '')));
  let seen: RunSeen = {};
  for (let steps = 0; steps < MOST_STEPS && hasTime(); steps += 1) {
    const step = stepOf({ run, pods, cannot, seen, ...(steps === 0 && { changed: places }) }, new Date(clock.nowMs()));
    if (isOver(step.run)) {
      await keepLogs(step.run, [...step.run.pods.keys()], { runs, provider, clock });
      await forgetStopped(step.run, provider, clock);
      await mirrorEnds({ run: step.run, pods, provider, clock, cluster: ports.cluster });
    }
    if (step.isChanged) {
      const written = await write(record, step.run, step.dueAtMs, ports);
      record = written.record;
      run = readRun(record.state);
      // Another writer was first: its state counts, and the answers are asked for again.
      if (!written.isOurs) {
        seen = {};
        continue;
      }
      onStep(run, step.actions);
    }
    if (isOver(run)) {
      await removeManifests(runs, id);
      return { run, version: record.version };
    }
    if (step.actions.length === 0) return { run, version: record.version, dueAtMs: step.dueAtMs ?? clock.nowMs() + AGAIN_MS };
    const stopped = step.actions.flatMap((action) => (action.verb === 'stop' ? [action.index] : []));
    await keepLogs(run, stopped, { runs, provider, clock });
    seen = await answersTo(step.actions, { run, pods, provider, clock, hasTime, cluster: ports.cluster });
  }
  return { run, version: record.version, dueAtMs: clock.nowMs() + AGAIN_MS };
}

interface Opened {
  record: RunRecord;
  run: RunState;
  /** Undefined: the run is over. */
  pods: Pod[] | undefined;
}

async function open(id: string, runs: Runs): Promise<Opened | undefined> {
  for (let tries = 0; tries < 2; tries += 1) {
    const record = await runs.get(id);
    if (!record) return undefined;
    const run = readRun(record.state);
    if (isOver(run)) return { record, run, pods: undefined };
    const pods = await readManifest(runs, id, run.manifestHash);
    if (pods) return { record, run, pods };
    // Another process may have ended the run meanwhile, and removed its manifest.
  }
  throw new Error(`the manifest of the run ${id} is not there: its folder or table was damaged`);
}

/** @returns the record as it stands then, ours or the other writer's */
async function write(
  { id, manifestHash, createdAtMs, version }: RunRecord,
  run: RunState,
  dueAtMs: number | undefined,
  { runs, clock }: RunPorts,
): Promise<{ record: RunRecord; isOurs: boolean }> {
  const { finishedAtMs } = run;
  const record = {
    id,
    manifestHash,
    createdAtMs,
    state: JSON.stringify(run),
    // An open run is always due: where this process ends, another finds it.
    ...(finishedAtMs === undefined
      ? { dueAtMs: Math.ceil(dueAtMs ?? clock.nowMs()) }
      : { keptUntilMs: finishedAtMs + run.options.ttlSeconds * 1_000 }),
  };
  try {
    return { record: await runs.put(record, version), isOurs: true };
  } catch (error) {
    if (!(error instanceof StaleWriteError)) throw error;
    const current = error.current as RunRecord | undefined;
    if (!current) throw new Error(`the run ${id} was removed while it ran`, { cause: error });
    return { record: current, isOurs: false };
  }
}

const MOST_CONFLICTS = 100;

/** Writes down that the run is cancelled; the process that drives it stops its tasks. @returns undefined: there is no such run */
export async function cancelRun(id: string, ports: Pick<RunPorts, 'runs' | 'clock'>): Promise<RunState | undefined> {
  let record = await keptRun(ports.runs, id, ports.clock.nowMs());
  for (let conflicts = 0; record && conflicts < MOST_CONFLICTS; conflicts += 1) {
    const before = readRun(record.state);
    const run = cancelled(before, new Date(ports.clock.nowMs()));
    if (run === before) return before;
    const written = await write(record, run, ports.clock.nowMs(), ports as RunPorts);
    if (written.isOurs) return run;
    ({ record } = written);
  }
  if (record) throw new Error(`the run ${id} changed ${MOST_CONFLICTS} times while it was being cancelled: try again`);
  return undefined;
}
