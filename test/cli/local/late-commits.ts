// Preloaded into `farloop up` (node --import): the pass that creates a pod writes its head only once the process has closed its files.
import { EmbeddedStore } from '../../../lib/adapters/embedded/store.ts';
import { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import type { Resource } from '../../../lib/objects/resources.ts';

type Method = (...given: unknown[]) => Promise<unknown>;

const closed = Promise.withResolvers<void>();
let hasCreated = false;

function around(prototype: object, name: string, wait: (given: unknown[]) => Promise<void>): void {
  const original: Method = Reflect.get(prototype, name);
  Reflect.set(prototype, name, async function wrapped(this: unknown, ...given: unknown[]): Promise<unknown> {
    await wait(given);
    return await Reflect.apply(original, this, given);
  });
}

around(KubernetesCluster.prototype, 'create', async ([resource]) => {
  if ((resource as Resource).kind === 'Pod') hasCreated = true;
});
around(EmbeddedStore.prototype, 'updateHead', async () => {
  if (hasCreated) await closed.promise;
});

const close = Reflect.get(EmbeddedStore.prototype, 'close');
EmbeddedStore.prototype.close = function closeAndGoOn(this: EmbeddedStore): void {
  Reflect.apply(close, this, []);
  closed.resolve();
};
