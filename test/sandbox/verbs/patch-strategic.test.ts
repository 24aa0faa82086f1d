// Strategic merge patches: lists by key, sets, directives.
import { describe, expect, test } from '@jest/globals';
import { strategicPatched } from '../../../lib/sandbox/verbs/patch-strategic.ts';
import { schemaOf } from '../../../lib/sandbox/schema/notation.ts';

const pod = {
  metadata: { labels: { a: '1', b: '2' }, finalizers: ['x/1', 'x/2'] },
  spec: {
    containers: [
      {
        name: 'one',
        image: 'i1',
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
        args: ['a', 'b'],
      },
      { name: 'two', image: 'i2' },
    ],
    nodeSelector: { disk: 'ssd' },
  },
};

const cases: { name: string; patch: Record<string, unknown>; path: string; becomes: unknown }[] = [
  {
    name: 'maps merge, null removes',
    patch: { metadata: { labels: { a: null, c: '3' } } },
    path: 'metadata.labels',
    becomes: { b: '2', c: '3' },
  },
  {
    name: 'a list with a merge key merges by it',
    patch: { spec: { containers: [{ name: 'two', image: 'new' }] } },
    path: 'spec.containers',
    becomes: [pod.spec.containers[0], { name: 'two', image: 'new' }],
  },
  {
    name: 'an unknown key comes first: nothing says what it stands behind',
    patch: { spec: { containers: [{ name: 'three', image: 'i3' }] } },
    path: 'spec.containers',
    becomes: [{ name: 'three', image: 'i3' }, ...pod.spec.containers],
  },
  {
    name: '$patch: delete removes by key',
    patch: { spec: { containers: [{ name: 'one', $patch: 'delete' }] } },
    path: 'spec.containers',
    becomes: [{ name: 'two', image: 'i2' }],
  },
  {
    name: '$patch: replace replaces the list',
    patch: { spec: { containers: [{ $patch: 'replace' }, { name: 'new', image: 'n' }] } },
    path: 'spec.containers',
    becomes: [{ name: 'new', image: 'n' }],
  },
  {
    name: '$patch: replace replaces an object',
    patch: { spec: { nodeSelector: { $patch: 'replace', zone: 'z' } } },
    path: 'spec.nodeSelector',
    becomes: { zone: 'z' },
  },
  {
    name: 'a list without a key is replaced',
    patch: { spec: { containers: [{ name: 'one', args: ['c'] }] } },
    path: 'spec.containers.0.args',
    becomes: ['c'],
  },
  {
    name: 'a set merges',
    patch: { metadata: { finalizers: ['x/3', 'x/1'] } },
    path: 'metadata.finalizers',
    becomes: ['x/3', 'x/1', 'x/2'],
  },
  {
    name: '$deleteFromPrimitiveList takes out of a set',
    patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['x/1'] } },
    path: 'metadata.finalizers',
    becomes: ['x/2'],
  },
  {
    name: '$setElementOrder orders what it names',
    patch: { spec: { '$setElementOrder/containers': [{ name: 'two' }, { name: 'one' }], containers: [{ name: 'one', image: 'i1b' }] } },
    path: 'spec.containers.1.image',
    becomes: 'i1b',
  },
  {
    name: 'nested lists merge too',
    patch: {
      spec: {
        containers: [
          {
            name: 'one',
            env: [
              { name: 'B', value: 'new' },
              { name: 'C', value: '3' },
            ],
          },
        ],
      },
    },
    path: 'spec.containers.0.env',
    becomes: [
      { name: 'A', value: '1' },
      { name: 'B', value: 'new' },
      { name: 'C', value: '3' },
    ],
  },
  {
    name: '$retainKeys drops the others',
    patch: { metadata: { $retainKeys: ['labels'], labels: {} } },
    path: 'metadata',
    becomes: { labels: { a: '1', b: '2' } },
  },
];

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce((found: unknown, key) => {
    if (Array.isArray(found)) return found[Number(key)];
    return typeof found === 'object' && found !== null ? Object.entries(found).find(([name]) => name === key)?.[1] : undefined;
  }, value);
}

describe('strategic merge patch', () => {
  test.each(cases)('$name', ({ patch, path, becomes }) => {
    const before = structuredClone(pod);
    const patched = strategicPatched(schemaOf('Pod'), pod, patch);
    expect(at(patched, path)).toEqual(becomes);
    expect(pod).toEqual(before);
  });

  test('an element without its key is refused', () => {
    expect(() => strategicPatched(schemaOf('Pod'), pod, { spec: { containers: [{ image: 'x' }] } })).toThrow(/merge key: name/);
  });
});
