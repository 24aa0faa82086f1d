// Stories of ensembles. A run of one takes some virtual seconds.
import { TEST_ROWS } from '../../../world/kinds/table.ts';
import type { Ensemble } from '../../../world/kinds/ensemble/ensemble.ts';
import type { FateOf } from '../../kubelet.ts';
import type { Scenario } from '../../scenario.ts';
import {
  change,
  disband,
  form,
  formWithLeftovers,
  muddleOrder,
  removePod,
  removeService,
  serviceIsReached,
  takeSeat,
  takeService,
  unlabelService,
} from './acts.ts';

/** Of these every single fault is enumerated before each change is taken; of the others, before a release. */
export const ENSEMBLE_CORE_STORIES: readonly string[] = ['ensemble'];

const isOf = (role: string, { metadata: { name = '' } }: { metadata: { name?: string } }): boolean => name.includes(`-${role}-`);

/** Strings end after so long, with this code; winds play until they are stopped. */
const strings =
  (runsMs: number, exitCodeOf: (nth: number) => number = () => 0): FateOf =>
  (pod, nth) => ({ startsAfterMs: 300, runsMs, exitCode: isOf('winds', pod) ? undefined : exitCodeOf(nth) });
const forEver: FateOf = () => ({ startsAfterMs: 300, runsMs: 0, exitCode: undefined });

const WEST = ['west'];
const story = (of: Omit<Scenario, 'clusters' | 'rows'>): Scenario => ({ clusters: WEST, rows: TEST_ROWS, ...of });
const two: Ensemble['spec'] = { strings: 1, winds: 1 };

export const ENSEMBLE_STORIES: readonly Scenario[] = [
  story({
    name: 'ensemble',
    acts: [{ atMs: 1_000, act: form('a', { strings: 2, winds: 1 }) }],
    fateOf: strings(3_000),
    ends: { a: { end: 'Complete' } },
    withinMs: 6_700,
  }),
  story({
    name: 'ensemble-restarts',
    acts: [{ atMs: 1_000, act: form('a', two) }],
    fateOf: strings(2_000, (nth) => (nth === 0 ? 1 : 0)),
    ends: { a: { end: 'Complete', failed: 1 } },
    withinMs: 8_800,
  }),
  story({
    name: 'ensemble-fails',
    acts: [{ atMs: 1_000, act: form('a', { strings: 1, winds: 1, restartLimit: 1 }) }],
    fateOf: strings(1_500, () => 1),
    ends: { a: { end: 'Failed' } },
    withinMs: 7_300,
  }),
  story({
    name: 'ensemble-scaled',
    acts: [
      { atMs: 1_000, act: form('a', { strings: 1, winds: 2 }) },
      { atMs: 4_000, act: change('a', { winds: 1 }) },
      { atMs: 8_000, act: change('a', { winds: 2 }) },
    ],
    fateOf: strings(14_000),
    ends: { a: { end: 'Complete' } },
    withinMs: 22_500,
  }),
  story({
    name: 'ensemble-suspended',
    acts: [
      { atMs: 1_000, act: form('a', two) },
      { atMs: 3_500, act: change('a', { suspend: true }) },
      { atMs: 9_000, act: change('a', { suspend: false }) },
    ],
    fateOf: strings(4_000),
    ends: { a: { end: 'Complete' } },
    withinMs: 19_600,
  }),
  story({
    name: 'ensemble-service-deleted',
    acts: [
      { atMs: 1_000, act: form('a', two) },
      { atMs: 4_000, act: removeService('a-winds-0') },
    ],
    fateOf: strings(8_000),
    ends: { a: { end: 'Complete' } },
    withinMs: 13_800,
  }),
  story({
    name: 'ensemble-unlabelled',
    acts: [
      { atMs: 1_000, act: form('a', two) },
      { atMs: 4_000, act: unlabelService('a-strings-0') },
      { atMs: 5_000, act: serviceIsReached('a-winds-0', '192.0.2.1') },
      { atMs: 7_000, act: muddleOrder('a') },
    ],
    fateOf: forEver,
    ends: { a: { end: 'steady' } },
    withinMs: 10_200,
  }),
  story({
    name: 'ensemble-seat-taken',
    acts: [
      { atMs: 400, act: takeSeat('a-strings-0') },
      { atMs: 500, act: takeService('a-strings-0', 'a') },
      { atMs: 1_000, act: form('a', two) },
      { atMs: 5_900, act: removeService('a-strings-0') },
      { atMs: 6_000, act: removePod('a-strings-0') },
    ],
    fateOf: (pod, nth) => (pod.metadata.ownerReferences ? strings(2_000)(pod, nth) : forEver(pod, nth)),
    ends: { a: { end: 'Complete' } },
    withinMs: 16_200,
  }),
  story({
    name: 'ensemble-leftovers',
    acts: [{ atMs: 1_000, act: formWithLeftovers('a', two) }],
    fateOf: strings(36_000),
    ends: { a: { end: 'Complete' } },
    withinMs: 55_000,
    // A function whose clock is another one waits for as much longer until no older pass can be sending (R1).
    isForStormsOnly: true,
    struckAt: (_, fault) => !['clockIsAhead', 'clockIsBehind', 'ownerIsRecreated'].includes(fault),
  }),
  story({
    name: 'ensemble-pod-deleted',
    acts: [
      { atMs: 1_000, act: form('a', two) },
      { atMs: 4_000, act: removePod('a-winds-0') },
    ],
    fateOf: strings(9_000),
    ends: { a: { end: 'Complete' } },
    withinMs: 15_200,
  }),
  story({
    name: 'ensemble-disbanded',
    acts: [
      { atMs: 1_000, act: form('a', two) },
      { atMs: 4_000, act: disband('a') },
    ],
    fateOf: strings(20_000),
    ends: { a: { end: 'gone' } },
    withinMs: 5_800,
  }),
];
