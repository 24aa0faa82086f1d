// Warnings about accepted objects: kubectl shows them to the person who applies one.
import { LARGEST_INT64 } from '../../objects/values/integers.ts';
import type { Container, Job, JobSpec, Pod, PodSpec } from '../../objects/kubernetes.ts';
import { problemsOfDnsLabel } from '../../objects/names.ts';
import { parseQuantity } from '../../objects/values/quantity.ts';
import { listAt, numberAt, textAt, type ApiObject, type Fields } from '../api-object.ts';
import { warningsOfDefinition } from '../definitions/definition-warnings.ts';
import type { DeleteOptions } from '../http/body.ts';
import { quoted } from './go-text.ts';
import { ofOverlaps } from './path-overlaps.ts';
import { warningsOfNodes, warningsOfPodAffinity } from './placement-warnings.ts';
import { warningsOfNetworks } from '../rows/network-policies.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import type { Version } from '../storage/version.ts';

/**
 * Of an object that was created or changed.
 * @param next as it is stored now
 * @param previous as it was, undefined for a new one
 */
export function warningsOf({ kind, group, isCustom, defined }: ResourceRow, next: ApiObject, previous?: Version): string[] {
  if (kind === 'CustomResourceDefinition') return warningsOfDefinition(next, previous?.object);
  if (isCustom) return [...ofFinalizers(next, previous), ...((previous && defined?.brokenRules(next, previous.object)) ?? [])];
  // People seldom change pods themselves.
  if (kind === 'Pod' && group === '') return previous ? [] : ofPodSpec((next as unknown as Pod).spec, 'spec');
  if (kind.endsWith('WebhookConfiguration'))
    return ['the sandbox calls no webhooks: it keeps this configuration, which changes and refuses nothing'];
  if (kind === 'NetworkPolicy' && group === 'networking.k8s.io')
    return [...warningsOfNetworks(next), 'the sandbox keeps this network policy and cuts nothing off: its pods have no network'];
  if (kind === 'Deployment' && group === 'apps')
    return [...ofTemplated(next, previous), 'the sandbox keeps this Deployment and runs no pods of it: no controller of it is there'];
  return kind === 'Job' && group === 'batch' ? ofTemplated(next, previous) : [];
}

/** Of what makes pods by a template. */
function ofTemplated(next: ApiObject, previous: Version | undefined): string[] {
  const { metadata, spec } = next as unknown as Job;
  if (previous) return previous.object.metadata.generation === metadata.generation ? [] : ofJobSpec(spec);
  const problems = problemsOfDnsLabel(metadata.name ?? '');
  const why = 'this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended';
  return [...(problems.length > 0 ? [`metadata.name: ${why}: [${problems.join(' ')}]`] : []), ...ofJobSpec(spec)];
}

const standardFinalizers = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Of finalizers that are new: those without a domain may be somebody else's too. */
function ofFinalizers({ metadata: { finalizers = [] } }: ApiObject, previous: Version | undefined): string[] {
  const before = previous?.object.metadata.finalizers ?? [];
  return finalizers
    .filter((finalizer) => !before.includes(finalizer) && !finalizer.includes('/') && !standardFinalizers.has(finalizer))
    .toSorted()
    .map((finalizer) => {
      const including = finalizer.includes('.') ? ' including a path (/)' : '';
      const why = `prefer a domain-qualified finalizer name${including} to avoid accidental conflicts with other finalizer writers`;
      return `metadata.finalizers: ${JSON.stringify(finalizer)}: ${why}`;
    });
}

/** Of a deletion, whether or not it then happens: batch/v1 keeps a Job's pods where nobody says what becomes of them. */
export function warningsOfDeletion({ kind, group }: ResourceRow, { policy }: DeleteOptions): string[] {
  if (kind !== 'Job' || group !== 'batch' || policy !== undefined) return [];
  return [
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  ];
}

/** The limit of all warnings of an answer, and of one where they are cut. */
const [MOST_CHARACTERS, MOST_CHARACTERS_CUT] = [4096, 256];

/**
 * The header that carries them: each once, cut where they would be too long. Other characters than ASCII go as bytes of UTF-8; one with a
 * control character is left out.
 */
export function warningHeader(warnings: readonly string[]): { Warning?: string } {
  const texts = [...new Set(warnings)].filter((text) => !/\p{Cc}/u.test(text));
  if (texts.length === 0) return {};
  const areTooMany = texts.reduce((sum, text) => sum + lengthOf(text), 0) > MOST_CHARACTERS;
  const told: string[] = [];
  let written = 0;
  for (const text of texts) {
    if (written >= MOST_CHARACTERS) break;
    const shown = areTooMany ? Array.from(text).slice(0, MOST_CHARACTERS_CUT).join('') : text;
    told.push(`299 - ${JSON.stringify(shown)}`);
    written += lengthOf(shown);
  }
  return { Warning: Buffer.from(told.join(', ')).toString('latin1') };
}

const lengthOf = (text: string): number => Array.from(text).length;

const MANY_INDEXES =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';

function ofJobSpec({ completionMode, completions = 0, parallelism = 0, template }: JobSpec): string[] {
  const areMany = completionMode === 'Indexed' && completions > 100_000 && parallelism > 10_000;
  return [...(areMany ? [`spec: ${MANY_INDEXES}`] : []), ...(template ? ofPodSpec(template.spec, 'spec.template.spec') : [])];
}

function ofPodSpec(spec: PodSpec, path: string): string[] {
  const { initContainers = [], containers } = spec;
  const all = [
    ...initContainers.map((container, at) => ({ container, at: `${path}.initContainers[${at}]` })),
    ...containers.map((container, at) => ({ container, at: `${path}.containers[${at}]` })),
  ];
  const why = 'must be >= 0; negative values are invalid and will be treated as 1';
  return [
    ...warningsOfNodes(spec, path),
    ...ofOverlaps(listAt(spec, 'volumes')),
    ...ofPullSecrets(listAt(spec, 'imagePullSecrets'), `${path}.imagePullSecrets`),
    ...all.flatMap(({ container, at }) => ofContainer(container, at)),
    ...ofPorts(all),
    ...(numberAt(spec, 'terminationGracePeriodSeconds') < 0 ? [`${path}.terminationGracePeriodSeconds: ${why}`] : []),
    ...warningsOfPodAffinity(spec, path),
  ];
}

function ofPullSecrets(secrets: readonly Fields[], path: string): string[] {
  const names = secrets.map((secret) => textAt(secret, 'name'));
  const seen = new Set<string>();
  const repeated = names.flatMap((name, at) => {
    if (seen.has(name)) return [`${path}[${at}].name: duplicate name ${quoted(name)}`];
    seen.add(name);
    return [];
  });
  return [...repeated, ...names.flatMap((name, at) => (name === '' ? [`${path}[${at}].name: invalid empty name ""`] : []))];
}

/** Those of all containers: they share the pod's address. */
function ofPorts(all: readonly { container: Container; at: string }[]): string[] {
  const first = new Map<string, string>();
  return all.flatMap(({ container, at }) =>
    listAt(container, 'ports').flatMap(({ containerPort, protocol, hostIP, hostPort }, place) => {
      const [key, own] = [JSON.stringify([containerPort, protocol, hostIP, hostPort]), `${at}.ports[${place}]`];
      const earlier = first.get(key);
      if (earlier !== undefined) return [`${own}: duplicate port definition with ${earlier}`];
      first.set(key, own);
      return [];
    }),
  );
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
  const names = new Set<string>();
  for (const [at, { name }] of env.entries()) {
    if (names.has(name))
      warnings.push(`${path}.env[${at}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`);
    names.add(name);
  }
  return warnings;
}

/** In thousandths, as the server counts them: in 64 bits, of which the upper ones of a large amount are lost. */
function isWhole(amount: string | number): boolean {
  const { nanos } = parseQuantity(amount);
  return nanos <= LARGEST_INT64 * 10n ** 9n ? nanos % 10n ** 9n === 0n : BigInt.asIntN(64, nanos / 10n ** 6n) % 1000n === 0n;
}
