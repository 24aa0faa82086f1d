// A real kube-apiserver decides whether the tables of rules are right.
import { clientOf } from '../contracts/api-server/opened-client.ts';
import { rulesContract } from '../contracts/cel/rules.ts';
import { openReferenceServer } from './reference-server.ts';

rulesContract(clientOf(openReferenceServer));
