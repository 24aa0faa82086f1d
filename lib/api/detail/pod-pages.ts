// The pods of one workload, page by page: a Job may have a hundred thousand.
import type { PodFacts } from '../../objects/pods/pod-facts.ts';
import { findPodState, podStandingOf, POD_STATES, type PodState } from '../../objects/detail/pod-standing.ts';
import { livingIn } from '../../reconciler/view/view.ts';
import { absenceOfParts } from './absent-parts.ts';
import type { Known } from './known.ts';
import { podSummaryOf, type PodSummary } from './pod-summary.ts';
import { comparePositions, placeOf, positionOf, type Position } from './pod-place.ts';

export interface PodChoice {
  states?: readonly PodState[];
  /** As the pod's label or annotation writes it. */
  index?: string;
  /** Replica type, whatever the case of its letters. */
  type?: string;
}

export interface PodPage {
  items: PodSummary[];
  /** Of all pages. */
  total: number;
  /** Of the whole workload, whatever is chosen. */
  counts: Partial<Record<PodState, number>>;
  /** Where the next page begins; absent on the last one. */
  next?: string;
}

/** @returns a sentence where `from` is not what an earlier page gave, or where no such pod can be */
export function podPage(
  known: Known,
  { states, index, type }: PodChoice,
  { limit, from, nowMs }: { limit: number; from?: string; nowMs: number },
): PodPage | string {
  const start = from === undefined ? undefined : positionIn(from);
  if (from !== undefined && !start) return '"continue" is not what an earlier answer gave: ask without it';
  const counts: PodPage['counts'] = {};
  const chosen: { pod: PodFacts; at: Position }[] = [];
  let total = 0;
  for (const pod of livingIn(known.view)) {
    const { state } = podStandingOf(pod);
    counts[state] = (counts[state] ?? 0) + 1;
    const place = placeOf(known, pod);
    if (states && !states.includes(state)) continue;
    if (index !== undefined && place.index !== index) continue;
    if (type !== undefined && place.type?.toLowerCase() !== type.toLowerCase()) continue;
    total += 1;
    const at = positionOf(known, pod);
    if (!start || comparePositions(start, at) < 0) chosen.push({ pod, at });
  }
  const absence = total === 0 ? absenceOfParts(known, { index, type }, nowMs) : undefined;
  if (absence !== undefined) return absence;
  chosen.sort((a, b) => comparePositions(a.at, b.at));
  const page = chosen.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(({ pod }) => podSummaryOf(known, pod, nowMs)),
    total,
    counts,
    ...(last && chosen.length > page.length && { next: textOf(last.at) }),
  };
}

const textOf = ({ type, index, name }: Position): string => Buffer.from(JSON.stringify([type, index, name])).toString('base64url');

function positionIn(text: string): Position | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (!Array.isArray(read) || read.length !== 3) return undefined;
    const [type, index, name] = read as unknown[];
    if (typeof type !== 'string' || typeof name !== 'string' || (typeof index !== 'number' && index !== null)) return undefined;
    return { type, index, name };
  } catch {
    return undefined;
  }
}

/** @returns the states, or a sentence */
export function podStatesIn(text: string): PodState[] | string {
  const words = text.split(',');
  const states = words.map(findPodState);
  const unknown = states.indexOf(undefined);
  if (unknown >= 0) return `there is no state ${JSON.stringify(words[unknown])} of pods: the states are ${POD_STATES.join(', ')}`;
  return states.filter((state) => state !== undefined);
}
