// Small pieces of the environments that frameworks give their pods.
import { ClusterSpecError, type Terms } from '../terms/framework.ts';
import type { EnvVar } from '../../../objects/kubernetes.ts';
import { nameOfSlot } from '../names/slots.ts';
import { portOf, replicasOf } from '../terms/terms.ts';

export const variable = (name: string, value: string | number): EnvVar => ({ name, value: String(value) });

export const UNBUFFERED = variable('PYTHONUNBUFFERED', 1);

/** The framework's port of that type. @throws ClusterSpecError with this text if its container has none */
export function portNeeded(terms: Terms, type: string, otherwise: string): number {
  const port = portOf(terms, replicasOf(terms, type));
  if (port === undefined) throw new ClusterSpecError(otherwise);
  return port;
}

export const namesOf = ({ name }: Terms, type: string, count: number): string[] =>
  Array.from({ length: Math.max(count, 0) }, (_, index) => nameOfSlot(name, { type, index }));
