// A definition as large as those that training operators ship (0.6 MB): its objects hold pod templates, whose every field is described.
import { schemaOf } from '../../../lib/sandbox/schema/notation.ts';
import type { FieldType, ObjectType } from '../../../lib/sandbox/schema/notation.ts';

const description = 'What this field means, when it is needed and what the default is, in as many words as generated definitions have. ';

function schemaFor(type: FieldType): object {
  switch (type.is) {
    case 'object':
      return objectSchema(type);
    case 'map':
      return { type: 'object', additionalProperties: schemaFor(type.of) };
    case 'list': {
      const keys = type.ownership === 'map' && type.ownerKeys.length === 1 ? type.ownerKeys : [];
      const items = schemaFor(type.of);
      if (keys.length === 0) return { type: 'array', items };
      // A key must be given, or have a default.
      return { type: 'array', items: { ...items, required: keys }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys };
    }
    case 'int32':
    case 'int64':
      return { type: 'integer', format: type.is };
    case 'number':
    case 'boolean':
      return { type: type.is };
    case 'quantity':
    case 'intOrString':
      return { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] };
    case 'any':
    case 'free':
      return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    case 'string':
    case 'time':
    case 'microTime':
    case 'bytes':
      return { type: 'string' };
    default:
      return type satisfies never;
  }
}

function objectSchema({ fields }: ObjectType): object {
  const keys = [...fields.values()].filter(({ required }) => required).map(({ name }) => name);
  return {
    type: 'object',
    ...(keys.length > 0 && { required: keys }),
    properties: Object.fromEntries(
      [...fields.values()].map(({ name, type }) => [name, { description: description.repeat(4), ...schemaFor(type) }]),
    ),
  };
}

/** @param plural such as `trainingjobs` */
export function aTrainingDefinition(plural: string): object {
  const replicas = {
    type: 'object',
    properties: { replicas: { type: 'integer', default: 1 }, template: schemaFor(schemaOf('PodTemplateSpec')) },
  };
  const spec = {
    type: 'object',
    properties: { runPolicy: { type: 'object' }, replicaSpecs: { type: 'object', additionalProperties: replicas } },
  };
  const status = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    metadata: { name: `${plural}.training.example.com` },
    spec: {
      group: 'training.example.com',
      scope: 'Namespaced',
      names: { plural, kind: plural.toUpperCase() },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
          subresources: { status: {} },
        },
      ],
    },
  };
}

export const aTrainingJob = (plural: string, name: string): object => {
  const resources = { limits: { cpu: '1', 'example.com/gpu': 1 } };
  const container = { name: 'main', image: 'busybox', command: ['train'], env: [{ name: 'A', value: 'b' }], resources };
  const replicas = { replicas: 2, template: { metadata: { labels: { app: 'train' } }, spec: { containers: [container] } } };
  return {
    apiVersion: 'training.example.com/v1',
    kind: plural.toUpperCase(),
    metadata: { name },
    spec: { replicaSpecs: { Master: replicas, Worker: { template: replicas.template } } },
  };
};
