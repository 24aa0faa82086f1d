import { apiServerContract } from './api-server.ts';
import { openSandboxServer } from './api-server/sandbox-server.ts';

apiServerContract('sandbox', openSandboxServer);
