// R13: what the table holds of one workload may be anything; the list shows all others, and says of that one that it cannot be shown.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { describeWorkloads, listWorkloads } from '../../lib/api/workloads.ts';
import { embeddedPorts, know, type EmbeddedPorts } from './embedded-ports.ts';

let ports: EmbeddedPorts;
beforeEach(async () => {
  ports = await embeddedPorts('local');
});
afterEach(() => ports.close());

/** As an earlier build of ours, or somebody with the table, may have written them. */
const cases: { name: string; spec?: object; status?: object }[] = [
  { name: 'conditions that are no list', status: { conditions: { type: 'Complete' } } },
  { name: 'a condition that is null', status: { conditions: [null] } },
  { name: 'a failure policy without rules that are a list', spec: { podFailurePolicy: { rules: 1 } }, status: { conditions: 1 } },
];

test.each(cases)('$name', async ({ spec = {}, status = {} }) => {
  await know(ports, { name: 'before' });
  await know(ports, { name: 'odd', spec, status });
  await know(ports, { name: 'zebra', pods: ['zebra-1'] });
  const { items } = await listWorkloads(ports, {}, { limit: 10 });
  expect(items.map(({ name, state }) => [name, state])).toEqual([
    ['before', expect.not.stringMatching('Unreadable')],
    ['odd', 'Unreadable'],
    ['zebra', expect.not.stringMatching('Unreadable')],
  ]);
  const reason = expect.stringMatching(/^what the table keeps of it cannot be read: .+/);
  expect(items[1]).toMatchObject({ cluster: 'local', namespace: 'default', uid: 'uid-of-odd', reason });
  const named = { cluster: 'local', kind: 'Job', namespace: 'default', name: 'odd' };
  expect(await describeWorkloads(ports, named)).toMatchObject([
    { name: 'odd', state: 'Unreadable', reasons: [{ code: 'Unreadable', text: reason }], pods: [] },
  ]);
});
