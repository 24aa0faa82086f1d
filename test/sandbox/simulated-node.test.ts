import { startSandbox } from '../../lib/sandbox/sandbox.ts';
import { simulatedNodeContract } from '../contracts/simulated-node.ts';

simulatedNodeContract('sandbox', async () => {
  const { url, caPem, token, forgetChanges, stop } = await startSandbox();
  return {
    url,
    caPem,
    token,
    forgetHistory: async () => forgetChanges(),
    close: stop,
  };
});
