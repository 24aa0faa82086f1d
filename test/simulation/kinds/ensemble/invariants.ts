// What must hold of ensembles alone.
import type { WorkloadObject } from '../../../../lib/objects/kubernetes.ts';
import { resourceKeyOf } from '../../../../lib/objects/child-state.ts';
import { CONFIG_MAPS, ENSEMBLE_LABEL, nameOfSlot, seatsOf, SERVICES, type Ensemble } from '../../../world/kinds/ensemble/ensemble.ts';
import { childrenOf, isOver, livingOf, type OwnerRecord } from '../../history.ts';
import { endsOf } from '../../scenario.ts';
import type { Invariant } from '../../invariants/table.ts';
import type { HandsOfKind } from '../table.ts';

const ensembleOf = (owner: WorkloadObject): Ensemble => owner as Ensemble;

/** @param labelled only those that bear its label: one without is known only once its place was to be filled */
const namesOf = (record: OwnerRecord, resource: typeof SERVICES, labelled = false): string[] =>
  childrenOf(record).flatMap(({ resource: of, object }) =>
    of === resourceKeyOf(resource) && (!labelled || object.metadata.labels?.[ENSEMBLE_LABEL] === record.name)
      ? [object.metadata.name ?? '']
      : [],
  );

const listed = (names: readonly string[]): string => names.toSorted().join(', ');

/** All that play, in their order, as the config map has to have it. */
const playersOf = (record: OwnerRecord): string[] =>
  livingOf(record)
    .filter(({ pod }) => pod.status?.phase === 'Running' && pod.metadata.deletionTimestamp === undefined)
    .map(({ name }) => name);

function orderIn(record: OwnerRecord): string {
  const map = childrenOf(record).find(({ resource }) => resource === resourceKeyOf(CONFIG_MAPS))?.object as
    { data?: { order?: string } } | undefined;
  return (map?.data?.order ?? '').split('\n').filter(Boolean).join(', ');
}

export const isSuspended = (owner: WorkloadObject): boolean => ensembleOf(owner).status?.phase === 'Suspended';
export const isSteady = (owner: WorkloadObject): boolean => {
  const { ready = {}, phase } = ensembleOf(owner).status ?? {};
  return phase === 'Playing' && (ready.strings ?? 0) + (ready.winds ?? 0) === seatsOf(ensembleOf(owner)).length;
};

export const ENSEMBLE_HANDS: HandsOfKind = {
  suspended: (owner) => (ensembleOf(owner).spec.suspend === true ? undefined : { to: { suspend: true }, back: { suspend: false } }),
  scaledDown: (owner) => {
    const { winds = 0 } = ensembleOf(owner).spec;
    return winds > 0 ? { to: { winds: 0 }, back: { winds } } : undefined;
  },
  foreignStatus: (owner) => ({ ready: { strings: (ensembleOf(owner).status?.ready?.strings ?? 0) + 1 } }),
};

export const OF_ENSEMBLES: readonly Invariant[] = [
  {
    name: 'every ensemble ends as its story tells',
    rule: 'R1',
    atEnd: ({ history, kindOf, run, tampering }) => {
      if (kindOf.facts.kind !== 'Ensemble') return undefined;
      for (const { name, cluster, end } of endsOf(run.scenario)) {
        if (tampering.endedNamespaces.has(cluster) || (end !== 'Complete' && end !== 'Failed')) continue;
        const record = history.owners.findLast((each) => each.cluster === cluster && each.name === name && !each.isGone);
        const phase = record && ensembleOf(record.object).status?.phase;
        // A pod that somebody deletes by force is no failure of the ensemble's; one that ends while it is deleted is one.
        if (end === 'Complete' && phase === 'Failed' && tampering.touchedPods > 0) continue;
        if (phase !== end) return `${name} ended with ${phase}`;
      }
      return undefined;
    },
  },
  {
    name: 'an ensemble has a service for each seat, and the order of those that play',
    rule: 'R1',
    atEnd: ({ history }) => {
      for (const record of history.owners) {
        if (record.kind !== 'Ensemble' || record.isGone || record.finishedAtMs !== undefined) continue;
        const owner = ensembleOf(record.object);
        if (owner.metadata.deletionTimestamp !== undefined) continue;
        const wanted = listed(seatsOf(owner).map(({ slot }) => nameOfSlot(owner, slot)));
        const found = listed(namesOf(record, SERVICES));
        if (found !== wanted) return `${record.name} has the services ${found}, expected ${wanted}`;
        if (orderIn(record) !== listed(playersOf(record)))
          return `${record.name}: ${listed(playersOf(record))} play, the order is ${orderIn(record)}`;
      }
      return undefined;
    },
  },
  {
    name: 'an ensemble that has ended keeps no service',
    rule: 'R1',
    atEnd: ({ history }) => {
      const left = history.owners
        .filter(({ kind, isGone, finishedAtMs }) => kind === 'Ensemble' && !isGone && finishedAtMs !== undefined)
        .flatMap((record) => namesOf(record, SERVICES, true));
      return left.length > 0 ? listed(left) : undefined;
    },
  },
  {
    name: 'a seat whose pod has succeeded is not taken again',
    rule: 'R10',
    onChange: (change) => {
      if (change.kind !== 'pod' || change.type !== 'ADDED' || change.owner?.kind !== 'Ensemble' || !change.by || change.by.isLate)
        return undefined;
      const { owner, record } = change;
      if (owner.isRestored) return undefined;
      const done = [...owner.pods.values()].find(
        ({ name, pod, isGone }) => name === record.name && !isGone && isOver(pod) && pod.status?.phase === 'Succeeded',
      );
      return done ? `${record.name} had succeeded` : undefined;
    },
  },
];
