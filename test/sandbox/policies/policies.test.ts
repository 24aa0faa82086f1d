// Admission policies in the sandbox, by the tables that a real kube-apiserver judges.
import { openSandboxServer } from '../../contracts/api-server/sandbox-server.ts';
import { clientOf } from '../../contracts/api-server/opened-client.ts';
import { policiesContract } from '../../contracts/cel/policies.ts';

policiesContract(clientOf(openSandboxServer));
