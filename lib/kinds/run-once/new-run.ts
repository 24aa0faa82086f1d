// A run before its first step: its id, its pods with their uids, its deadline.
import { createHash } from 'node:crypto';
import type { Node, Pod } from '../../objects/kubernetes.ts';
import { RUN_UID_PREFIX } from '../../objects/task.ts';
import { deadlineMsOf, USUAL_OPTIONS, type RunOptions } from './options.ts';
import { firstDelayMs } from './pod-step.ts';
import { RUN_FORMAT, type RunState } from './run.ts';
import { NO_MANIFEST, NO_PODS } from './texts.ts';

export interface RunGiven {
  id: string;
  provider: string;
  node: Node;
  /** As given, in the order of the manifest, with the API server's defaults; undefined: there was no document. */
  pods: readonly Pod[] | undefined;
  options?: Partial<RunOptions>;
  /** When the former run of this id began, whose time is over: its provider may still know its tasks, which are none of this run's. */
  formerAtMs?: number;
}

/** Pods as they are run: each with a uid that a repeated call gives again, bound to the node. */
export function podsToRun({ id, node, pods = [], formerAtMs }: Pick<RunGiven, 'id' | 'node' | 'pods' | 'formerAtMs'>): Pod[] {
  return pods.map((pod, index) => ({
    ...pod,
    metadata: {
      ...pod.metadata,
      namespace: pod.metadata.namespace || 'default',
      uid: pod.metadata.uid || uidOf([id, index, pod, formerAtMs]),
    },
    spec: { ...pod.spec, nodeName: pod.spec.nodeName || (node.metadata.name ?? '') },
  }));
}

/** A cluster's pod of that uid may be on the same node, and a run's uid is known by its prefix. */
export function withoutUid({ metadata, ...pod }: Pod): Pod {
  const { uid: _uid, ...kept } = metadata;
  return { ...pod, metadata: kept };
}

/** The same id with another hash is refused. */
export const manifestHashOf = ({ pods }: Pick<RunGiven, 'pods'>): string =>
  createHash('sha256')
    .update(JSON.stringify(pods ?? null))
    .digest('hex');

export function newRun(given: RunGiven, now: Date): RunState {
  const { id, provider, node, options: changes = {} } = given;
  const options = { ...USUAL_OPTIONS, ...changes };
  const createdAtMs = now.getTime();
  const pods = podsToRun(given).map(({ metadata: { uid = '', namespace = '', name = '' } }) => ({
    uid,
    namespace,
    name,
    phase: 'undecided' as const,
    retry: 0,
    delayMs: firstDelayMs(options),
    attempt: 1,
    syncs: 0,
  }));
  return {
    format: RUN_FORMAT,
    id,
    manifestHash: manifestHashOf(given),
    provider,
    node,
    options,
    stage: pods.length === 0 ? 'done' : 'admitting',
    createdAtMs,
    deadlineAtMs: createdAtMs + deadlineMsOf(options),
    ...(pods.length === 0 && { finishedAtMs: createdAtMs }),
    completions: 0,
    pods,
    ...(given.pods === undefined && { error: NO_MANIFEST, cause: NO_PODS }),
    warnings: [],
  };
}

/** A uuid by its look, with a prefix that no API server gives. */
function uidOf(of: readonly [id: string, index: number, pod: Pod, formerAtMs: number | undefined]): string {
  const hash = createHash('sha256')
    .update(JSON.stringify(of.filter((part) => part !== undefined)))
    .digest('hex');
  const uuid = [hash.slice(0, 8), hash.slice(8, 12), `4${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`, hash.slice(20, 32)].join('-');
  return `${RUN_UID_PREFIX}${uuid}`;
}
