// Invariants of the children of every kind, as the API server commits them.
import { findFacts } from '../../../lib/kinds/facts.ts';
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import { controllerOf, podFactsOf } from '../../../lib/objects/pods/pod-facts.ts';
import type { Call } from '../calls.ts';
import type { ChildChange, ObjectChange, OwnerRecord, PodChange, PodRecord } from '../history.ts';
import type { Simulation } from '../simulation.ts';
import type { Invariant } from './table.ts';

type Created = (PodChange | ChildChange) & { owner: OwnerRecord; by: Call };

/** A child that Farloop created. */
function createdIn(change: ObjectChange): Created | undefined {
  if (change.kind === 'owner' || change.type !== 'ADDED' || !change.by || !change.owner) return undefined;
  // A surplus: what becomes of it is asked at the end.
  if (change.by.isLate) return undefined;
  // What was read live has been undone since.
  if ((change.by.invocation?.beganAtMs ?? 0) <= change.owner.restoredAtMs) return undefined;
  return change as Created;
}

const nameOf = ({ now }: { now: KubernetesObject }): string => now.metadata.name ?? '';
const liveOf = ({ by, owner }: Created): KubernetesObject | undefined => by.invocation?.live.get(owner.uid);

/** Of two Farloops, the pass of one knows nothing of a pod that the other has made since it began. */
export const isMadeMeanwhile = (pod: PodRecord, by: Call, { installations }: Simulation): boolean =>
  installations.length > 1 && pod.createdAtMs >= (by.invocation?.beganAtMs ?? 0);

export const OF_CHILDREN: readonly Invariant[] = [
  {
    name: 'the owner is read live before a child is created',
    rule: 'R10',
    onChange: (change) => {
      const created = createdIn(change);
      return created && !liveOf(created) ? `${nameOf(created)} was created unseen` : undefined;
    },
  },
  {
    name: 'an owner that has finished, or that is being deleted, gets no child once that was read',
    rule: 'R10',
    onChange: (change) => {
      const created = createdIn(change);
      const live = created && liveOf(created);
      if (!created || !live) return undefined;
      const facts = findFacts(created.owner.kind);
      if (live.metadata.deletionTimestamp !== undefined) return `${created.owner.name} was being deleted`;
      return facts?.isFinished(live) ? `${created.owner.name} had finished` : undefined;
    },
  },
  {
    name: 'a pod is created under a durable intent',
    rule: 'R5',
    onChange: (change) => {
      const created = createdIn(change);
      if (created?.kind !== 'pod') return undefined;
      const facts = podFactsOf(created.now);
      const { slotOf } = findFacts(created.owner.kind)?.pods ?? {};
      const slot = slotOf ? slotOf(facts) : facts.index === undefined ? undefined : Number(facts.index);
      const intents = created.by.invocation?.intents?.create ?? [];
      const found = intents.some((child) => child.number === facts.number && (slot === undefined || child.slot === slot));
      return found ? undefined : `${nameOf(created)}, number ${facts.number}, was not intended`;
    },
  },
  {
    name: 'a name that a pod was seen to hold is never taken again',
    rule: 'R5',
    onChange: (change) => {
      const created = createdIn(change);
      if (created?.kind !== 'pod' || findFacts(created.owner.kind)?.pods?.namesAreReused) return undefined;
      const before = [...created.owner.pods.values()].some(
        ({ uid, name, isKnown, isUndone }) => isKnown && !isUndone && name === created.record.name && uid !== created.record.uid,
      );
      return before ? `${created.record.name} is a second pod of that name` : undefined;
    },
  },
  {
    name: 'a number of a name that is used again is never taken twice',
    rule: 'R5',
    onChange: (change, simulation) => {
      const created = createdIn(change);
      if (created?.kind !== 'pod' || !findFacts(created.owner.kind)?.pods?.namesAreReused) return undefined;
      const { number } = podFactsOf(created.now);
      const before = [...created.owner.pods.values()].some(
        (record) =>
          record.isKnown &&
          !record.isUndone &&
          record.name === created.record.name &&
          record.uid !== created.record.uid &&
          podFactsOf(record.pod).number === number &&
          !isMadeMeanwhile(record, created.by, simulation),
      );
      return before ? `${created.record.name} is a second pod of number ${number}` : undefined;
    },
  },
  {
    name: 'the children of others are left alone',
    rule: 'R15',
    onChange: (change) => {
      if (change.kind !== 'child' || !change.by || change.type === 'ADDED') return undefined;
      const { key } = change.by.invocation ?? {};
      // What the collector deletes for an owner that is gone was asked for by that owner's delete.
      if (change.by.port !== 'cluster') return undefined;
      const owner = controllerOf(change.before?.metadata.ownerReferences)?.uid;
      return owner === key?.uid ? undefined : `${nameOf(change)} was touched by a pass of ${key?.name}`;
    },
  },
];
