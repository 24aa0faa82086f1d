// A real kube-apiserver decides whether the tables of schemas, rules, admission policies and expressions are right, and those of the definitions
// and policies of training jobs.
import { describe } from '@jest/globals';
import { clientOf } from '../contracts/api-server/opened-client.ts';
import { expressionsContract } from '../contracts/cel/expressions.ts';
import { policiesContract } from '../contracts/cel/policies.ts';
import { rulesContract } from '../contracts/cel/rules.ts';
import { customValuesContract } from '../contracts/custom-values.ts';
import { trainingAdmissionContract } from '../contracts/training/admission.ts';
import { oneServer } from './one-server.ts';

const open = oneServer();

customValuesContract('kube-apiserver', open);

describe('rules', () => {
  rulesContract(clientOf(open));
});

describe('training jobs', () => {
  trainingAdmissionContract(clientOf(open));
});

// Last: one of these policies refuses every definition.
describe('policies', () => {
  policiesContract(clientOf(open));
});

describe('expressions', () => {
  expressionsContract(clientOf(open));
});
