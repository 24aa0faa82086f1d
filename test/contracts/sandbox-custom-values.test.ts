// The contract of schemas of custom resources on the sandbox.
import { openSandboxServer } from './api-server/sandbox-server.ts';
import { customValuesContract } from './custom-values.ts';

customValuesContract('sandbox', openSandboxServer);
