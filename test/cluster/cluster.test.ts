import { KubernetesCluster } from '../../lib/adapters/kubernetes-cluster.ts';
import { SystemClock } from '../../lib/adapters/system-clock.ts';
import { clusterContract } from '../contracts/cluster.ts';
import { startControlPlane } from './control-plane.ts';

clusterContract('kube-apiserver 1.36.3', async () => {
  const { url, caPem, token, forgetHistory, stop } = await startControlPlane();
  const clock = new SystemClock();
  const cluster = new KubernetesCluster({ access: { server: url, caPem, auth: { kind: 'token', token } }, clock });
  const stranger = new KubernetesCluster({ access: { server: url, caPem, auth: { kind: 'token', token: 'unknown' } }, clock });
  return {
    cluster,
    stranger,
    forgetHistory,
    close: async () => {
      cluster.close();
      stranger.close();
      await stop();
    },
  };
});
