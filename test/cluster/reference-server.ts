// A real kube-apiserver as a server that contracts and comparisons are run against.
import type { ApiServer } from '../contracts/api-server/client.ts';
import type { ControlPlaneOptions } from './control-plane.ts';
import { startControlPlane } from './control-plane.ts';

export async function openReferenceServer(options: ControlPlaneOptions = {}): Promise<ApiServer> {
  const { url, caPem, token, forgetHistory, stop } = await startControlPlane(options);
  return { url, caPem, token, forgetHistory, close: stop };
}
