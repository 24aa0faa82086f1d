// Warnings about accepted objects: kubectl shows them to the person who applies one. The sandbox says where nothing works on an object; it is no
// linter of the rest.
import { fieldsAt, textAt, type ApiObject } from '../objects/api-object.ts';
import type { DeleteOptions } from '../http/body.ts';
import type { ResourceRow } from '../rows/resource-row.ts';
import type { Version } from '../storage/version.ts';

const nothingWorksOn: ReadonlyMap<string, string> = new Map([
  ['Deployment.apps', 'the sandbox keeps this Deployment and runs no pods of it: no controller of it is there'],
  ['NetworkPolicy.networking.k8s.io', 'the sandbox keeps this network policy and cuts nothing off: its pods have no network'],
  ...['Mutating', 'Validating'].map(
    (name) =>
      [
        `${name}WebhookConfiguration.admissionregistration.k8s.io`,
        'the sandbox calls no webhooks: it keeps this configuration, which changes and refuses nothing',
      ] as const,
  ),
]);

/**
 * Of an object that was created or changed.
 * @param next as it is stored now
 * @param previous as it was, undefined for a new one
 */
export function warningsOf({ kind, group, isCustom, defined }: ResourceRow, next: ApiObject, previous?: Version): string[] {
  if (isCustom) return (previous && defined?.brokenRules(next, previous.object)) ?? [];
  if (kind === 'CustomResourceDefinition' && textAt(fieldsAt(next.spec, 'conversion'), 'strategy') === 'Webhook')
    return ['spec.conversion: the sandbox calls no webhooks: all versions show the fields that were written'];
  const warning = nothingWorksOn.get(`${kind}.${group}`);
  return warning === undefined ? [] : [warning];
}

/** Of a deletion, whether or not it then happens: batch/v1 keeps a Job's pods where nobody says what becomes of them. */
export function warningsOfDeletion({ kind, group }: ResourceRow, { policy }: DeleteOptions): string[] {
  if (kind !== 'Job' || group !== 'batch' || policy !== undefined) return [];
  return [
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  ];
}

/** So many characters of warnings are sent: clients have a limit for headers. */
const MOST_CHARACTERS = 4096;

/** The header that carries them, each once. Other characters than ASCII go as bytes of UTF-8; one with a control character is left out. */
export function warningHeader(warnings: readonly string[]): { Warning?: string } {
  let left = MOST_CHARACTERS;
  const told = [...new Set(warnings)].filter((text) => !/\p{Cc}/u.test(text) && (left -= text.length) >= 0);
  if (told.length === 0) return {};
  return { Warning: Buffer.from(told.map((text) => `299 - ${JSON.stringify(text)}`).join(', ')).toString('latin1') };
}
