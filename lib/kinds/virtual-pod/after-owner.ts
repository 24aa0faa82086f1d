// A pod whose object is gone while its task may still run: deleted by force, or with its cluster's past. The task is stopped, then its node told.
import { isOfRun, type Task } from '../../objects/task.ts';
import { sightKeyOf, type Action, type AfterOwner, type LeftBehind, type SightWant } from '../rows/plan.ts';
import type { Kept } from './kept.ts';
import { virtualNodeNamed, virtualNodesIn } from './node-options.ts';
import { nodeWorkload, SENDING_MS } from './plan.ts';

const AGAIN_SECONDS = 2;

export function afterOwner({ key, kept, sights, options, nowMs }: LeftBehind): AfterOwner {
  // It never had an object here, and its run ends it.
  if (isOfRun(key)) return { actions: [], isDone: true, why: 'its task is of a run of farloop run-once' };
  const { node, ordered, attempt = 1, stop, ended, seen } = (kept ?? {}) as Partial<Kept>;
  const tells = node ? [nodeWorkload(node)] : [];
  const forgets = node && keepsEnded(options, node.name) ? [forget({ node: node.name, uid: key.uid, attempt })] : [];
  if (ended) return { actions: forgets, isDone: true, tells, why: 'the pod is gone, and nothing of it runs' };
  // The head may be new: then its task may be on any node.
  const nodes = node ? [node.name] : virtualNodesIn(options).map(({ name }) => name);
  const wants = nodes.map((name): SightWant => ({ sight: 'task', node: name, uid: key.uid, attempt }));
  if (wants.some((want) => sights?.has(sightKeyOf(want)) !== true)) return { actions: [], isDone: false, wants };
  const actions = wants.flatMap((want): Action[] => {
    const task = sights?.get(sightKeyOf(want)) as Task | null;
    if (task === null || task.hasEnded || want.sight !== 'task') return [];
    const graceSeconds = stop?.graceSeconds ?? 1;
    return [{ verb: 'call', call: 'stop', node: want.node, uid: key.uid, attempt, graceSeconds, why: 'its pod is gone' }];
  });
  if (actions.length > 0)
    return { actions, isDone: false, requeueAfterSeconds: AGAIN_SECONDS, why: 'the pod is gone: its task is stopped' };
  const leftMs = ordered && seen === undefined ? ordered.atMs + SENDING_MS - nowMs : 0;
  if (leftMs > 0)
    return {
      actions,
      isDone: false,
      requeueAfterSeconds: leftMs / 1000,
      why: 'the pod is gone, and a start of its task may still be on its way',
    };
  return { actions: forgets, isDone: true, tells, why: 'the pod is gone, and nothing of it runs' };
}

/** A provider that runs anything keeps what has ended until somebody says that nobody asks for it any more. */
const keepsEnded = (options: LeftBehind['options'], node: string): boolean => {
  const provider = virtualNodeNamed(options, node)?.provider;
  return provider !== undefined && provider !== 'simulated';
};

const forget = (task: { node: string; uid: string; attempt: number }): Action => ({
  verb: 'call',
  call: 'forget',
  ...task,
  why: 'its pod is gone, and nobody asks for it any more',
});
