// What lists and `farloop explain` say of a virtual node.
import { expect, test } from '@jest/globals';
import type { VirtualNode } from '../../../lib/kinds/virtual-node/facts.ts';
import { virtualNodeShown } from '../../../lib/kinds/virtual-node/shown.ts';
import { nodeObject } from '../../../lib/kinds/virtual-node/node-object.ts';

const AMPLE = { cpu: '4', memory: '8Gi', pods: '10', 'ephemeral-storage': '1Gi' };
const settings = { name: 'edge', provider: 'simulated' as const, labels: {}, taints: [], takesDaemonSets: true, capacity: AMPLE };
const node = nodeObject(settings) as VirtualNode;
const status = { ...node.status, conditions: [{ type: 'Ready', status: 'True' }] };

const reasonOf = (spec: object) => {
  const owner = { ...node, spec: { ...node.spec, ...spec }, status };
  return virtualNodeShown.reasonsOf({ owner, kept: {} } as never, new Date(0), {});
};

test('a node that is well takes pods; one that is cordoned does not, and says so', () => {
  expect(reasonOf({})).toEqual([{ code: 'TakesPods', text: 'it takes pods: 0 admitted' }]);
  expect(reasonOf({ unschedulable: true })).toEqual([{ code: 'Cordoned', text: 'it is cordoned and takes no new pods: 0 admitted' }]);
});
