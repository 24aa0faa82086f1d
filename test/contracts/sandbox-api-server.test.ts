import { startSandbox } from '../../lib/sandbox/sandbox.ts';
import { apiServerContract } from './api-server.ts';

apiServerContract('sandbox', async () => {
  const { url, caPem, token, forgetChanges, stop } = await startSandbox();
  return {
    url,
    caPem,
    token,
    forgetHistory: async () => forgetChanges(),
    close: stop,
  };
});
