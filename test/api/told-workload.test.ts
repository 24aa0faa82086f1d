// A workload of a kind that no build knows as the API tells it: its row alone says what there is to show.
import { expect, test } from '@jest/globals';
import { readableDetail, readableSummary, type Known } from '../../lib/api/told-workload.ts';
import { SilentTelemetry } from '../world/recording-telemetry.ts';
import { initialState } from '../../lib/reconciler/head/pass-state.ts';
import { aMadeUpKind, type Band } from '../kinds/band.ts';

const key = { cluster: 'local', kind: 'Band', namespace: 'default', name: 'quartet', uid: 'b' };
const band: Band = {
  metadata: { name: 'quartet', creationTimestamp: '2026-05-01T10:00:00Z' },
  spec: { players: 4 },
  status: { playing: 3 },
};
const record = { name: 'local', era: 0, manages: ['all-jobs'], namespaces: [], senders: [], budget: { writesPerSecond: 1, burst: 1 } };
const surroundings = { record: { ...record, version: 1 }, trouble: undefined, clusterStates: [], offsetMs: 0 };
const ports = { clock: { nowMs: () => 0 }, telemetry: new SilentTelemetry() };

function known(owner: Band): Known {
  const head = { key, era: 0, fence: '1', floor: '1', bornAtMs: 0, openedAtMs: 0, items: [] };
  const view = { owner: { heardAt: '1', deleted: false, object: owner }, children: new Map() };
  return { row: aMadeUpKind(), head, view, state: initialState() } as unknown as Known;
}

test('state, figures and fields are what its row tells', () => {
  expect(readableSummary(known(band), surroundings, ports as never)).toEqual({
    ...key,
    state: 'Waiting',
    reason: 'OutOfTune',
    players: 4,
    figures: [
      { name: 'playing', value: 3, of: 4 },
      { name: 'encores', value: 2, isMinor: true },
    ],
    creationTime: '2026-05-01T10:00:00Z',
    queued: false,
  });
});

test('where it ended, its own word for that stands; on a cluster that leaves it keeps its reasons', () => {
  const over: Band = { ...band, status: { state: 'Over' } };
  const leaving = { ...surroundings, record: { ...surroundings.record, leaving: true as const } };
  const detail = readableDetail(known(over), leaving, [], ports as never);
  expect(detail).toMatchObject({ state: 'Succeeded', reasons: [{ code: 'OutOfTune' }], status: { state: 'Over' }, conditions: [] });
  expect(readableDetail(known(band), leaving, [], ports as never).reasons).toMatchObject([{ code: 'ClusterLeaving' }]);
});
