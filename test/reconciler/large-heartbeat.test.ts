// A heartbeat that tells of as many workloads as one holds.
import { expect, test } from '@jest/globals';
import { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import { EmbeddedStore } from '../../lib/adapters/embedded/store.ts';
import { VirtualClock } from '../world/virtual-clock.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { learnFromHeartbeat, readMarker } from '../../lib/reconciler/cluster/heartbeats.ts';
import { FUNCTION_SECONDS } from '../../lib/reconciler/head/timeouts.ts';
import type { EventMessage, Heartbeat } from '../../lib/wire/words/observations.ts';
import { RECORD } from './demo-view.ts';

const WORKLOADS = 2_000;
/** What the table and the queue take to answer. */
const ANSWERS_AFTER_MS = 6;

/** The port, answering after so long. */
function slow<Port extends object>(port: Port, clock: VirtualClock): Port {
  return new Proxy(port, {
    get: (target, property) => {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function') return member;
      return async (...args: unknown[]): Promise<unknown> => {
        await clock.wait(ANSWERS_AFTER_MS);
        return (await Reflect.apply(member, target, args)) as unknown;
      };
    },
  });
}

test('R1: after the table was lost, two thousand workloads begin anew by one heartbeat in a fraction of what a function may take', async () => {
  const clock = new VirtualClock();
  const store = EmbeddedStore.open({ clock });
  const queue = EmbeddedQueue.open({ clock });
  const record = { ...RECORD, kubeSystemUid: 'uid-of-kube-system' };
  const silent = (): void => {};
  const ports = {
    clock,
    store: slow(store, clock),
    queue: slow(queue, clock),
    telemetry: { debug: silent, info: silent, warn: silent, error: silent, count: silent },
  } as unknown as Ports;
  const sender = { cluster: 'west', session: 'a', sequence: 1, era: 0, kubeSystemUid: record.kubeSystemUid };
  const message: EventMessage = { ...sender, sentAtMs: clock.nowMs(), reports: [] };
  const digests = Array.from({ length: WORKLOADS }, (_, at) => ({
    owner: { kind: 'Job', namespace: 'default', name: `job-${at}`, uid: `uid-${at}` },
    digest: '0123456789abcdef',
    heardAt: '5',
  })) as Heartbeat['digests'];
  const state = { isKept: false };
  const learnt = learnFromHeartbeat(ports, record, message, { watches: [], clockOffsetMs: 0, digests }).then(() => (state.isKept = true));
  for (let ms = 0; !state.isKept && ms < (FUNCTION_SECONDS * 1000) / 4; ms += ANSWERS_AFTER_MS) await clock.advance(ANSWERS_AFTER_MS);
  expect(state).toEqual({ isKept: true });
  await learnt;
  expect((await queue.depth('wakes')).visible).toBe(WORKLOADS);
  expect((await readMarker({ store }, 'west'))?.marker.session).toBe('a');
  store.close();
  queue.close();
});
