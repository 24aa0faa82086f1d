// The leases of virtual nodes, as a relay keeps them: of which nodes, how long, and what goes wrong.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Node } from '../../lib/objects/kubernetes.ts';
import { LEASES, leaseOf, NODE_LEASES, type Lease } from '../../lib/objects/placement/lease.ts';
import { NODES } from '../../lib/objects/resources.ts';
import { LeaseKeeper } from '../../lib/relay/leases.ts';
import { RecordingTelemetry } from '../world/recording-telemetry.ts';
import { NodesWorld } from '../world/virtual-node.ts';
import { NODE_OPTIONS } from '../../lib/kinds/virtual-pod/node-options.ts';

let world: NodesWorld;
let telemetry: RecordingTelemetry;
let ending: AbortController;
beforeEach(async () => {
  telemetry = new RecordingTelemetry();
  ending = new AbortController();
  world = await NodesWorld.open({ options: { [NODE_OPTIONS.node]: 'edge=simulated far=simulated' } });
  for (const name of ['edge', 'far']) {
    const { metadata } = await world.as<Node>('GET', NODES, { name });
    await world.as('POST', LEASES, { namespace: NODE_LEASES, body: leaseOf({ name, uid: metadata.uid ?? '' }, world.clock.nowMs()) });
  }
});
afterEach(() => {
  ending.abort();
  world.close();
});

function keeperOf(nodes: readonly string[], signal = ending.signal): LeaseKeeper {
  const keeper = new LeaseKeeper({ cluster: world.cluster, clock: world.clock, telemetry, name: 'prod', nodes: new Set(nodes) });
  void keeper.run(signal);
  return keeper;
}
const leaseNamed = async (name: string): Promise<Lease> => await world.as<Lease>('GET', LEASES, { namespace: NODE_LEASES, name });
const ageSeconds = async (name: string): Promise<number> =>
  (world.clock.nowMs() - Date.parse((await leaseNamed(name)).spec?.renewTime ?? '')) / 1_000;
const warnings = (): string[] => telemetry.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
const elapse = async (seconds: number): Promise<void> => await world.elapse(seconds, { play: false });

describe('R16: a lease', () => {
  test('VN 86: is renewed every 10 s for as long as was asked for, and then no more', async () => {
    const keeper = keeperOf(['edge']);
    await keeper.keep(['edge'], 100);
    for (let at = 0; at < 9; at += 1) {
      await elapse(10);
      expect(await ageSeconds('edge')).toBeLessThan(12);
    }
    await elapse(60);
    expect(await ageSeconds('edge')).toBeGreaterThan(40);
    expect(warnings()).toEqual(['the lease of a virtual node is not renewed any more: nobody says that it is well']);
    expect((await leaseNamed('edge')).spec).toMatchObject({ holderIdentity: 'edge', leaseDurationSeconds: 40 });
  });

  test('is kept for five minutes at most, whatever is asked for', async () => {
    await keeperOf(['edge']).keep(['edge'], 86_400);
    await elapse(340);
    expect(await ageSeconds('edge')).toBeGreaterThan(20);
  });

  test('R15: of a node that the relay was not started with is never touched, whoever asks', async () => {
    const { metadata } = await leaseNamed('far');
    await keeperOf(['edge']).keep(['edge', 'far', 'kubelet-1'], 100);
    await elapse(30);
    expect((await leaseNamed('far')).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  test('that somebody else wrote, or made anew, is renewed all the same', async () => {
    await keeperOf(['edge']).keep(['edge'], 300);
    await world.as('PATCH', LEASES, {
      namespace: NODE_LEASES,
      name: 'edge',
      type: 'application/merge-patch+json',
      body: { metadata: { labels: { a: 'b' } } },
    });
    await elapse(12);
    expect(await ageSeconds('edge')).toBeLessThan(12);
    await world.as('DELETE', LEASES, { namespace: NODE_LEASES, name: 'edge' });
    await elapse(12);
    expect(warnings()).toEqual(['the lease of a virtual node cannot be renewed']);
    const { metadata } = await world.as<Node>('GET', NODES, { name: 'edge' });
    await world.as('POST', LEASES, { namespace: NODE_LEASES, body: leaseOf({ name: 'edge', uid: metadata.uid ?? '' }, 0) });
    await elapse(12);
    expect(await ageSeconds('edge')).toBeLessThan(12);
  });

  test('is taken over by the next relay without another ask, until the same time', async () => {
    const first = new AbortController();
    await keeperOf(['edge'], first.signal).keep(['edge'], 200);
    await elapse(20);
    first.abort();
    keeperOf(['edge']);
    await elapse(100);
    expect(await ageSeconds('edge')).toBeLessThan(12);
    await elapse(140);
    expect(await ageSeconds('edge')).toBeGreaterThan(40);
  });
});
