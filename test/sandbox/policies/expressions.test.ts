// Expressions in the sandbox, by the table that a real kube-apiserver judges.
import { openSandboxServer } from '../../contracts/api-server/sandbox-server.ts';
import { clientOf } from '../../contracts/api-server/opened-client.ts';
import { expressionsContract } from '../../contracts/cel/expressions.ts';

expressionsContract(clientOf(openSandboxServer));
