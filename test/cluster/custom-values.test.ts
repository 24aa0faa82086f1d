// A real kube-apiserver decides whether the tables of schemas, values, updates and owners are right.
import { customValuesContract } from '../contracts/custom-values.ts';
import { openReferenceServer } from './reference-server.ts';

customValuesContract('kube-apiserver', openReferenceServer);
