// The contract of actions on the sandbox.
import { openSandboxServer } from '../../contracts/api-server/sandbox-server.ts';
import { actionsContract } from '../../contracts/actions.ts';
import { drainingContract } from '../../contracts/draining.ts';
import { overHttps } from '../../contracts/cluster-over-https.ts';

actionsContract('sandbox', async () => overHttps(await openSandboxServer()));
drainingContract('sandbox', async () => overHttps(await openSandboxServer()));
