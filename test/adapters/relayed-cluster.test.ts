import { KubernetesCluster } from '../../lib/adapters/kubernetes-cluster.ts';
import { SystemClock } from '../../lib/adapters/system-clock.ts';
import { JOBS, NAMESPACES } from '../../lib/objects/resources.ts';
import type { Cluster, ClusterSource } from '../../lib/ports/cluster.ts';
import type { RelayedCluster } from '../../lib/adapters/relayed-cluster.ts';
import { ALLOWED, type Allowed } from '../../lib/relay/commands.ts';
import { startSandbox } from '../../lib/sandbox/sandbox.ts';
import { clusterContract } from '../contracts/cluster.ts';
import { openRelayedWorld } from './relayed-world.ts';

/** The suite makes its own namespace and Jobs, as people do. */
const allowed: Allowed[] = [
  ...ALLOWED.filter(({ resource }) => resource !== JOBS),
  { resource: JOBS, verbs: ['get', 'create', 'delete', 'patch'] },
  { resource: NAMESPACES, verbs: ['create'] },
];

/** Passes through the relay, the relay's own lists and watches beside it. */
const together = (relayed: RelayedCluster, source: ClusterSource): Cluster & ClusterSource => ({
  get: (...args) => relayed.get(...args),
  list: (...args) => relayed.list(...args),
  create: (...args) => relayed.create(...args),
  delete: (...args) => relayed.delete(...args),
  patch: (...args) => relayed.patch(...args),
  listPage: (...args) => source.listPage(...args),
  watch: (...args) => source.watch(...args),
});

clusterContract('the sandbox through a relay', async () => {
  const { url, caPem, token, forgetChanges, stop } = await startSandbox();
  const clock = new SystemClock();
  const executor = new KubernetesCluster({ access: { server: url, caPem, auth: { kind: 'token', token } }, clock });
  const unknown = new KubernetesCluster({ access: { server: url, caPem, auth: { kind: 'token', token: 'unknown' } }, clock });
  const [world, other] = [await openRelayedWorld({ executor, allowed }), await openRelayedWorld({ executor: unknown, allowed })];
  return {
    cluster: together(world.cluster, executor),
    stranger: other.cluster,
    forgetHistory: async () => forgetChanges(),
    close: async () => {
      await world.close();
      await other.close();
      executor.close();
      unknown.close();
      await stop();
    },
  };
});
