// Intents with unknown outcomes are looked up, never waited for (R4): first in the view, then live.
import type { Pod, WorkloadObject } from '../../objects/kubernetes.ts';
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import { PODS } from '../../objects/resources.ts';
import { NotFoundError } from '../../ports/errors.ts';
import type { PodEntry, ViewPart } from '../../wire/words/observations.ts';
import type { Pass } from '../pass/pass.ts';
import type { Child, ChildOrUid } from '../head/pass-state.ts';
import { hasIntents, NO_INTENTS, type Intents } from '../head/pass-state.ts';

/** More unknown outcomes than this are looked up with one list. */
const MOST_LOOKUPS = 5;

/** Afterwards no intent of an earlier pass is open: each was seen done, was seen not done, or was carried out by another writer. */
export async function settle(pass: Pass): Promise<void> {
  const { intents } = pass.pending.state;
  if (!hasIntents(intents)) return;
  if (!pass.known.listed) {
    const open = openIntents(pass);
    const count = open.creates.length + open.pods.length;
    if (count > MOST_LOOKUPS || open.unknown > 0) await pass.known.children.pods?.list();
    else {
      if (open.creates.length > 0 && !pass.known.owner) await pass.known.readOwner();
      const owner = pass.known.owner;
      for (const child of open.creates) if (owner) await lookUp(pass, owner, child);
      for (const pod of open.pods) await pass.known.children.pods?.readAgain(pod.uid);
    }
  }
  pass.pending.state = {
    ...pass.pending.state,
    intents: stillOpen(pass),
    ordinal: Math.max(lowestFreeNumber(pass), numberAfterVanished(pass)),
  };
}

/**
 * Looks up creates without an answer at once, even if the children were listed before the creates were sent. The outcomes of all other
 * intents are known: done, refused, or not sent.
 * @returns the creates whose pods are missing
 */
export async function settleCreates<Create extends { child: Child }>(pass: Pass, creates: readonly Create[]): Promise<Create[]> {
  if (creates.length > MOST_LOOKUPS) await pass.known.children.pods?.list();
  else {
    const { owner } = pass.known.live ?? (await pass.known.readOwner());
    for (const { child } of creates) await lookUp(pass, owner, child);
  }
  const entryOf = childFinder(pass);
  const missing = creates.filter(({ child }) => entryOf(child) === undefined);
  pass.pending.unanswered.push(...missing.map(({ child }) => child));
  pass.pending.state = { ...pass.pending.state, intents: stillOpen(pass), ordinal: lowestFreeNumber(pass) };
  return missing;
}

/** Intents that a pass may not settle although it has looked. The next pass looks again. */
export const stillOpen = ({
  pending: {
    unanswered,
    state: { intents },
  },
}: Pass): Intents => (unanswered.length === 0 ? NO_INTENTS : { ...NO_INTENTS, atMs: intents.atMs, create: [...unanswered] });

/**
 * Above the numbers of pods that were to be deleted or stripped and have vanished. They had been seen, so their names are taken (R5). A pod
 * that was to be created may have come and gone: under a name that is used again, only its number tells it from the next one.
 */
function numberAfterVanished(pass: Pass): number {
  const entryOf = childFinder(pass);
  const { create, delete: deletes, strip } = pass.pending.state.intents;
  let lowest = 0;
  for (const child of [...deletes, ...strip, ...(pass.facts.pods?.namesAreReused ? create : [])])
    if (typeof child !== 'string' && entryOf(child) === undefined) lowest = Math.max(lowest, child.number + 1);
  return lowest;
}

function openIntents(pass: Pass): { creates: Child[]; pods: PodFacts[]; unknown: number } {
  const { intents } = pass.pending.state;
  const entryOf = childFinder(pass);
  const creates = intents.create.filter((child) => entryOf(child) === undefined);
  const pods: PodFacts[] = [];
  let unknown = 0;
  const look = (child: ChildOrUid, isOpen: (entry: PodEntry) => boolean): void => {
    const entry = entryOf(child);
    if (!entry) unknown += 1;
    else if (isOpen(entry)) pods.push(entry.child);
  };
  for (const child of intents.delete) look(child, ({ presence, child: pod }) => presence === 'there' && pod.deletedAt === undefined);
  for (const child of intents.strip) look(child, ({ presence, child: pod }) => presence === 'there' && pod.tracked);
  return { creates, pods, unknown };
}

function childFinder(pass: Pass): (child: ChildOrUid) => PodEntry | undefined {
  const byChild = new Map<string, PodEntry>();
  for (const [uid, entry] of pass.known.view.children) {
    const child = pass.known.childOf(entry.child);
    byChild.set(uid, entry);
    if (typeof child !== 'string') byChild.set(`${child.slot} ${child.number}`, entry);
  }
  return (child) => byChild.get(typeof child === 'string' ? child : `${child.slot} ${child.number}`);
}

/**
 * Looks up a create with an unknown outcome, by its computed name. A pod of ours is merged. The planner decides about a foreign pod of that
 * name.
 */
async function lookUp(pass: Pass, owner: WorkloadObject, { slot, number }: Child): Promise<void> {
  const name = pass.facts.pods?.nameOf(owner, { slot, number });
  if (name === undefined) return;
  try {
    const { object } = await pass.cluster.get<Pod>(
      PODS,
      { namespace: pass.key.namespace, name },
      pass.deadline,
      pass.known.podReader.reading,
    );
    pass.known.observePod(object);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
  }
}

/** Above every number that a vanished child was seen to hold, in this pass or an earlier one (R5). */
export function lowestFreeNumber({ known: { view }, pending: { state } }: Pass): number {
  let lowest = state.ordinal;
  for (const { presence, child } of view.children.values())
    if (presence !== 'there' && child.number !== undefined) lowest = Math.max(lowest, child.number + 1);
  return lowest;
}

/**
 * Above the numbers of pods that this pass observed and that a younger list, reported meanwhile, does not name (R5). The view does not
 * accept them any more, so not even a tombstone shows that they existed.
 * @param kept the view after this pass's observations are merged into it
 */
export function numberAfterDropped({ known: { observations } }: Pass, kept: ViewPart | undefined): number {
  let lowest = 0;
  if (kept)
    for (const { child } of observations.own.children)
      if (child.number !== undefined && !kept.children.has(child.uid)) lowest = Math.max(lowest, child.number + 1);
  return lowest;
}
