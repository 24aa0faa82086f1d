// How an API server's answers to the cases of policies are asked for: every case in a namespace of its own, to which its binding is bound.
import { eventually, mergePatch } from '../api-server/client.ts';
import type { Answer, ApiClient } from '../api-server/client.ts';
import { withoutError } from './rule-answers.ts';
import type { PolicyCase, PolicyRequest } from './policy-cases.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const policies = `${group}/validatingadmissionpolicies`;
const bindings = `${group}/validatingadmissionpolicybindings`;

type Fields = Record<string, unknown>;

const namespaceOf = (index: number): string => `policy-case-${index}`;
const nameOf = (index: number): string => `case-${index}`;

const kinds = {
  configmaps: { apiVersion: 'v1', kind: 'ConfigMap', path: '/api/v1' },
  jobs: { apiVersion: 'batch/v1', kind: 'Job', path: '/apis/batch/v1' },
  trainings: { apiVersion: 'policies.example.com/v1', kind: 'Training', path: '/apis/policies.example.com/v1' },
};

export const aPolicy = (name: string, spec: unknown): unknown => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name },
  spec,
});

export const aBinding = (name: string, spec: unknown): unknown => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name },
  spec,
});

/** Only in one namespace. */
function boundTo(namespace: string, binding: Fields): Fields {
  const match = (binding['matchResources'] ?? {}) as Fields;
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  return { validationActions: ['Deny'], ...binding, matchResources: { ...match, namespaceSelector } };
}

const free = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const trainings = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'trainings.policies.example.com' },
  spec: {
    group: 'policies.example.com',
    scope: 'Namespaced',
    names: { plural: 'trainings', singular: 'training', kind: 'Training' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: free, status: free } } },
        subresources: { status: {} },
      },
    ],
  },
};

/** Makes the policies of all cases, and waits until the server acts by them. */
export async function bindCases(api: ApiClient, cases: readonly PolicyCase[]): Promise<void> {
  await api.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', trainings);
  await eventually(
    () => api.get('/apis/policies.example.com/v1/trainings'),
    ({ status }) => status === 200,
  );
  for (const [index, { policy, binding = {}, before = [], namespaceLabels = {} }] of cases.entries()) {
    const namespace = namespaceOf(index);
    await api.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: namespaceLabels } });
    for (const object of before)
      await api.create(`/api/v1/namespaces/${namespace}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', ...object });
    await api.create(policies, aPolicy(nameOf(index), policy));
    await api.create(bindings, aBinding(nameOf(index), { policyName: nameOf(index), ...boundTo(namespace, binding) }));
  }
  await untilActive(api);
}

/** A policy that is made last: when it is at work, so are those that were made before. */
async function untilActive(api: ApiClient): Promise<void> {
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
  const validations = [{ expression: "request.name != 'last-policy'" }];
  await api.create(policies, aPolicy('last-policy', { matchConstraints: { resourceRules }, validations }));
  await api.create(bindings, aBinding('last-policy', { policyName: 'last-policy', validationActions: ['Deny'] }));
  const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'last-policy' } };
  await eventually(
    () => api.post('/api/v1/namespaces/default/configmaps?dryRun=All', probe),
    ({ status }) => status === 422,
  );
}

/** What a server says to a request, in the words of the case. */
export async function answerToRequest(api: ApiClient, index: number, request: PolicyRequest): Promise<Omit<PolicyRequest, 'object'>> {
  const { operation = 'create', resource = 'configmaps', object = {} } = request;
  const { apiVersion, kind, path } = kinds[resource];
  const url = `${path}/namespaces/${namespaceOf(index)}/${resource}`;
  const metadata = { ...(object['metadata'] as Fields | undefined), name: 'thing' };
  const body = { apiVersion, kind, ...object, metadata };
  let answer: Answer;
  if (operation === 'delete') answer = await api.delete(`${url}/thing`);
  else if (operation === 'update') answer = await api.put(`${url}/thing`, await withVersion(api, url, body));
  else if (operation === 'status') answer = await api.put(`${url}/thing/status`, await withVersion(api, url, body));
  else if (operation === 'patch') answer = await api.patch(`${url}/thing`, mergePatch, body);
  else if (operation === 'apply')
    answer = await api.send('PATCH', `${url}/thing?fieldManager=case&force=true`, body, { contentType: 'application/apply-patch+yaml' });
  else {
    // Each creation stands for itself.
    answer = await api.post(`${url}?dryRun=All`, body);
    if (answer.status === 201) answer = await api.post(url, body);
  }
  return told(answer, nameOf(index));
}

/** Custom resources are replaced only in a version that is named. */
async function withVersion(api: ApiClient, url: string, body: Fields): Promise<Fields> {
  const { metadata } = (await api.get(`${url}/thing`)).body;
  return { ...body, metadata: { ...(body['metadata'] as Fields), resourceVersion: metadata.resourceVersion } };
}

function told({ status, headers, body }: Answer, name: string): Omit<PolicyRequest, 'object'> {
  const by = `ValidatingAdmissionPolicy '${name}' with binding '${name}' denied request: `;
  const warnings = [...(headers['warning'] ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    text.replace(`Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${name}': `, ''),
  );
  if (status < 300) return { status, warnings };
  const { message = '', reason = '' } = body;
  const at = message.indexOf(by);
  return { status, reason, warnings, message: withoutError(at < 0 ? message : message.slice(at + by.length)) };
}
