// The contract of the API server on the sandbox.
import { apiServerContract } from './api-server.ts';
import { openSandboxServer } from './api-server/sandbox-server.ts';

apiServerContract('sandbox', openSandboxServer);
