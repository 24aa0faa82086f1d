// The rules of the sandbox's custom resources, by the tables that a real kube-apiserver judges.
import { openSandboxServer } from '../../contracts/api-server/sandbox-server.ts';
import { clientOf } from '../../contracts/api-server/opened-client.ts';
import { rulesContract } from '../../contracts/cel/rules.ts';

rulesContract(clientOf(openSandboxServer));
