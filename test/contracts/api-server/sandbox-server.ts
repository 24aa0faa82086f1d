// The sandbox as a server that contracts and comparisons are run against.
import { startSandbox } from '../../../lib/sandbox/sandbox.ts';
import type { ApiServer } from './client.ts';

export async function openSandboxServer(): Promise<ApiServer> {
  const { url, caPem, token, forgetChanges, stop } = await startSandbox();
  return { url, caPem, token, forgetHistory: async () => forgetChanges(), close: stop };
}
