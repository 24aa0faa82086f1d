import { simulatedNodeContract } from '../contracts/simulated-node.ts';
import { startControlPlane } from './control-plane.ts';

simulatedNodeContract('kube-apiserver 1.36.3', async () => {
  const { url, caPem, token, forgetHistory, stop } = await startControlPlane();
  return { url, caPem, token, forgetHistory, close: stop };
});
