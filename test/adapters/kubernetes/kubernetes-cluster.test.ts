// The adapter that dials an API server passes the contract of its port, on the sandbox.
import { openSandboxServer } from '../../contracts/api-server/sandbox-server.ts';
import { overHttps } from '../../contracts/cluster-over-https.ts';
import { clusterContract } from '../../contracts/cluster.ts';

clusterContract('the sandbox over HTTPS', async () => overHttps(await openSandboxServer()));
