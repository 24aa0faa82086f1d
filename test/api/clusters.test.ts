// What the list of clusters tells of a registration: all that whoever gives `farloop cluster add` again has to give again.
import { expect, test } from '@jest/globals';
import { EmbeddedStore } from '../../lib/adapters/embedded/store.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { listClusters } from '../../lib/api/clusters.ts';
import type { ClusterRecord } from '../../lib/ports/clusters.ts';
import { aCluster } from '../contracts/clusters.ts';

test('how a cluster was registered, who it is in EKS, and that it leaves', async () => {
  const records: ClusterRecord[] = [
    { ...aCluster('far', { access: 'relayed', identity: 'irsa', options: { 'workload-with-job': 'on' }, leaving: true }), version: 3 },
    { ...aCluster('local'), version: 1 },
    {
      ...aCluster('shop', {
        credential: 'eks',
        eks: { name: 'shop', region: 'eu-west-1' },
        identity: 'pod-identity',
        relayNamespace: 'relays',
      }),
      version: 2,
    },
  ];
  const store = EmbeddedStore.open();
  try {
    const clusters = {
      list: async () => records,
      get: async () => undefined,
      put: async () => Promise.reject(new Error('nothing is written')),
    };
    const [far, local, shop] = await listClusters({ clusters, store, clock: new SystemClock() });
    expect(far).toMatchObject({ access: 'relayed', identity: 'irsa', options: { 'workload-with-job': 'on' }, leaving: true });
    expect(far).not.toHaveProperty('credential');
    expect(local).toMatchObject({ access: 'direct' });
    expect(shop).toMatchObject({
      access: 'direct',
      credential: 'eks',
      eks: { name: 'shop', region: 'eu-west-1' },
      identity: 'pod-identity',
      relayNamespace: 'relays',
    });
  } finally {
    store.close();
  }
});
