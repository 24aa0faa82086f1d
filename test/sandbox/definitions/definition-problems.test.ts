// Definitions that are refused: where, and for what reason.
import { describe, expect, test } from '@jest/globals';
import { embed } from '../embedded.ts';
import { aDefinition, aVersion, definitions, thingSchema } from './thing-definition.ts';

interface Refusal {
  name: string;
  spec?: object;
  metadata?: object;
  /** `field reason`, without the words that all reasons begin with. */
  says: string[];
}

const version = (more: object): { versions: object[] } => ({ versions: [aVersion('v1', more)] });
const scale = (specReplicasPath: string, statusReplicasPath: string, labelSelectorPath = ''): object =>
  version({ subresources: { scale: { specReplicasPath, statusReplicasPath, labelSelectorPath } } });

const cases: Refusal[] = [
  { name: 'a name that is not plural and group', metadata: { name: 'thing.example.com' }, says: ['metadata.name Invalid'] },
  {
    name: 'an empty spec',
    spec: { group: '', scope: '', names: {}, versions: [] },
    says: [
      'metadata.name Invalid',
      'spec.group Required',
      'spec.scope Required',
      'spec.versions Invalid',
      'spec.names.plural Required',
      'spec.names.singular Required',
      'spec.names.kind Required',
      'spec.names.listKind Required',
      'status.storedVersions Invalid',
    ],
  },
  { name: 'a group without a dot', spec: { group: 'example' }, metadata: { name: 'things.example' }, says: ['spec.group Invalid'] },
  { name: 'another scope', spec: { scope: 'namespaced' }, says: ['spec.scope NotSupported'] },
  {
    name: 'names that are no labels',
    spec: { names: { plural: 'things', kind: 'thi_ng', shortNames: ['T'], categories: ['a b'], singular: 'X' } },
    says: [
      'spec.names.singular Invalid',
      'spec.names.kind Invalid',
      'spec.names.listKind Invalid',
      'spec.names.shortNames[0] Invalid',
      'spec.names.categories[0] Invalid',
    ],
  },
  {
    name: 'one kind for things and lists',
    spec: { names: { plural: 'things', kind: 'Thing', listKind: 'Thing' } },
    says: ['spec.names.listKind Invalid'],
  },
  {
    name: 'a version that is no label',
    spec: { versions: [aVersion('1v')] },
    says: ['spec.versions[0].name Invalid'],
  },
  {
    name: 'two versions that are stored',
    spec: { versions: [aVersion('v1'), aVersion('v2')] },
    says: ['spec.versions Invalid', 'status.storedVersions Invalid'],
  },
  {
    name: 'two versions of one name',
    spec: { versions: [aVersion('v1'), aVersion('v1', { storage: false })] },
    says: ['spec.versions Invalid'],
  },
  { name: 'no schema', spec: version({ schema: {}, selectableFields: [] }), says: ['spec.versions[0].schema.openAPIV3Schema Required'] },
  {
    name: 'a schema whose root says more than a status leaves room for',
    spec: version({ schema: { openAPIV3Schema: { ...thingSchema, oneOf: [{ required: ['spec'] }] } } }),
    says: ['spec.versions[0].schema.openAPIV3Schema Invalid'],
  },
  {
    name: 'a warning of a version that is not deprecated',
    spec: version({ deprecationWarning: 'x' }),
    says: ['spec.versions[0].deprecationWarning Invalid'],
  },
  {
    name: 'an empty warning',
    spec: version({ deprecated: true, deprecationWarning: '' }),
    says: ['spec.versions[0].deprecationWarning Invalid'],
  },
  {
    name: 'a scale elsewhere than in spec and status',
    spec: scale('.status.replicas', '.spec.replicas', '.metadata.x'),
    says: [
      'spec.versions[0].subresources.scale.specReplicasPath Invalid',
      'spec.versions[0].subresources.scale.statusReplicasPath Invalid',
      'spec.versions[0].subresources.scale.labelSelectorPath Invalid',
    ],
  },
  {
    name: 'a scale without paths',
    spec: scale('', ''),
    says: [
      'spec.versions[0].subresources.scale.specReplicasPath Required',
      'spec.versions[0].subresources.scale.statusReplicasPath Required',
    ],
  },
  {
    name: 'columns of no type, format or path',
    spec: version({
      additionalPrinterColumns: [
        { name: '', type: 'array', jsonPath: 'spec' },
        { name: 'a', type: 'date', format: 'x', jsonPath: '' },
      ],
    }),
    says: [
      'spec.versions[0].additionalPrinterColumns[0].name Required',
      'spec.versions[0].additionalPrinterColumns[0].type Invalid',
      'spec.versions[0].additionalPrinterColumns[0].jsonPath Invalid',
      'spec.versions[0].additionalPrinterColumns[1].format Invalid',
      'spec.versions[0].additionalPrinterColumns[1].jsonPath Required',
    ],
  },
  {
    name: 'columns of one version of two',
    spec: {
      versions: [aVersion('v1'), aVersion('v2', { storage: false, additionalPrinterColumns: [{ name: 'a', type: 'x', jsonPath: '.a' }] })],
    },
    says: ['spec.versions[1].additionalPrinterColumns[0].type Invalid'],
  },
  {
    name: 'fields to select by that are none',
    spec: version({ selectableFields: ['', '.spec', '.spec.none', '.spec.color', '.spec.color', 'x'].map((jsonPath) => ({ jsonPath })) }),
    says: [
      'spec.versions[0].selectableFields[0].jsonPath Required',
      'spec.versions[0].selectableFields[1].jsonPath Invalid',
      'spec.versions[0].selectableFields[2].jsonPath Invalid',
      'spec.versions[0].selectableFields[4].jsonPath Duplicate',
      'spec.versions[0].selectableFields[5].jsonPath Invalid',
    ],
  },
  {
    name: 'a conversion by nobody',
    spec: { conversion: { strategy: 'Webhook' } },
    says: ['spec.conversion.webhook.clientConfig Required', 'spec.conversion.webhook.conversionReviewVersions Required'],
  },
  {
    name: 'a webhook that nothing asks',
    spec: { conversion: { strategy: 'None', webhook: { clientConfig: { url: 'https://a' }, conversionReviewVersions: ['v1'] } } },
    says: ['spec.conversion.webhook Forbidden'],
  },
  { name: 'unknown fields kept everywhere', spec: { preserveUnknownFields: true }, says: ['spec.preserveUnknownFields Invalid'] },
  {
    name: 'a group of Kubernetes that nobody approved',
    spec: { group: 'a.k8s.io' },
    metadata: { name: 'things.a.k8s.io' },
    says: ['metadata.annotations[api-approved.kubernetes.io] Required'],
  },
  {
    name: 'a group of Kubernetes that somebody said yes to',
    spec: { group: 'a.k8s.io' },
    metadata: { name: 'things.a.k8s.io', annotations: { 'api-approved.kubernetes.io': 'yes' } },
    says: ['metadata.annotations[api-approved.kubernetes.io] Invalid'],
  },
];

const causesOf = (body: Record<string, unknown>): string[] => {
  const causes: { field: string; reason: string }[] = Object(body['details']).causes ?? [];
  return causes.map(({ field, reason }) => `${field} ${reason.replace('FieldValue', '')}`);
};

describe('refused is', () => {
  test.each(cases)('$name', async ({ spec, metadata, says }) => {
    const { status, body } = await embed().send('POST', definitions, aDefinition(spec, metadata));
    expect({ status, says: causesOf(body) }).toEqual({ status: 422, says });
  });

  test('a change of scope, kind, group or plural of what is established', async () => {
    const { send } = embed();
    await send('POST', definitions, aDefinition());
    const spec = { scope: 'Cluster', group: 'b.com', names: { plural: 'others', kind: 'Other', singular: 'other', listKind: 'OtherList' } };
    const { status, body } = await send('PATCH', `${definitions}/things.example.com`, { spec }, 'application/merge-patch+json');
    expect({ status, says: causesOf(body) }).toEqual({
      status: 422,
      says: ['spec.scope Invalid', 'spec.names.kind Invalid', 'spec.group Invalid', 'spec.names.plural Invalid'],
    });
  });
});

describe('taken is', () => {
  test('what says less: it comes back with its defaults, and without what says nothing', async () => {
    const schema = {
      type: 'object',
      nullable: false,
      description: '',
      properties: { spec: { type: 'array', items: { type: 'string', pattern: '', odd: 1 } } },
    };
    const given = version({
      schema: { openAPIV3Schema: schema },
      deprecated: false,
      selectableFields: [],
      subresources: { status: { a: 1 } },
    });
    const { body } = await embed().send('POST', definitions, aDefinition(given));
    expect(Object(body['spec']).versions).toMatchObject([{ subresources: { status: {} } }]);
    const [made] = Object(body['spec']).versions;
    expect(made.schema.openAPIV3Schema).toEqual({ type: 'object', properties: { spec: { type: 'array', items: { type: 'string' } } } });
    expect(made).not.toHaveProperty('deprecated');
    expect(made.subresources).toEqual({ status: {} });
  });

  test('a finalizer without a domain, and an approved group of Kubernetes', async () => {
    const annotations = { 'api-approved.kubernetes.io': 'https://example.com/approval' };
    const definition = aDefinition({ group: 'a.k8s.io' }, { name: 'things.a.k8s.io', annotations, finalizers: ['hold'] });
    const { send } = embed();
    expect((await send('POST', definitions, definition)).status).toBe(201);
    const { status } = Object((await send('GET', `${definitions}/things.a.k8s.io`)).body);
    expect(status.conditions[2]).toMatchObject({
      type: 'KubernetesAPIApprovalPolicyConformant',
      status: 'True',
      reason: 'ApprovedAnnotation',
    });
  });

  test('a conversion by a webhook, with a warning', async () => {
    const { send } = embed();
    await send('POST', definitions, aDefinition());
    const webhook = { clientConfig: { url: 'https://example.com' }, conversionReviewVersions: ['v1'] };
    const spec = { conversion: { strategy: 'Webhook', webhook } };
    const changed = await send('PATCH', `${definitions}/things.example.com`, { spec }, 'application/merge-patch+json');
    expect(changed.headers['Warning']).toMatch(/^299 - "spec.conversion: the sandbox calls no webhooks/);
  });
});
