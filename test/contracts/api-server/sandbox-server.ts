// The sandbox as a server that contracts and comparisons are run against.
import { startSandbox, type Sandbox } from '../../../lib/sandbox/sandbox.ts';
import type { ApiServer } from './client.ts';

/** @returns also what takes requests without a socket */
export async function openSandboxServer(): Promise<ApiServer & Pick<Sandbox, 'handle'>> {
  const { url, caPem, token, handle, forgetChanges, stop } = await startSandbox();
  return { url, caPem, token, handle, forgetHistory: async () => forgetChanges(), close: stop };
}
