import { KubernetesCluster } from '../../lib/adapters/kubernetes-cluster.ts';
import { SystemClock } from '../../lib/adapters/system-clock.ts';
import { startSandbox } from '../../lib/sandbox/sandbox.ts';
import { clusterContract } from '../contracts/cluster.ts';

clusterContract('the sandbox over HTTPS', async () => {
  const { url, caPem, token, forgetChanges, stop } = await startSandbox();
  const clock = new SystemClock();
  const cluster = new KubernetesCluster({ access: { server: url, caPem, auth: { kind: 'token', token } }, clock });
  const stranger = new KubernetesCluster({ access: { server: url, caPem, auth: { kind: 'token', token: 'unknown' } }, clock });
  return {
    cluster,
    stranger,
    forgetHistory: async () => forgetChanges(),
    close: async () => {
      cluster.close();
      stranger.close();
      await stop();
    },
  };
});
