// On DynamoDB the same runs in test/peers.
import { EmbeddedStore } from '../../../lib/adapters/embedded/store.ts';
import { VirtualClock } from '../../world/virtual-clock.ts';
import { manyChildrenContract } from './many-children.ts';

manyChildrenContract('EmbeddedStore', async () => {
  const clock = new VirtualClock();
  const store = EmbeddedStore.open({ clock, isMetered: false });
  return { store, nowMs: () => clock.nowMs(), close: async () => store.close(), damage: async () => {} };
});
