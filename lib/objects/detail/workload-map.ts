// The parts of one workload at a glance: the states of a Job's indexes, the replicas of a training job.
import { shortSpan } from './short-span.ts';
import type { IndexLetter } from './packed-states.ts';
import type { PodState } from './pod-standing.ts';

/** An index out of the ordinary. */
export interface NotableIndex {
  index: number;
  state: IndexLetter;
  /** It runs far longer than those that succeeded. */
  lags?: true;
  /** How long its pod ran, or has run. */
  seconds?: number;
  exitCode?: number;
  /** The cluster's word. */
  reason?: string;
  pod: string;
}

export interface IndexStates {
  /** By index: the place of its letter. */
  codes: Uint8Array;
  /** Indexes that succeeded whose length is known. */
  measured: number;
  /** Of those. */
  medianSeconds?: number;
  /** The longest first. */
  lagging: readonly NotableIndex[];
  /** Failed, backing off, waiting, in this order. */
  notable: readonly NotableIndex[];
}

export interface Replica {
  index: number;
  /** By which the framework's logs speak of it; absent where that is not known before it runs. */
  rank?: number;
  state: PodState | 'NotStarted';
  /** The cluster's word. */
  reason?: string;
  pod?: string;
  restarts?: number;
  /** Of its latest end that was none of success. */
  exitCode?: number;
  fellFirst?: true;
}

export interface ReplicaType {
  type: string;
  wanted: number;
  /** By index. */
  replicas: readonly Replica[];
}

const NUMBERS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten'];
const MOST_NAMED = 3;

/**
 * `Three indexes run far longer than the others (median 41 s): 4711 for 47 min, 88 for 22 min, 9203 for 19 min.`
 * @param count of all; `lagging`: the first of them
 */
export function laggingText({
  count,
  lagging,
  medianSeconds = 0,
}: {
  count: number;
  lagging: readonly { index: number; seconds?: number }[];
  medianSeconds?: number | undefined;
}): string {
  const named = lagging.slice(0, MOST_NAMED).map(({ index, seconds = 0 }) => `${index} for ${shortSpan(seconds)}`);
  const others = count - named.length;
  const told = NUMBERS[count] ?? count.toLocaleString('en');
  const run = count === 1 ? 'index runs' : 'indexes run';
  return `${told} ${run} far longer than the others (median ${shortSpan(medianSeconds)}): ${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}.`;
}
