// Expressions of all kinds, as any API server must evaluate them: each is a validation that does not hold, and a message that tells its value.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../api-server/client.ts';
import type { ApiClient } from '../api-server/client.ts';
import { evaluatedExpressions, refusedExpressions } from './expression-cases.ts';
import { aBinding, aPolicy } from './policy-answers.ts';

const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const perPolicy = 6;

const policyName = (number: number): string => `expressions-${number}`;
const never = (text: string): string => `dyn(${text}) == "__never__"`;

const specOf = (name: string, validations: readonly unknown[]): unknown => ({
  matchConstraints: {
    resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'], resourceNames: [name] }],
  },
  validations,
});

const numbers = Array.from({ length: Math.ceil(evaluatedExpressions.length / perPolicy) }, (_, number) => number);

async function bindExpressions(api: ApiClient): Promise<void> {
  for (const number of numbers) {
    const name = policyName(number);
    const validations = evaluatedExpressions.slice(number * perPolicy, (number + 1) * perPolicy).map(([text], index) => ({
      expression: never(text),
      message: `<${index}> fallback`,
      messageExpression: `"<${index}> %s".format([dyn(${text})])`,
    }));
    await api.create(policies, aPolicy(name, specOf(name, validations)));
    await api.create(bindings, aBinding(name, { policyName: name, validationActions: ['Warn'] }));
  }
  await eventually(
    () => api.post('/api/v1/namespaces/default/configmaps?dryRun=All', aConfigMap(policyName(numbers.at(-1) ?? 0))),
    ({ headers }) => headers['warning'] !== undefined,
  );
}

const aConfigMap = (name: string): unknown => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { app: 'x' } },
  data: { a: '1', b: 'two', c: 'é€😀' },
});

/** The values of the expressions of one policy, in their order. */
async function valuesOf(api: ApiClient, number: number): Promise<string[]> {
  const { headers } = await api.post('/api/v1/namespaces/default/configmaps?dryRun=All', aConfigMap(policyName(number)));
  const warnings = Buffer.from(headers['warning'] ?? '', 'latin1').toString('utf8');
  const told = [...warnings.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'));
  return told.map((text) => {
    const said = text.slice(text.indexOf("': ") + 3).replace(/^.*? with binding '[^']*': /, '');
    return said.includes(' resulted in error: ') ? 'error' : said.replace(/^<\d> /, '');
  });
}

export function expressionsContract(api: () => ApiClient): void {
  describe('a refused expression', () => {
    test.each(refusedExpressions)('%s', async (text) => {
      const { body } = await api().post(`${policies}?dryRun=All`, aPolicy('refused', specOf('refused', [{ expression: never(text) }])));
      expect(body.details?.causes?.[0]?.message).toMatch(/(?:compilation|program instantiation) failed: /);
    });
  });

  describe('expressions', () => {
    beforeAll(() => bindExpressions(api()), 60_000);
    test.each(numbers)('of policy %i', async (number) => {
      const wanted = evaluatedExpressions.slice(number * perPolicy, (number + 1) * perPolicy);
      const values = await valuesOf(api(), number);
      expect(wanted.map(([text], index) => [text, values[index]])).toEqual(wanted);
    });
  });
}
