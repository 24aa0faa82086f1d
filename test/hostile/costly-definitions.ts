// Definitions whose formats and rules take long where objects are written: by whoever may write definitions in a sandbox.
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';
import type { Resource } from '../../lib/objects/resources.ts';

export const DEFINITIONS: Resource = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};

const GROUP = 'costly.example.com';
/** Of characters that an object may hold, with room for the rest of it. */
const MOST = 1_000_000;
const TEXTS_OF_A_LIST = 1_000;
const filled = (part: string, most = MOST): string => part.repeat(Math.floor(most / Buffer.byteLength(part)));

export interface CostlyDefinition {
  /** Of the field `spec`. */
  schema: object;
  spec: unknown;
  /** Nobody can work it out in time: the server must say so, of the definition or of the object. Else it may also decide. */
  isEndless?: true;
}

const ofFormat = (format: string, spec: string): CostlyDefinition => ({ schema: { type: 'string', format }, spec });
const listOfFormat = (format: string, text: string): CostlyDefinition => ({
  schema: { type: 'array', items: { type: 'string', format } },
  spec: Array.from({ length: TEXTS_OF_A_LIST }, () => filled(text, MOST / TEXTS_OF_A_LIST)),
});
const ruled = (rule: string, spec: string, limits: object = { maxLength: MOST }): CostlyDefinition => ({
  schema: { type: 'string', ...limits, 'x-kubernetes-validations': [{ rule }] },
  spec,
});
const nestedMaps = Array.from({ length: 40 }).reduce<string>((inner, _, level) => `[1].map(x${level}, ${inner})`, '1');

/** By name, which is that of the resource too. */
export const COSTLY_DEFINITIONS: Readonly<Record<string, CostlyDefinition>> = {
  'durations of digits': ofFormat('duration', filled('1')),
  'durations of digits and a unit': ofFormat('duration', `${filled('9')}s`),
  'durations of many parts': ofFormat('duration', `${filled('1s')}x`),
  'durations of blanks': ofFormat('duration', `1${filled(' ')}`),
  'durations of numbers and blanks': ofFormat('duration', filled('1 ')),
  'durations of words': ofFormat('duration', filled('1x ')),
  'lists of durations': listOfFormat('duration', '1'),
  'addresses of one word': ofFormat('email', filled('a')),
  'addresses of dots': ofFormat('email', `${filled('a.')}@`),
  'addresses of many at': ofFormat('email', filled('a@')),
  'addresses with a long domain': ofFormat('email', `a@${filled('b.')}`),
  'addresses in quotes': ofFormat('email', `"${filled(String.raw`\"`)}`),
  'addresses in brackets': ofFormat('email', filled('(')),
  'addresses with encoded words': ofFormat('email', `${filled('=?utf-8?q?a?= ')}<a@b>`),
  'addresses of blanks': ofFormat('email', `${filled(' ')}a`),
  'lists of addresses': listOfFormat('email', 'a.'),
  'addresses of the web with a long zone': ofFormat('uri', `http://[::1${filled('%25')}\u2028]/`),
  'rules of nested maps': ruled(`${nestedMaps}.size() > 0`, 'a'),
  'rules that compare long texts': {
    ...ruled("self.split('').all(x, self + 'b' < self + 'c')", filled('a', 100_000), {}),
    isEndless: true,
  },
  'rules that replace long texts': { ...ruled("self.replace('', self).size() > 0", filled('a', 100_000), {}), isEndless: true },
  'rules about hosts of dots': ruled('isURL(self)', `http://${filled('a.', 900_000)}`),
  'rules about hosts of colons': ruled('isURL(self)', `http://[${filled(':', 900_000)}]:1/`),
  'rules about queries': ruled('url(self).getQuery().size() > 0', `http://a/?${filled('a&', 900_000)}`),
};

export const costlyResource = (name: string): Resource => {
  const plural = name.replaceAll(' ', '').toLowerCase();
  return { apiVersion: `${GROUP}/v1`, kind: `K${plural}`, plural, namespaced: true };
};

export function definitionOf({ kind, plural }: Resource, { schema }: CostlyDefinition): KubernetesObject {
  return {
    apiVersion: DEFINITIONS.apiVersion,
    kind: DEFINITIONS.kind,
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } } },
      ],
    },
  } as KubernetesObject;
}

export const costlyObject = ({ apiVersion, kind }: Resource, { spec }: CostlyDefinition): KubernetesObject =>
  ({ apiVersion, kind, metadata: { name: 'costly', namespace: 'default' }, spec }) as KubernetesObject;
