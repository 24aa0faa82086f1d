// `farloop plan` of a pod's admission as people and programs run it: the examples, what docs/preemption.md prints, streams, exit codes.
import { describe, expect, test } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { planStream } from '../../lib/cli/manifests/plan-stream.ts';
import { aNode, anAgent, aPod } from '../kinds/virtual-pod/documents.ts';
import { pageOf } from '../walk/pages.ts';
import { root, runWithin } from './farloop-process.ts';

/** Commands of the page, each with the output that the page shows. */
const shown = pageOf(readFileSync(join(root, 'docs/preemption.md'), 'utf8')).commands.flatMap(({ text, shown: lines }) => {
  const [, command = '', file = ''] = /^npx farloop (plan -f (\S+) .*)$/.exec(text) ?? [];
  return lines === undefined ? [] : [{ command, file, output: lines.map((line) => `${line}\n`).join('') }];
});

describe('docs/preemption.md', () => {
  test('shows each example', () => {
    expect(shown.map(({ file }) => file).toSorted()).toEqual(globSync('examples/preemption/*.yaml', { cwd: root }).toSorted());
  });

  test.each(shown)('farloop $command', async ({ command, output }) => {
    expect(await runWithin(command.split(' '))).toEqual({ exitCode: 0, stdout: output, stderr: '' });
  });
});

test('a refusal names document and field, and exits with 2', async () => {
  const { exitCode, stderr } = await runWithin(['plan', '-f', 'examples/preemption/no-room.yaml', '--workload', 'Pod/default/nobody']);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: 'farloop: no workload is named Pod/default/nobody; there are Pod/shop/web, Pod/default/report\n',
  });
});

test('in a stream each line has its own admission or error', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const printed = textOf(output);
  const now = '2026-05-01T10:00:00Z';
  const workload = 'Pod/kube-system/agent';
  const web = aPod('shop/web', { requests: { cpu: '900m' } });
  const lines = [
    { id: 1, now, workload, objects: [aNode(), web, anAgent({ requests: { cpu: '500m' } })] },
    { id: 2, now, workload, objects: [aNode(null), anAgent()] },
    { id: 3, now, workload, objects: [aNode(), web] },
    { id: 4, now, workload, objects: [aNode(), anAgent({ requests: { cpu: '500m' } })] },
  ];
  input.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  expect(await planStream(input, output)).toEqual({ lines: 4, unplanned: 2 });
  output.end();
  const answers = (await printed)
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(answers).toMatchObject([
    { id: 1, admission: { state: 'preempting', victims: [{ name: 'web' }] }, actions: [{ verb: 'event' }, { verb: 'evict', name: 'web' }] },
    { id: 2, error: 'objects[0]: status.allocatable: expected the amounts that the node has for pods, found nothing' },
    { id: 3, error: 'no workload is named Pod/kube-system/agent; there are Pod/shop/web' },
    { id: 4, admission: { state: 'admitted' }, outcome: 'converged' },
  ]);
});
