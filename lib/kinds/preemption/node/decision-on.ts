// The decision on one pod, out of what a node's passes keep.
import * as v from 'valibot';
import { fieldsOf, listOf } from '../../../objects/values/untyped-fields.ts';
import { POD_DECISION, type PodDecision } from './node-decision.ts';

/** Undefined: the node has not decided on it, or keeps nothing that this build can read. */
export function decisionOn(uid: string, keptOfNode: unknown): PodDecision | undefined {
  const found = listOf(fieldsOf(fieldsOf(keptOfNode)['decision'])['pods']).find((pod) => pod['uid'] === uid);
  const read = v.safeParse(POD_DECISION, found);
  return read.success ? read.output : undefined;
}
