// Plans an action of a person on a workload: its effect in words, and the writes that it takes. Reads, and changes nothing.
import { createHash } from 'node:crypto';
import type { KindActions, Scaling } from '../../kinds/acting/kind-actions.ts';
import type { KubernetesObject, WorkloadObject } from '../../objects/kubernetes.ts';
import type { Resource } from '../../objects/resources.ts';
import { PODS } from '../../objects/resources.ts';
import { fieldsOf, textOf, type Fields } from '../../objects/values/untyped-fields.ts';
import { TerminalError } from '../../ports/errors.ts';
import type { WantedAction } from '../../wire/words/action-words.ts';
import { podsText, wordOf, type Asking } from './asked-workload.ts';
import { drainOf } from './node-drain.ts';
import type { PlannedAction } from './planned-action.ts';

/** From so many running pods on, a person types the name of what is deleted. */
const NAME_FROM_PODS = 10;
/** The longest part of a name that is kept for a retry: names of pods are longer than their owner's. */
const LONGEST_BASE = 40;
export const RETRY_OF = 'farloop.dev/retry-of';
/** Marks the new workload as this very retry's. */
export const RETRY_TOKEN = 'farloop.dev/retry-token';

/** It stands in a way in which that cannot be done. */
export const refusedFor = (sentence: string): TerminalError => new TerminalError(sentence, { code: 409 });

/** @param digest of the token, for the name of a retry; undefined: none was given, so that name is not known yet. @throws TerminalError it cannot be done, and why; with code 409 where it is for how the workload stands */
export async function plannedAction(
  asking: Asking,
  owner: WorkloadObject,
  wanted: WantedAction,
  digest: string | undefined,
): Promise<PlannedAction> {
  const { facts, record } = asking;
  const name = owner.metadata.name ?? '';
  const word = wordOf(facts, name);
  if (wanted.action === 'drain') return await drainOf(asking, owner, wanted);
  const { actions } = facts;
  if (!actions)
    throw new TerminalError(
      `${word} cannot be acted on${facts.nodes ? ' but drained' : ''}: no person writes or ends a ${facts.kind} by itself`,
    );
  if (!facts.isManaged(owner, record.manages))
    throw new TerminalError(
      `${word} is not managed by Farloop on ${record.name}: its manager is ${facts.managerOf(owner) ?? "the cluster's own controller"}`,
    );
  const isGoing = owner.metadata.deletionTimestamp !== undefined;
  if (isGoing && wanted.action !== 'delete') throw refusedFor(`${word} is being deleted: nothing else can be done with it`);
  switch (wanted.action) {
    case 'suspend':
    case 'resume':
      return suspensionOf(asking, owner, actions, wanted.action === 'suspend');
    case 'scale':
      return scalingOf(asking, owner, actions, wanted);
    case 'retry':
      return retryOf(asking, owner, actions, { isInPart: wanted.indexes === 'failed', digest });
    case 'delete':
      return await deletionOf(asking, owner, isGoing);
  }
}

function suspensionOf({ facts }: Asking, owner: WorkloadObject, { suspension }: KindActions, suspend: boolean): PlannedAction {
  const name = owner.metadata.name ?? '';
  const word = wordOf(facts, name);
  if (!suspension) throw new TerminalError(`${word} cannot be suspended: a ${facts.kind} has no field for that`);
  const button = `${suspend ? 'Suspend' : 'Resume'} ${name}`;
  if (suspension.isSuspended(owner) === suspend) {
    const text = suspend ? `${word} is suspended already.` : `${word} is not suspended.`;
    return { text: [text], button, doneText: text };
  }
  if (facts.isFinished(owner)) throw refusedFor(`${word} has ended: there is nothing to ${suspend ? 'suspend' : 'resume'}`);
  const [running, started] = [suspension.running(owner), suspension.started(owner)];
  const writes = { by: 'patch' as const, patch: suspension.patchOf(suspend) };
  if (!suspend)
    return { text: [`${podsText(started)} ${started === 1 ? 'is' : 'are'} started.`], button, doneText: `${word} is resumed.`, writes };
  const ends =
    running === 0
      ? 'No pod of it runs.'
      : `${podsText(running)} ${running === 1 ? 'is' : 'are'} ended; what ${running === 1 ? 'it has' : 'they have'} not saved is lost.`;
  return { text: [ends, `Resume starts ${started} anew.`], button, endingPods: running, doneText: `${word} is suspended.`, writes };
}

function scalingOf(
  { facts }: Asking,
  owner: WorkloadObject,
  { scalingOf: scale, suspension }: KindActions,
  wanted: { replicas: number; type?: string },
): PlannedAction {
  const name = owner.metadata.name ?? '';
  const word = wordOf(facts, name);
  if (!scale) throw new TerminalError(`${word} cannot be scaled: a ${facts.kind} has no number of replicas`);
  const scaling = scale(owner, wanted);
  if (typeof scaling === 'string') throw new TerminalError(`${word} cannot be scaled so: ${scaling}`);
  const { patch, of, from, to } = scaling;
  const button = `Scale to ${to}`;
  if (from === to) return { text: [`It has ${to} ${of} already.`], button, doneText: `${word} has ${to} ${of} already.` };
  if (facts.isFinished(owner)) throw refusedFor(`${word} has ended: there is nothing to scale`);
  const isSuspended = suspension?.isSuspended(owner) === true;
  const { text, endingPods } = isSuspended ? { text: 'it is suspended, so no pod starts or ends now.' } : scaledText(scaling);
  return {
    text: [`${of.charAt(0).toUpperCase()}${of.slice(1)} ${from} → ${to}: ${text}`],
    button,
    ...(endingPods !== undefined && { endingPods }),
    doneText: `${word} has ${to} ${of} now, not ${from}.`,
    writes: { by: 'patch', patch },
  };
}

function scaledText({ from, to, ending, pods = Math.abs(to - from), bound }: Scaling): { text: string; endingPods?: number } {
  if (to > from) return { text: `${pods === 0 ? 'no more run' : `${pods} more may run`}${bound === undefined ? '' : `: ${bound}`}.` };
  if (pods === 0) return { text: 'none that runs ends.' };
  const [first = '', ...others] = ending ?? [];
  const those = ending ? (others.length === 0 ? first : `${first} to ${others.at(-1)}`) : `${pods} of them`;
  return { text: `${those} ${pods === 1 ? 'ends' : 'end'}; what was not saved is lost.`, endingPods: pods };
}

function retryOf(
  { facts }: Asking,
  owner: WorkloadObject,
  { copyOf, remainderOf, suspension }: KindActions,
  { isInPart, digest }: { isInPart: boolean; digest: string | undefined },
): PlannedAction {
  const { name = '', uid = '' } = owner.metadata;
  const word = wordOf(facts, name);
  if (!facts.isFinished(owner)) throw refusedFor(`${word} has not ended: retry makes a new one beside an ended one, so wait, or delete it`);
  const remainder = remainderOf?.(owner) ?? `a ${facts.kind} has no parts that can be retried alone`;
  if (isInPart && (typeof remainder === 'string' || !suspension)) {
    const why = typeof remainder === 'string' ? remainder : 'it cannot be suspended while they are chosen';
    throw refusedFor(`${word} cannot be retried in part: ${why}`);
  }
  const created = retryName(name, digest);
  const copy = copyOf(owner);
  const { resource } = facts;
  const object: WorkloadObject = {
    ...copy,
    apiVersion: resource.apiVersion,
    kind: resource.kind,
    metadata: {
      ...copy.metadata,
      name: created,
      annotations: { ...copy.metadata.annotations, [RETRY_OF]: `${name}/${uid}`, [RETRY_TOKEN]: digest ?? '' },
    },
  };
  const partly = isInPart && typeof remainder === 'object' && suspension ? { ...remainder, suspension } : undefined;
  const whole = typeof remainder === 'object' ? `all ${remainder.total} ${remainder.of}` : 'all of it';
  const part = partly && `the ${partly.open} of ${partly.total} ${partly.of} alone that did not succeed`;
  return {
    text: [`A new ${facts.kind} ${created} is made: ${part ?? whole}. This one stays.`],
    button: partly ? `Retry ${partly.open} ${partly.of}` : `Retry ${name}`,
    ...(digest !== undefined && { created }),
    doneText: `${wordOf(facts, created)} is made, which does ${part ?? whole} of ${word}.`,
    writes: partly
      ? {
          by: 'create',
          object: merged(object, partly.suspension.patchOf(true)),
          remaining: { status: { status: partly.status }, goOn: partly.suspension.patchOf(false) },
        }
      : { by: 'create', object },
  };
}

/** One name for a token, so that the same retry again finds what it has made. A retry of a retry is called as the first one, but for its end. */
function retryName(name: string, digest: string | undefined): string {
  const base = name
    .replace(/-retry-[0-9a-f]{6}$/, '')
    .slice(0, LONGEST_BASE)
    .replace(/[-.]$/, '');
  if (digest === undefined) return `${base}-retry-…`;
  return `${base}-retry-${createHash('sha256').update(digest).digest('hex').slice(0, 6)}`;
}

/** As a merge patch without nulls would. */
function merged<Into extends object>(into: Into, patch: object): Into {
  const result: Fields = { ...fieldsOf(into) };
  for (const [field, value] of Object.entries(patch))
    result[field] = typeof value === 'object' && value !== null && !Array.isArray(value) ? merged(fieldsOf(result[field]), value) : value;
  return result as Into;
}

async function deletionOf(asking: Asking, owner: WorkloadObject, isGoing: boolean): Promise<PlannedAction> {
  const { facts, record } = asking;
  const { namespace = '', name = '', uid = '' } = owner.metadata;
  const word = wordOf(facts, name);
  const key = { cluster: record.name, kind: facts.kind, namespace, name, uid };
  const [pods, ...others] = await Promise.all([
    facts.pods ? ownedBy(asking, owner, PODS, facts.pods.selection(key, owner)) : [],
    ...facts.children
      .filter(({ isUsed }) => isUsed?.(record) ?? true)
      .map(async (child) => ({
        resource: child.resource,
        items: await ownedBy(asking, owner, child.resource, child.selection(key, owner)),
      })),
  ]);
  const active = pods.filter((pod) => !['Succeeded', 'Failed'].includes(textOf(fieldsOf(fieldsOf(pod)['status'])['phase']))).length;
  const parts = [
    ...(pods.length > 0 ? [`${podsText(pods.length)}, ${active} of them not ended`] : []),
    ...others.flatMap(({ resource: { kind, plural }, items }) =>
      items.length === 0 ? [] : [items.length === 1 ? `1 ${kind.toLowerCase()}` : `${items.length} ${plural}`],
    ),
  ];
  const goes = parts.length === 0 ? 'Nothing else goes with it.' : `Goes with it: ${parts.join('; ')}.`;
  return {
    text: [...(isGoing ? [`${word} is being deleted already.`] : []), goes, 'Its passes are kept for 7 days.'],
    button: pods.length === 0 ? `Delete ${name}` : `Delete ${podsText(pods.length)}`,
    endingPods: active,
    ...(active >= NAME_FROM_PODS && { needsName: true }),
    doneText: isGoing ? `${word} is being deleted already.` : `${word} is deleted.`,
    ...(!isGoing && { writes: { by: 'delete' } }),
  };
}

const OWNED_FIELDS = { metadata: { name: true, uid: true, ownerReferences: true }, status: { phase: true } };

async function ownedBy(
  { cluster, deadline }: Asking,
  { metadata: { namespace = '', uid = '' } }: WorkloadObject,
  resource: Resource,
  selection: { labelSelector: string } | { fieldSelector: string },
): Promise<KubernetesObject[]> {
  const place = resource.namespaced ? { namespace } : {};
  const { items } = await cluster.list<KubernetesObject>(resource, { ...place, ...selection, fields: OWNED_FIELDS }, deadline);
  return items.filter(({ metadata: { ownerReferences = [] } }) => ownerReferences.some((reference) => reference.uid === uid));
}
