// A case of the preemption oracle: one line that both sides read, `farloop plan --stream` and upstream.
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { randomAdmission, shuffled, type RandomNode } from '../../kinds/preemption/random-admissions.ts';

export interface AdmissionCase {
  /** `seed/number`. */
  id: string;
  now: string;
  /** The incoming pod. */
  workload: string;
  /** The node and the pods bound to it, the incoming one among them, in any order. */
  objects: (RandomNode | Pod)[];
}

export const incomingOf = ({ workload, objects }: AdmissionCase): Pod =>
  objects.find(({ kind, metadata }) => `${kind}/${metadata.namespace}/${metadata.name}` === workload) as Pod;
export const podsOf = (testCase: AdmissionCase): Pod[] => testCase.objects.filter(({ kind }) => kind === 'Pod') as Pod[];

/** The case of a seed and a number: always the same. */
export function makeCase(seed: number, number: number): AdmissionCase {
  const { node, pods, incoming } = randomAdmission(seed, number);
  const { namespace, name } = incoming.metadata;
  const objects = shuffled(seed + number, [node, ...pods, incoming]);
  return { id: `${seed}/${number}`, now: '2026-02-01T00:00:00Z', workload: `Pod/${namespace}/${name}`, objects };
}
