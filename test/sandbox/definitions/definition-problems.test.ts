// Definitions that are refused: where, and for what reason.
import { describe, expect, test } from '@jest/globals';
import { rowsOf, valueIn } from '../../contracts/case-table.ts';
import { embed } from '../embedded.ts';
import { aDefinition, aVersion, definitions } from './thing-definition.ts';

/** What is changed of a good definition, each of its versions in what it names, and `field reason`, without the words that all reasons begin with. */
const table = `
  a name that is not plural and group                 | {metadata: {name: thing.example.com}}                                                                                                                  | metadata.name Invalid
  an empty spec                                       | {group: '', scope: '', names: {}, versions: [], metadata: {}}                                                                                          | metadata.name Invalid, spec.group Required, spec.scope Required, spec.versions Invalid, spec.names.plural Required, spec.names.singular Required, spec.names.kind Required, spec.names.listKind Required, status.storedVersions Invalid
  a group without a dot                               | {group: example, metadata: {name: things.example}}                                                                                                     | spec.group Invalid
  another scope                                       | {scope: namespaced}                                                                                                                                    | spec.scope NotSupported
  names that are no labels                            | {names: {plural: things, kind: thi_ng, shortNames: [T], categories: [a b], singular: X}}                                                               | spec.names.singular Invalid, spec.names.kind Invalid, spec.names.listKind Invalid, spec.names.shortNames[0] Invalid, spec.names.categories[0] Invalid
  one kind for things and lists                       | {names: {plural: things, kind: Thing, listKind: Thing}}                                                                                                | spec.names.listKind Invalid
  a version that is no label                          | {versions: [{name: 1v}]}                                                                                                                               | spec.versions[0].name Invalid
  two versions that are stored                        | {versions: [{name: v1}, {name: v2}]}                                                                                                                   | spec.versions Invalid, status.storedVersions Invalid
  two versions of one name                            | {versions: [{name: v1}, {name: v1, storage: false}]}                                                                                                   | spec.versions Invalid
  no schema                                           | {versions: [{name: v1, schema: {}, selectableFields: []}]}                                                                                             | spec.versions[0].schema.openAPIV3Schema Required
  a root that says more than a status leaves room for | {versions: [{name: v1, schema: {openAPIV3Schema: {type: object, oneOf: [{required: [spec]}]}}, selectableFields: []}]}                                 | spec.versions[0].schema.openAPIV3Schema Invalid
  a scale elsewhere than in spec and status           | {versions: [{name: v1, subresources: {scale: {specReplicasPath: .status.replicas, statusReplicasPath: .spec.replicas, labelSelectorPath: .metadata.x}}}]} | spec.versions[0].subresources.scale.specReplicasPath Invalid, spec.versions[0].subresources.scale.statusReplicasPath Invalid, spec.versions[0].subresources.scale.labelSelectorPath Invalid
  a scale without paths                               | {versions: [{name: v1, subresources: {scale: {specReplicasPath: '', statusReplicasPath: ''}}}]}                                                        | spec.versions[0].subresources.scale.specReplicasPath Required, spec.versions[0].subresources.scale.statusReplicasPath Required
  columns of no type or path                          | {versions: [{name: v1, additionalPrinterColumns: [{name: '', type: array, jsonPath: spec}, {name: a, type: date, jsonPath: ''}]}]}                     | spec.versions[0].additionalPrinterColumns[0].name Required, spec.versions[0].additionalPrinterColumns[0].type Invalid, spec.versions[0].additionalPrinterColumns[0].jsonPath Invalid, spec.versions[0].additionalPrinterColumns[1].jsonPath Required
  columns of one version of two                       | {versions: [{name: v1}, {name: v2, storage: false, additionalPrinterColumns: [{name: a, type: x, jsonPath: .a}]}]}                                     | spec.versions[1].additionalPrinterColumns[0].type Invalid
  fields to select by that are none                   | {versions: [{name: v1, selectableFields: [{jsonPath: ''}, {jsonPath: .spec}, {jsonPath: .spec.none}, {jsonPath: .spec.color}, {jsonPath: .spec.color}, {jsonPath: x}]}]} | spec.versions[0].selectableFields[0].jsonPath Required, spec.versions[0].selectableFields[1].jsonPath Invalid, spec.versions[0].selectableFields[2].jsonPath Invalid, spec.versions[0].selectableFields[4].jsonPath Duplicate, spec.versions[0].selectableFields[5].jsonPath Invalid
  a conversion by nobody                              | {conversion: {strategy: Nobody}}                                                                                                                       | spec.conversion.strategy NotSupported
  unknown fields kept everywhere                      | {preserveUnknownFields: true}                                                                                                                          | spec.preserveUnknownFields Invalid
`;

interface Change {
  metadata?: object;
  versions?: ({ name: string } & object)[];
}

/** A definition changed as a row says. */
function changedBy(cell: string): object {
  const { metadata, versions, ...others } = valueIn(cell) as Change;
  return aDefinition({ ...others, ...(versions && { versions: versions.map(({ name, ...more }) => aVersion(name, more)) }) }, metadata);
}

const causesOf = (body: Record<string, unknown>): string[] => {
  const causes: { field: string; reason: string }[] = Object(body['details']).causes ?? [];
  return causes.map(({ field, reason }) => `${field} ${reason.replace('FieldValue', '')}`);
};

describe('refused is', () => {
  test.each(rowsOf(['name', 'change', 'says'], table))('$name', async ({ change, says }) => {
    const { status, body } = await embed().send('POST', definitions, changedBy(change));
    expect({ status, says: causesOf(body) }).toEqual({ status: 422, says: says.split(', ') });
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
    const given = aVersion('v1', {
      schema: { openAPIV3Schema: schema },
      deprecated: false,
      selectableFields: [],
      subresources: { status: { a: 1 } },
    });
    const { body } = await embed().send('POST', definitions, aDefinition({ versions: [given] }));
    expect(Object(body['spec']).versions).toMatchObject([{ subresources: { status: {} } }]);
    const [made] = Object(body['spec']).versions;
    expect(made.schema.openAPIV3Schema).toEqual({ type: 'object', properties: { spec: { type: 'array', items: { type: 'string' } } } });
    expect(made).not.toHaveProperty('deprecated');
    expect(made.subresources).toEqual({ status: {} });
  });

  test('a finalizer without a domain', async () => {
    const { send } = embed();
    expect((await send('POST', definitions, aDefinition({}, { finalizers: ['hold'] }))).status).toBe(201);
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
