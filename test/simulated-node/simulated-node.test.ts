// The contract of the simulated node on the sandbox.
import { openSandboxServer } from '../contracts/api-server/sandbox-server.ts';
import { simulatedNodeContract } from '../contracts/simulated-node.ts';

simulatedNodeContract('sandbox', openSandboxServer);
