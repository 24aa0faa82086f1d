// What the sandbox says of admission that no other API server says.
import { expect, test } from '@jest/globals';
import { openSandboxServer } from '../../contracts/api-server/sandbox-server.ts';
import { clientOf } from '../../contracts/api-server/opened-client.ts';
import { aPolicy } from '../../contracts/cel/policy-answers.ts';
import { refusalCases } from '../../contracts/cel/policy-refusals.ts';

const api = clientOf(openSandboxServer);

test('an expression that asks the authorizer is refused in one sentence', async () => {
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];
  const validations = [{ expression: "authorizer.group('').resource('pods').check('create').allowed()" }];
  const policy = aPolicy('asks', { matchConstraints: { resourceRules }, validations });
  const { status, body } = await api().post('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', policy);
  expect({ status, message: body.details?.causes?.[0]?.message }).toEqual({
    status: 422,
    message: expect.stringContaining('the sandbox has no `authorizer` to ask'),
  });
});

test('a webhook configuration is kept with a warning that nothing calls it', async () => {
  const { path = '', object } = refusalCases.find(({ name }) => name === 'a good webhook') ?? {};
  const { status, headers } = await api().post(path.replace('?dryRun=All', ''), object);
  expect({ status, warning: headers['warning'] }).toEqual({
    status: 201,
    warning: expect.stringContaining('the sandbox calls no webhooks'),
  });
  const list = await api().get('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations');
  expect(list.body.items?.map(({ metadata }) => metadata.name)).toEqual(['refused']);
});
