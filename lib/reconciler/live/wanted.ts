// Objects that a plan wants to see. The same pass reads them live before it intends anything.
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import { readKeyOf, sightKeyOf, type ReadWant, type SightWant, type Want } from '../../kinds/rows/plan.ts';
import type { Resource } from '../../objects/resources.ts';
import { NotFoundError, TerminalError } from '../../ports/errors.ts';
import type { Pass } from '../pass/pass.ts';

export const MOST_READS = 64;

/** Wanted objects that this pass has not read yet. The caller reads the owner (R10). */
export const unreadOf = (pass: Pass, wants: readonly Want[] = []): ReadWant[] =>
  wants.flatMap((want) => ('owner' in want || 'sight' in want || pass.known.read.has(readKeyOf(want, pass.key.namespace)) ? [] : [want]));

/** Wanted sights that this pass has not had yet. */
export const unseenOf = (pass: Pass, wants: readonly Want[] = []): SightWant[] =>
  wants.flatMap((want) => ('sight' in want && !pass.known.sights.has(sightKeyOf(want)) ? [want] : []));

/** A write to an object of this resource: what was read of such objects is out of date, whatever the outcome. */
export function forgetReads({ known: { read } }: Pass, { plural, apiVersion }: Resource): void {
  for (const key of read.keys()) if (key.startsWith(`${plural} ${apiVersion} `)) read.delete(key);
}

export async function readWants(pass: Pass, wants: readonly ReadWant[]): Promise<void> {
  for (const want of wants) pass.known.read.set(readKeyOf(want, pass.key.namespace), { objects: await readWant(pass, want) });
}

/** @returns undefined if there is no such object, or the API server serves no such resource */
async function readWant(
  pass: Pass,
  { resource, namespace = pass.key.namespace, name, fieldSelector, fields }: ReadWant,
): Promise<KubernetesObject[] | undefined> {
  try {
    if (name === undefined) {
      const selection = {
        ...(resource.namespaced && namespace !== '' && { namespace }),
        ...(fieldSelector !== undefined && { fieldSelector }),
        ...(fields && { fields }),
      };
      return (await pass.cluster.list<KubernetesObject>(resource, selection, pass.deadline)).items;
    }
    return [(await pass.cluster.get<KubernetesObject>(resource, { namespace, name }, pass.deadline, { fields })).object];
  } catch (error) {
    if (error instanceof NotFoundError || (error instanceof TerminalError && error.code === 404)) return undefined;
    throw error;
  }
}
