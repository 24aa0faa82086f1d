// The adapter over HTTPS to a server that is open, for the contract of clusters.
import { KubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import type { ApiServer } from './api-server/client.ts';
import type { OpenCluster } from './cluster.ts';

export function overHttps({ url, caPem, token, forgetHistory, close }: ApiServer): OpenCluster & { cluster: KubernetesCluster } {
  const clock = new SystemClock();
  const withToken = (shown: string): KubernetesCluster =>
    new KubernetesCluster({ access: { server: url, caPem, auth: { kind: 'token', token: shown } }, clock });
  const [cluster, stranger] = [withToken(token), withToken('unknown')];
  return {
    cluster,
    stranger,
    forgetHistory,
    close: async () => {
      cluster.close();
      stranger.close();
      await close();
    },
  };
}
