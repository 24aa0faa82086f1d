// Creates of pods: few at first, each counted, and settled if the name is taken (R5).
import type { KubernetesObject, Pod } from '../../objects/kubernetes.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import { PODS } from '../../objects/resources.ts';
import { nameKeyOf } from '../../kinds/rows/plan.ts';
import { ConflictError, NotFoundError, TerminalError } from '../../ports/errors.ts';
import type { Pass } from '../pass/pass.ts';
import type { CreateAction, Result } from '../pass/result.ts';

/** A foreign pod holds the name of a pod to be created (R5). */
export class ForeignNamesakeError extends ConflictError {}

/** Slow start: a quota or a webhook that refuses every create receives few requests. */
export function* slowStart(actions: readonly CreateAction[]): Generator<readonly CreateAction[]> {
  for (let at = 0, size = 1; at < actions.length; at += size, size *= 2) yield actions.slice(at, at + size);
}

export async function create(pass: Pass, action: CreateAction): Promise<Result> {
  try {
    const { object } = await pass.cluster.create<KubernetesObject>(PODS, action.object, pass.deadline, pass.known.podReader.reading);
    countCreate(pass, 'succeeded');
    pass.known.observePod(object as Pod, { isNew: true });
    return { action };
  } catch (error) {
    // The namespace is terminating, and the owner with it. No event is sent and nothing counts (spec 12.2).
    if (error instanceof TerminalError && error.causes.some(({ reason }) => reason === 'NamespaceTerminating')) {
      pass.known.namespaceEnds = true;
      return { action, changedNothing: true };
    }
    countCreate(pass, 'failed');
    if (error instanceof ConflictError && error.reason === 'alreadyExists') return await meetNamesake(pass, action);
    return { action, error };
  }
}

/** An orphan that the workload adopts by its labels. The watch may have shown it before the workload, so that it was nobody's. */
const mayAdopt = ({ facts: { pods }, known: { owner } }: Pass, { controller, deletedAt, labels }: PodFacts): boolean =>
  controller === undefined && deletedAt === undefined && owner !== undefined && (pods.ownSelector?.(owner)?.(labels) ?? false);

function countCreate({ pending: { counted }, decided: { planned }, row }: Pass, result: 'succeeded' | 'failed'): void {
  if (planned) counted.push(...(row.metrics.ofCreate?.(planned.plan, result) ?? []));
}

/**
 * AlreadyExists (R5). If the pod is ours, the create is settled, whatever state that pod is in. If it is foreign, the planner sees that the
 * number is taken.
 */
async function meetNamesake(pass: Pass, action: CreateAction): Promise<Result> {
  const name = action.object.metadata.name ?? '';
  try {
    const { object } = await pass.cluster.get<Pod>(
      PODS,
      { namespace: pass.key.namespace, name },
      pass.deadline,
      pass.known.podReader.reading,
    );
    const facts = pass.known.podReader.factsOf(object);
    const isOurs = facts.controller?.uid === pass.key.uid || mayAdopt(pass, facts);
    const child = pass.known.childOf(facts);
    if (isOurs) pass.known.observePod(object);
    if (isOurs && typeof child !== 'string' && child.slot === action.child?.slot && child.number === action.child.number) return { action };
    if (pass.facts.pods.namesAreReused) {
      // An earlier pod of ours is planned from. A foreign one holds this place, and only this one.
      const { uid = '', deletionTimestamp } = object.metadata;
      if (!isOurs) pass.known.held.set(nameKeyOf(PODS, name), { uid, isTerminating: deletionTimestamp !== undefined });
      pass.decided.namesakes.push({ resource: PODS, name, isForeign: !isOurs });
      return { action, changedNothing: true };
    }
    // Take the next number: this workload can never have this name.
    if (action.child)
      pass.pending.state = { ...pass.pending.state, ordinal: Math.max(pass.pending.state.ordinal, action.child.number + 1) };
    return {
      action,
      // The pod is ours, but somebody has changed its annotations. The same create would collide with it for ever.
      error: new ForeignNamesakeError(
        `pods "${name}" already exists and ${isOurs ? 'has been made another one by hand' : 'belongs to somebody else'}`,
        { reason: 'alreadyExists' },
      ),
    };
  } catch (error) {
    // The pod was deleted between the two calls, so plan again.
    if (error instanceof NotFoundError)
      return { action, error: new ConflictError(`pod ${name} came and went`, { reason: 'alreadyExists' }) };
    return { action, error };
  }
}
