// The adapter that sends commands to a relay passes the contract of its port.
import { JOBS, NAMESPACES } from '../../lib/objects/resources.ts';
import type { Cluster, ClusterSource } from '../../lib/ports/cluster.ts';
import type { RelayedCluster } from '../../lib/adapters/relayed-cluster.ts';
import { ALLOWED, type Allowed } from '../../lib/relay/commands.ts';
import { openSandboxServer } from '../contracts/api-server/sandbox-server.ts';
import { overHttps } from '../contracts/cluster-over-https.ts';
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
  const direct = overHttps(await openSandboxServer());
  const { cluster: executor, stranger: unknown, forgetHistory } = direct;
  const [world, other] = [await openRelayedWorld({ executor, allowed }), await openRelayedWorld({ executor: unknown, allowed })];
  return {
    cluster: together(world.cluster, executor),
    stranger: other.cluster,
    forgetHistory,
    close: async () => {
      await world.close();
      await other.close();
      await direct.close();
    },
  };
});
