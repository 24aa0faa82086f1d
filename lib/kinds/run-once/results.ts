// Results of a run, in the order of spec section 6: rejections as in the manifest, then the others as they came to their end.
import { standingOf, waitsFor, whyOf } from './standing.ts';
import { hasOutcome, isOver, type ContainerEnd, type RunPod, type RunStage, type RunState } from './run.ts';

export interface RunPodResult {
  /** As in `namespace/name`. */
  pod: { namespace: string; name: string; uid: string };
  error?: string;
  rejected?: { reason: string; message: string };
  /** Names of the containers that failed; of a pod without an error absent. */
  failedContainers?: string[];
  status?: { phase: string; reason?: string; message?: string };
  containers: ContainerEnd[];
  retries: number;
}

/** A pod without an outcome so far. */
export interface OpenRunPod extends Pick<RunPodResult, 'pod' | 'status' | 'containers' | 'retries'> {
  /** How it stands. */
  why: string;
  waitsFor: string;
  /** When it is looked at again though nothing happens. */
  nextAt?: string;
}

export interface RunSummary {
  runId: string;
  state: RunStage;
  node: string;
  provider: string;
  /** Why it stands so, in a line. */
  why: string;
  /** When it goes on though nothing happens. */
  nextAt?: string;
  /** Of pods that have an outcome. */
  results: RunPodResult[];
  /** Pods without an outcome so far. */
  open: number;
  /** In the order of the manifest. */
  openPods: OpenRunPod[];
  error?: string;
  cause?: string;
  warnings: string[];
  startedAt: string;
  finishedAt?: string;
}

export function resultOrder({ pods }: RunState): RunPod[] {
  const rejected = pods.filter((pod) => pod.rejected !== undefined);
  const completed = pods.filter((pod) => pod.rejected === undefined && hasOutcome(pod));
  return [...rejected, ...completed.toSorted((one, other) => (one.completion ?? 0) - (other.completion ?? 0))];
}

export const failedPodsOf = (run: RunState): RunPod[] => resultOrder(run).filter(({ error }) => error !== undefined);

export function summaryOf(run: RunState): RunSummary {
  const { id, stage, node, provider, error, cause, warnings, createdAtMs, finishedAtMs, pods } = run;
  const nextAtMs = nextMsOf(run);
  return {
    runId: id,
    state: stage,
    node: node.metadata.name ?? '',
    provider,
    why: whyOf(run),
    ...(nextAtMs !== undefined && { nextAt: new Date(nextAtMs).toISOString() }),
    results: resultOrder(run).map(resultOf),
    open: pods.filter((pod) => !hasOutcome(pod)).length,
    openPods: pods.filter((pod) => !hasOutcome(pod)).map((pod) => openOf(run, pod)),
    ...(error !== undefined && { error }),
    ...(cause !== undefined && { cause }),
    warnings,
    startedAt: new Date(createdAtMs).toISOString(),
    ...(finishedAtMs !== undefined && { finishedAt: new Date(finishedAtMs).toISOString() }),
  };
}

const isNow = ({ phase, dueAtMs }: RunPod): boolean => dueAtMs === undefined && phase !== 'queued' && phase !== 'final';

/** @returns undefined: its next step is to be taken at once, or the run is over */
function nextMsOf(run: RunState): number | undefined {
  const { stage, pods, deadlineAtMs } = run;
  if (isOver(run) || (stage === 'admitting' ? pods.slice(0, 1) : pods).some(isNow)) return undefined;
  const dues = [...pods.flatMap(({ dueAtMs }) => dueAtMs ?? []), ...(pods.every(hasOutcome) ? [] : [deadlineAtMs])];
  return dues.length === 0 ? undefined : Math.min(...dues);
}

function openOf(run: RunState, state: RunPod): OpenRunPod {
  const { pod, status, containers, retries } = resultOf(state);
  const { dueAtMs } = state;
  return {
    pod,
    why: standingOf(state, run),
    waitsFor: waitsFor(run, state),
    ...(dueAtMs !== undefined && { nextAt: new Date(dueAtMs).toISOString() }),
    ...(status && { status }),
    containers,
    retries,
  };
}

function resultOf({ namespace, name, uid, error, rejected, failedContainers, status, retry }: RunPod): RunPodResult {
  const { containers = [], ...shown } = status ?? {};
  return {
    pod: { namespace, name, uid },
    ...(error !== undefined && { error }),
    ...(rejected && { rejected }),
    ...(failedContainers && { failedContainers }),
    ...(status && { status: shown as NonNullable<RunPodResult['status']> }),
    containers,
    retries: retry,
  };
}
