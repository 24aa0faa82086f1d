// What is left out of an object's text before it is parsed: just those lists, whatever texts look like.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { leaveOut, leaveOutOfOne } from '../../../lib/adapters/kubernetes/leave-out.ts';

const slim = (text: string, how: (bytes: Buffer) => number): string => {
  const bytes = Buffer.from(text);
  return bytes.toString('utf8', 0, how(bytes));
};

const pod = (annotation: string, name: string): object => ({
  metadata: { name, annotations: { note: annotation }, managedFields: [{ manager: 'm', fieldsV1: { 'k:{"a":"]}"}': [annotation, [1]] } }] },
  spec: {
    volumes: [{ name: annotation, sources: [[], ['x']] }],
    initContainers: [{ name: 'init', restartPolicy: 'Always', env: [] }],
    containers: [{ name: 'main', env: [{ name: 'PASSWORD', value: annotation }] }],
    tolerations: [{ key: 'k' }],
    nodeName: 'node-1',
  },
  status: { phase: 'Running', containerStatuses: [{ name: 'main', state: { running: {} } }] },
});
const slimPod = (annotation: string, name: string): object => ({
  metadata: { name, annotations: { note: annotation }, managedFields: [] },
  spec: {
    volumes: [],
    initContainers: [{ name: 'init', restartPolicy: 'Always', env: [] }],
    containers: [],
    tolerations: [],
    nodeName: 'node-1',
  },
  status: { phase: 'Running', containerStatuses: [{ name: 'main', state: { running: {} } }] },
});

const tricky = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('"', '\\', '[', ']', '{', '}', ':', '"managedFields":[', '"containers":[', 'ä€😀'), { maxLength: 8 })
    .map((parts) => parts.join('')),
);

describe('objects without what the relay never reads', () => {
  test('keep everything else, whatever their texts hold', () => {
    fc.assert(
      fc.property(tricky, (annotation) => {
        const text = JSON.stringify({ type: 'ADDED', object: pod(annotation, 'p') });
        expect(JSON.parse(slim(text, leaveOutOfOne))).toEqual({ type: 'ADDED', object: slimPod(annotation, 'p') });
      }),
    );
  });

  test('in lists too, where each list comes many times', () => {
    fc.assert(
      fc.property(fc.array(tricky, { maxLength: 5 }), (annotations) => {
        const items = annotations.map((annotation, at) => pod(annotation, `p-${at}`));
        const text = JSON.stringify({ metadata: { resourceVersion: '1' }, items });
        expect(JSON.parse(slim(text, leaveOut))).toEqual({
          metadata: { resourceVersion: '1' },
          items: annotations.map((annotation, at) => slimPod(annotation, `p-${at}`)),
        });
      }),
    );
  });

  test('objects without any of them stay as they are', () => {
    const text = JSON.stringify({ kind: 'Status', details: { causes: [{ field: 'spec.containers' }] } });
    expect([slim(text, leaveOut), slim(text, leaveOutOfOne)]).toEqual([text, text]);
  });

  test('a text that is cut off stays unreadable', () => {
    const text = JSON.stringify(pod('x', 'p'));
    for (let end = 1; end < text.length; end += 7) expect(() => JSON.parse(slim(text.slice(0, end), leaveOutOfOne))).toThrow(SyntaxError);
  });
});
