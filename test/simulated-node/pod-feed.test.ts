// The feed of a simulated node goes on for as long as the node does: what it has told is not kept by it.
import { expect, test } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { feedPods } from '../../lib/simulated-node/pod-feed.ts';
import { Problems } from '../../lib/simulated-node/problems.ts';
import { until } from '../claims.ts';

test('a list of pods that it has told is let go while it watches', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const told: WeakRef<object>[] = [];
  const stopping = new AbortController();
  let isWatching = false;
  const feeding = feedPods(
    {
      request: async () => ({
        status: 200,
        body: { metadata: { resourceVersion: '1' }, items: [{ metadata: { uid: 'u', name: 'p' }, spec: { containers: [] } }] },
      }),
      async *watch({ signal }) {
        isWatching = true;
        await new Promise((ended) => signal.addEventListener('abort', ended));
        yield* [];
      },
    },
    {
      listed: (pods) => void told.push(new WeakRef(pods)),
      changed: () => {},
      deleted: () => {},
      problems: new Problems(() => {}, Date.now),
    },
    stopping.signal,
  );
  await until('it watches', () => isWatching, 5_000);
  expect(told).toHaveLength(1);
  const isLetGo = (): boolean => {
    collect();
    return told[0]?.deref() === undefined;
  };
  await until('the list is let go', isLetGo, 5_000);
  stopping.abort();
  await feeding;
});
