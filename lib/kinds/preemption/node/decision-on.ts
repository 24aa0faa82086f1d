// The decision on one pod, out of what a node's passes keep.
import * as v from 'valibot';
import { fieldsOf, listOf, textOf, type Fields } from '../../../objects/values/untyped-fields.ts';
import { POD_DECISION, type PodDecision } from './node-decision.ts';

/** Undefined: the node has not decided on it, or keeps nothing that this build can read. */
export function decisionOn(uid: string, keptOfNode: unknown): PodDecision | undefined {
  const read = v.safeParse(POD_DECISION, decisionsIn(fieldsOf(keptOfNode)).get(uid));
  return read.success ? read.output : undefined;
}

/** The decision on that pod alone, in the form in which a node's passes keep all of them. */
export function keptAbout(keptOfNode: object, uid: string): object {
  const decision = decisionsIn(fieldsOf(keptOfNode)).get(uid);
  return { decision: { pods: decision ? [decision] : [] } };
}

/** A thousand pods ask the same node. */
const known = new WeakMap<object, ReadonlyMap<string, Fields>>();

function decisionsIn(kept: Fields): ReadonlyMap<string, Fields> {
  const before = known.get(kept);
  if (before) return before;
  const decisions = new Map(listOf(fieldsOf(kept['decision'])['pods']).map((pod) => [textOf(pod['uid']), pod]));
  known.set(kept, decisions);
  return decisions;
}
