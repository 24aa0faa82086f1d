// A pod's quality-of-service class, from its resource requests and limits.
import type { Pod, PodSpec } from '../kubernetes.ts';
import { isQuantity, parseQuantity } from '../values/quantity.ts';
import type { Fields } from '../values/untyped-fields.ts';
import { fieldsOf } from '../values/untyped-fields.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const CLASSES: readonly QosClass[] = ['Guaranteed', 'Burstable', 'BestEffort'];

/**
 * `Guaranteed` if each of its parts asks for cpu and memory and may have exactly so much. `BestEffort` if none asks for either or has a
 * limit of them. The parts are its containers, or the pod itself where that asks for something.
 */
export function qosClassOf(spec: PodSpec): QosClass {
  const whole = fieldsOf(spec['resources']);
  const parts = asksForItself(whole)
    ? [whole]
    : [...spec.containers, ...(spec.initContainers ?? [])].map(({ resources }) => fieldsOf(resources));
  const [first = 'BestEffort', ...others] = new Set(parts.map(classOfPart));
  return others.length > 0 ? 'Burstable' : first;
}

/** The class in its status, even a wrong one, else the computed one. Undefined: the status says something else. */
export function podQosClassOf({ spec, status }: Pod): QosClass | undefined {
  const told = status?.['qosClass'] ?? '';
  return told === '' ? qosClassOf(spec) : CLASSES.find((name) => name === told);
}

const asksForItself = (whole: Fields): boolean =>
  [whole['requests'], whole['limits']].some((list) =>
    Object.keys(fieldsOf(list)).some((resource) => resource === 'cpu' || resource === 'memory' || resource.startsWith('hugepages-')),
  );

function classOfPart(part: Fields): QosClass {
  const [requests, limits] = [fieldsOf(part['requests']), fieldsOf(part['limits'])];
  const pairs = ['cpu', 'memory'].map((resource) => [nanosOf(requests[resource]), nanosOf(limits[resource])]);
  if (pairs.some(([request, limit]) => request !== limit)) return 'Burstable';
  const given = pairs.filter(([request]) => request !== 0n).length;
  return given === pairs.length ? 'Guaranteed' : given === 0 ? 'BestEffort' : 'Burstable';
}

const nanosOf = (value: unknown): bigint => (isQuantity(value) ? parseQuantity(value).nanos : 0n);
