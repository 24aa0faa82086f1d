// What the server takes and warns of: kubectl shows it to whoever applies such a thing.
import type { Container, Job, Pod, PodSpec } from '../objects/kubernetes.ts';
import { problemsOfDnsLabel } from '../objects/names.ts';
import { parseQuantity } from '../objects/quantity.ts';
import type { ApiObject } from './api-object.ts';
import type { ResourceRow } from './resource-row.ts';
import type { Version } from './version.ts';

/**
 * Of an object that was created or changed.
 * @param next as it is stored now
 * @param previous as it was, undefined for a new one
 */
export function warningsOf({ kind, group }: ResourceRow, next: ApiObject, previous?: Version): string[] {
  // People seldom change pods themselves.
  if (kind === 'Pod' && group === '') return previous ? [] : ofPodSpec((next as unknown as Pod).spec, 'spec');
  if (kind !== 'Job' || group !== 'batch') return [];
  const { metadata, spec } = next as unknown as Job;
  const ofTemplate = spec.template ? ofPodSpec(spec.template.spec, 'spec.template.spec') : [];
  if (previous) return previous.object.metadata.generation === metadata.generation ? [] : ofTemplate;
  const problems = problemsOfDnsLabel(metadata.name ?? '');
  const why = 'this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended';
  return [...(problems.length > 0 ? [`metadata.name: ${why}: [${problems.join(' ')}]`] : []), ...ofTemplate];
}

function ofPodSpec({ initContainers = [], containers }: PodSpec, path: string): string[] {
  return [
    ...initContainers.flatMap((container, at) => ofContainer(container, `${path}.initContainers[${at}]`)),
    ...containers.flatMap((container, at) => ofContainer(container, `${path}.containers[${at}]`)),
  ];
}

/** Amounts of what comes in bytes. */
const IN_BYTES = ['memory', 'ephemeral-storage'];

function ofContainer({ resources: { limits = {}, requests = {} } = {}, env = [] }: Container, path: string): string[] {
  const warnings: string[] = [];
  for (const resource of IN_BYTES)
    for (const [name, amounts] of Object.entries({ limits, requests })) {
      const amount = amounts[resource];
      if (amount === undefined || isWhole(amount)) continue;
      warnings.push(
        `${path}.resources.${name}[${resource}]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`,
      );
    }
  for (const [at, { name }] of env.entries())
    if (env.slice(0, at).some((earlier) => earlier.name === name))
      warnings.push(`${path}.env[${at}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`);
  return warnings;
}

const LARGEST_INT64 = 2n ** 63n - 1n;

/** In thousandths, as the server counts them: in 64 bits, of which the upper ones of a large amount are lost. */
function isWhole(amount: string | number): boolean {
  const { nanos } = parseQuantity(amount);
  return nanos <= LARGEST_INT64 * 10n ** 9n ? nanos % 10n ** 9n === 0n : BigInt.asIntN(64, nanos / 10n ** 6n) % 1000n === 0n;
}
