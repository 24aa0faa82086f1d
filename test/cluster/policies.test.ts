// A real kube-apiserver decides whether the tables of admission policies and their expressions are right.
import { describe } from '@jest/globals';
import { clientOf } from '../contracts/api-server/opened-client.ts';
import { expressionsContract } from '../contracts/cel/expressions.ts';
import { policiesContract } from '../contracts/cel/policies.ts';
import { openReferenceServer } from './reference-server.ts';

describe('policies', () => {
  policiesContract(clientOf(openReferenceServer));
});

describe('expressions', () => {
  expressionsContract(clientOf(openReferenceServer));
});
