// Sees what the relay is answered, and can hold a list between two of its pages. Put around the adapter: the product knows nothing of it.
import { KubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { ExpiredError } from '../../lib/ports/errors.ts';

type ListPage = KubernetesCluster['listPage'];
type Watch = KubernetesCluster['watch'];

export class RelayCalls {
  /** How often a watch and a list were told that what they ask for is forgotten. */
  expiredWatches = 0;
  expiredLists = 0;
  #held: { isReached: boolean; released: Promise<void> } | undefined;

  /** @param isRelay whether an adapter is the relay's own */
  constructor(isRelay: (cluster: KubernetesCluster) => boolean) {
    const prototype = KubernetesCluster.prototype;
    const listPage: ListPage = Reflect.get(prototype, 'listPage');
    const watch: Watch = Reflect.get(prototype, 'watch');
    const holdBefore = async (continueToken: string | undefined): Promise<void> => {
      const held = this.#held;
      if (!held || continueToken === undefined) return;
      held.isReached = true;
      await held.released;
    };
    const sawExpired = (error: unknown, kind: 'expiredLists' | 'expiredWatches'): void => {
      if (error instanceof ExpiredError) this[kind] += 1;
    };
    const listPageSeen = async function listPageSeen(this: KubernetesCluster, ...given: Parameters<ListPage>): Promise<unknown> {
      const isOf = isRelay(this) && given[1].metadataOnly !== true;
      if (isOf) await holdBefore(given[1].continueToken);
      try {
        return await Reflect.apply(listPage, this, given);
      } catch (error) {
        if (isOf) sawExpired(error, 'expiredLists');
        throw error;
      }
    };
    const watchSeen = async function* watchSeen(this: KubernetesCluster, ...given: Parameters<Watch>): AsyncGenerator<unknown, void> {
      try {
        yield* Reflect.apply(watch, this, given);
      } catch (error) {
        if (isRelay(this)) sawExpired(error, 'expiredWatches');
        throw error;
      }
    };
    Reflect.set(prototype, 'listPage', listPageSeen);
    Reflect.set(prototype, 'watch', watchSeen);
  }

  /** From now on lists wait before their second page. @returns whether one does, and how to let it go */
  holdNextList(): { isReached: () => boolean; release: () => void } {
    const released = Promise.withResolvers<void>();
    const held = { isReached: false, released: released.promise };
    this.#held = held;
    return {
      isReached: () => held.isReached,
      release: () => {
        this.#held = undefined;
        released.resolve();
      },
    };
  }
}
