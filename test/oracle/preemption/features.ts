// What cases show, as upstream decided them: a comparison says of each feature how many of its cases did.
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { incomingOf, podsOf, type AdmissionCase } from './cases.ts';
import type { Upstream } from './sides.ts';

type Shows = (testCase: AdmissionCase, upstream: Upstream) => boolean;

const rejectedFor =
  (reason: string): Shows =>
  (_, upstream) =>
    upstream.state === 'rejected' && upstream.reason === reason;
const lacks = (upstream: Upstream, resource: string): boolean => upstream.failures.some((failure) => failure.resource === resource);
const makesRoomFor =
  (resource: string): Shows =>
  (_, upstream) =>
    upstream.victims.length > 0 && lacks(upstream, resource);
const isOther = (upstream: Upstream): boolean => upstream.failures.some(({ predicate }) => predicate !== undefined);

function victimsOf(testCase: AdmissionCase, { victims }: Upstream): Pod[] {
  const uids = new Set(victims.map(({ uid }) => uid));
  return podsOf(testCase).filter(({ metadata }) => uids.has(metadata.uid ?? ''));
}

const annotation = ({ metadata }: Pod, name: string): string | undefined => metadata.annotations?.[`kubernetes.io/config.${name}`];
const containersText = ({ spec: { containers, initContainers } }: Pod): string =>
  JSON.stringify([containers, initContainers].map((list) => list?.map(({ resources }) => resources)));

export const FEATURES: Readonly<Record<string, Shows>> = {
  'admitted as it is': (_, { state }) => state === 'admitted',
  'one victim': (_, { victims }) => victims.length === 1,
  'two victims or more': (_, { victims }) => victims.length >= 2,
  'four victims or more': (_, { victims }) => victims.length >= 4,
  'room made for pods': makesRoomFor('pods'),
  'room made for cpu': makesRoomFor('cpu'),
  'room made for memory': makesRoomFor('memory'),
  'room made for an extended resource': makesRoomFor('nvidia.com/gpu'),
  'room made for two resources or more': (_, { victims, failures }) => victims.length > 0 && failures.length >= 2,
  'a static or mirror pod makes room': (testCase, upstream) =>
    victimsOf(testCase, upstream).some((pod) => annotation(pod, 'source') ?? annotation(pod, 'mirror')),
  'a critical pod makes room': (testCase, upstream) =>
    victimsOf(testCase, upstream).some(({ spec }) => Number(spec['priority'] ?? 0) >= 2_000_000_000),
  'a pod with resources of its own level makes room': (testCase, upstream) =>
    victimsOf(testCase, upstream).some(({ spec }) => spec['resources'] !== undefined),
  'a pod with init containers makes room': (testCase, upstream) =>
    victimsOf(testCase, upstream).some(({ spec }) => spec.initContainers !== undefined),
  'a victim has a twin that stays': (testCase, upstream) => {
    const victims = victimsOf(testCase, upstream);
    const made = new Set(victims.map(containersText));
    return podsOf(testCase).some((pod) => pod !== incomingOf(testCase) && !victims.includes(pod) && made.has(containersText(pod)));
  },
  'a static pod comes in': (testCase) => annotation(incomingOf(testCase), 'source') === 'file',
  'nobody can make room': (_, { state, message }) => state === 'rejected' && Boolean(message?.includes('no set of running pods')),
  'no room for an ordinary pod': (_, { state, reason }) => state === 'rejected' && Boolean(reason?.startsWith('OutOf')),
  'no room, and another reason': (_, upstream) => isOther(upstream) && upstream.failures.some(({ resource }) => resource !== undefined),
  'rejected for its node selector or affinity': rejectedFor('NodeAffinity'),
  'rejected for its ports': rejectedFor('NodePorts'),
  'rejected for a taint': rejectedFor('TaintToleration'),
};
