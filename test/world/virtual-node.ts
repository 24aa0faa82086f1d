// A world with virtual nodes: their Nodes, a simulated provider on the world's clock, a real relay.
import { SimulatedProvider } from '../../lib/adapters/providers/simulated.ts';
import { nodeObject } from '../../lib/kinds/virtual-node/node-object.ts';
import { virtualNodesIn } from '../../lib/kinds/virtual-pod/node-options.ts';
import type { KindOptions } from '../../lib/objects/kind-options.ts';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import { NODES, PODS } from '../../lib/objects/resources.ts';
import type { WorkloadKey } from '../../lib/objects/workload.ts';
import type { Provider } from '../../lib/ports/provider.ts';
import { wakeAnew } from '../../lib/reconciler/head/heads.ts';
import { scriptAnnotations } from '../script-annotations.ts';
import { CLUSTER, World, type WorldOptions } from './world.ts';

export interface NodesOptions extends Pick<WorldOptions, 'access' | 'manages' | 'seed'> {
  /** Of the kinds: which nodes there are. */
  options: KindOptions;
  /** What stands between the passes and the provider of a node. */
  between?: (provider: Provider, node: string) => Provider;
  /** Names of nodes that are not made: somebody else's stand there, or none. */
  withoutNodes?: readonly string[];
}

export class NodesWorld extends World {
  readonly provider: SimulatedProvider;

  private constructor(provider: SimulatedProvider, options: WorldOptions) {
    super(options);
    this.provider = provider;
  }

  static async open({ options, between = (provider) => provider, withoutNodes = [], ...rest }: NodesOptions): Promise<NodesWorld> {
    // Its clock and timers are the world's, which is made after it.
    const about: { world?: NodesWorld } = {};
    const provider = SimulatedProvider.open({
      clock: { nowMs: () => about.world?.clock.nowMs() ?? 0 },
      later: (ms, run) => {
        const abort = new AbortController();
        void about.world?.clock.wait(ms, abort.signal).then(() => abort.signal.aborted || run());
        return () => abort.abort();
      },
    });
    const world = new NodesWorld(provider, {
      manages: ['virtual-nodes'],
      options,
      providerOf: (_record, node) => between(provider.of(node), node),
      ...rest,
    });
    about.world = world;
    provider.onChange(({ uid, namespace, name }) => {
      void wakeAnew(world.ports, { cluster: CLUSTER, kind: 'VirtualPod', namespace, name, uid }, world.record);
    });
    for (const settings of virtualNodesIn(options))
      if (!withoutNodes.includes(settings.name)) await world.as('POST', NODES, { body: nodeObject(settings) });
    await world.startRelay();
    return world;
  }

  /** @param about what its provider plays, without the prefix; more metadata; fields of its spec */
  async bind(
    name: string,
    { node, script = {}, metadata: more = {}, ...spec }: { node: string; script?: object; metadata?: object; [field: string]: unknown },
  ): Promise<WorkloadKey> {
    const body = {
      metadata: { ...more, name, annotations: scriptAnnotations(script) },
      spec: { nodeName: node, restartPolicy: 'Never', containers: [{ name: 'main', image: 'x' }], ...spec },
    };
    const { metadata } = await this.as<Pod>('POST', PODS, { namespace: 'default', body });
    return { cluster: CLUSTER, kind: 'VirtualPod', namespace: 'default', name, uid: metadata.uid ?? '' };
  }

  /** Undefined: it is gone. */
  async podNamed(name: string): Promise<Pod | undefined> {
    return (await this.pods()).find(({ metadata }) => metadata.name === name);
  }

  async remove(name: string, body: object = {}): Promise<void> {
    await this.as('DELETE', PODS, { namespace: 'default', name, body });
  }

  /** Nobody plays a kubelet here. */
  async waitUntil(holds: () => boolean | Promise<boolean>, seconds?: number): Promise<void> {
    await this.until(holds, { play: false, ...(seconds !== undefined && { seconds }) });
  }

  override close(): void {
    this.provider.close();
    super.close();
  }
}
