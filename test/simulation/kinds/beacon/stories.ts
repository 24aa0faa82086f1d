// Stories of beacons: owners without a namespace and without children. All that can go wrong is in their status, or in what is known of them.
import type { WorkloadObject } from '../../../../lib/objects/kubernetes.ts';
import { BEACONS, type Beacon } from '../../../world/kinds/beacon/beacon.ts';
import { TEST_ROWS } from '../../../world/kinds/table.ts';
import type { SimApiServer } from '../../api-server.ts';
import type { Scenario } from '../../scenario.ts';
import type { HandsOfKind } from '../table.ts';

type Act = (api: SimApiServer) => Promise<unknown>;

const build =
  (name: string): Act =>
  (api) =>
    api.as('POST', BEACONS, { body: { apiVersion: BEACONS.apiVersion, kind: BEACONS.kind, metadata: { name }, spec: { isLit: false } } });

const light =
  (name: string, isLit: boolean): Act =>
  (api) =>
    api.as('PATCH', BEACONS, { name, body: { spec: { isLit } }, type: 'application/merge-patch+json' });

const demolish =
  (name: string): Act =>
  (api) =>
    api.as('DELETE', BEACONS, { name, body: { kind: 'DeleteOptions', apiVersion: 'v1' } });

const story = (of: Pick<Scenario, 'name' | 'acts' | 'ends' | 'withinMs'>): Scenario => ({
  clusters: ['west'],
  rows: TEST_ROWS,
  fateOf: () => ({ startsAfterMs: 0, runsMs: 0, exitCode: undefined }),
  ...of,
});

export const BEACON_STORIES: readonly Scenario[] = [
  story({
    name: 'beacon',
    acts: [
      { atMs: 1_000, act: build('a') },
      { atMs: 2_500, act: light('a', true) },
    ],
    ends: { a: { end: 'steady' } },
    withinMs: 3_600,
  }),
  story({
    name: 'beacon-demolished',
    acts: [
      { atMs: 1_000, act: build('a') },
      { atMs: 1_000, act: build('b') },
      { atMs: 2_500, act: demolish('a') },
      // The story goes on, so that faults strike the end of the other one.
      { atMs: 4_000, act: light('b', true) },
    ],
    ends: { a: { end: 'gone' }, b: { end: 'steady' } },
    withinMs: 6_000,
  }),
];

export const BEACON_CORE_STORIES: readonly string[] = ['beacon', 'beacon-demolished'];

/** It shows what its spec says. */
export const isSteady = (owner: WorkloadObject): boolean => {
  const { spec, status } = owner as Beacon;
  return status?.phase === (spec.isLit ? 'Lit' : 'Dark');
};

export const BEACON_HANDS: HandsOfKind = {};
