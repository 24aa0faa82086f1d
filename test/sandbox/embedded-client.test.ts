// The contract of the simulated node on a sandbox in its own process, as `farloop up` runs it.
import { embeddedClient } from '../../lib/sandbox/embedded-client.ts';
import { openSandboxServer } from '../contracts/api-server/sandbox-server.ts';
import { simulatedNodeContract } from '../contracts/simulated-node.ts';

simulatedNodeContract('sandbox in its process', openSandboxServer, ({ handle }) => embeddedClient(handle));
