// What must hold of training jobs alone.
import { SERVICES } from '../../../../lib/objects/resources.ts';
import { factsFor } from '../../../../lib/kinds/facts.ts';
import type { WorkloadObject } from '../../../../lib/objects/kubernetes.ts';
import { resourceKeyOf } from '../../../../lib/objects/child-state.ts';
import { SILENCE_SECONDS } from '../../../../lib/kinds/training/status/other-operator.ts';
import { isTrue } from '../../../../lib/kinds/training/status/conditions.ts';
import type { TrainingJob } from '../../../../lib/kinds/training/terms/job-types.ts';
import { childrenOf, livingOf } from '../../history.ts';
import { endsOf } from '../../scenario.ts';
import { isMadeMeanwhile } from '../../invariants/children.ts';
import type { Invariant } from '../../invariants/table.ts';
import type { HandsOfKind } from '../table.ts';

const jobIn = (owner: WorkloadObject): TrainingJob => owner as TrainingJob;
const conditionsOf = (owner: WorkloadObject): NonNullable<TrainingJob['status']>['conditions'] => jobIn(owner).status?.conditions;

export const isSuspended = (owner: WorkloadObject): boolean => isTrue(conditionsOf(owner), 'Suspended');

export const TRAINING_HANDS: HandsOfKind = {
  yieldsMs: SILENCE_SECONDS * 1000,
  suspended: (owner) =>
    jobIn(owner).spec.runPolicy?.suspend === true
      ? undefined
      : { to: { runPolicy: { suspend: true } }, back: { runPolicy: { suspend: false } } },
  foreignStatus: (owner, times) => {
    const { replicaStatuses = {} } = jobIn(owner).status ?? {};
    const [type, counts] = Object.entries(replicaStatuses)[0] ?? [];
    return type === undefined || times === 'once' ? undefined : { replicaStatuses: { [type]: { active: (counts?.active ?? 0) + 1 } } };
  },
};

const ENDS = { Complete: 'Succeeded', Failed: 'Failed' } as const;

const isTraining = ({ apiVersion = '' }: { apiVersion?: string }): boolean => apiVersion.startsWith('kubeflow.org/');
const isOfTraining = (kind: string): boolean => isTraining(factsFor(kind).resource);

export const OF_TRAINING: readonly Invariant[] = [
  {
    name: 'every training job ends as its story tells',
    rule: 'R1',
    atEnd: ({ history, kindOf, run, tampering }) => {
      if (!isTraining(kindOf.facts.resource)) return undefined;
      for (const { name, cluster, end } of endsOf(run.scenario)) {
        if (tampering.endedNamespaces.has(cluster) || (end !== 'Complete' && end !== 'Failed')) continue;
        const record = history.owners.findLast((each) => each.cluster === cluster && each.name === name && !each.isGone);
        const conditions = record && conditionsOf(record.object);
        if (isTrue(conditions, 'Succeeded') && isTrue(conditions, 'Failed')) return `${name} succeeded and failed`;
        // A pod that somebody deletes, or that ends while it is deleted, may be a failure of its job. So may one that the story deletes
        // once it has succeeded, if the job was made anew before.
        const wasRecreated = history.owners.filter((each) => each.cluster === cluster && each.name === name).length > 1;
        if (end === 'Complete' && isTrue(conditions, 'Failed') && (tampering.touchedPods > 0 || wasRecreated)) continue;
        if (!isTrue(conditions, ENDS[end])) return `${name} ended with ${conditions?.at(-1)?.type}`;
      }
      return undefined;
    },
  },
  {
    name: 'a training job that has ended keeps neither pods nor services',
    rule: 'R1',
    atEnd: ({ history, kindOf }) => {
      if (!isTraining(kindOf.facts.resource)) return undefined;
      for (const record of history.owners) {
        if (record.isGone || record.finishedAtMs === undefined) continue;
        const pods = livingOf(record).map(({ name }) => name);
        const services = childrenOf(record)
          .filter(({ resource }) => resource === resourceKeyOf(SERVICES))
          .map(({ object }) => object.metadata.name);
        if (pods.length + services.length > 0) return [...pods, ...services].join(', ');
      }
      return undefined;
    },
  },
  {
    name: 'a replica that has succeeded is not made again',
    rule: 'R10',
    onChange: (change, simulation) => {
      if (change.kind !== 'pod' || change.type !== 'ADDED' || !change.owner || !change.by || change.by.isLate) return undefined;
      const { owner, record, by } = change;
      // While another operator works on the job, it is that one's to remember.
      if (simulation.struck.some(({ fault }) => fault === 'otherController' || fault === 'otherControllerFights')) return undefined;
      // One that was suspended begins anew.
      const wasSuspended = conditionsOf(owner.object)?.some(({ type }) => type === 'Suspended') ?? false;
      if (owner.isRestored || wasSuspended || !isOfTraining(owner.kind)) return undefined;
      const done = [...owner.pods.values()].find(
        (pod) => pod !== record && pod.name === record.name && pod.isKnownDone && !isMadeMeanwhile(pod, by, simulation),
      );
      return done ? `${record.name} had succeeded` : undefined;
    },
  },
];
