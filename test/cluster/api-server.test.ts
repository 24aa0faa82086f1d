import { apiServerContract } from '../contracts/api-server.ts';
import { startControlPlane } from './control-plane.ts';

apiServerContract('kube-apiserver 1.36.3', async () => {
  const { url, caPem, token, forgetHistory, stop } = await startControlPlane({ controllers: '*,-job' });
  return { url, caPem, token, forgetHistory, close: stop };
});
