// A real kube-apiserver decides whether the table of admission policies is right.
import { clientOf } from '../contracts/api-server/opened-client.ts';
import { policiesContract } from '../contracts/cel/policies.ts';
import { openReferenceServer } from './reference-server.ts';

policiesContract(clientOf(openReferenceServer));
