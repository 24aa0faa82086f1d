// What a simulated container does: by its annotations, by its command, or at once.
import { describe, expect, test } from '@jest/globals';
import type { Container, Pod } from '../../lib/objects/kubernetes.ts';
import { runOf } from '../../lib/simulated-node/program.ts';

function aPod({
  annotations = {},
  restartPolicy = 'Never',
  main = {},
}: {
  annotations?: Record<string, string>;
  restartPolicy?: string;
  main?: Partial<Container>;
}): Pod {
  return { metadata: { annotations }, spec: { restartPolicy, containers: [{ name: 'main', ...main }, { name: 'side' }] } };
}

const codes = (value: string): Record<string, string> => ({ 'sim.farloop.dev/exit-codes': value });
const index = (value: number): Record<string, string> => ({ 'batch.kubernetes.io/job-completion-index': String(value) });
const first = { restartCount: 0, attempt: 0 };
const forEver = { runMs: Infinity, exitCode: 0 };
const main = (pod: Pod): Container => pod.spec.containers[0] ?? { name: 'missing' };

describe('a command that is plainly said', () => {
  test.each([
    { command: ['true'], run: { runMs: 0, exitCode: 0 } },
    { command: ['/bin/false'], run: { runMs: 0, exitCode: 1 } },
    { command: ['sleep', '2'], run: { runMs: 2000, exitCode: 0 } },
    { command: ['sleep', '1.5m'], run: { runMs: 90_000, exitCode: 0 } },
    { command: ['sleep'], args: ['3'], run: { runMs: 3000, exitCode: 0 } },
    { command: ['sh', '-c', 'exit 42'], run: { runMs: 0, exitCode: 42 } },
    { command: ['/bin/sh', '-c'], args: ['sleep 1; exit 3'], run: { runMs: 1000, exitCode: 3 } },
    { command: ['bash', '-ec', 'echo hello && sleep 1 && false'], run: { runMs: 1000, exitCode: 1 } },
    { command: ['sh', '-c', 'false && sleep 9'], run: { runMs: 0, exitCode: 1 } },
    { command: ['sh', '-c', 'exit 0; sleep 9'], run: { runMs: 0, exitCode: 0 } },
    { command: ['sh', '-c', 'sleep infinity'], run: forEver },
    { command: ['sh', '-c', 'sleep 1 & wait'], run: forEver },
    { command: ['sh', '-c', 'sleep $SECONDS'], run: forEver },
    { command: ['sh', '-c', 'curl example.com'], run: forEver },
    { command: ['python', 'train.py'], run: forEver },
    { command: ['sleep', '1', '2'], run: forEver },
    { run: forEver },
  ])('$command $args', ({ run, ...container }) => {
    const pod = aPod({ main: container });
    expect(runOf(pod, main(pod), first)).toEqual(run);
  });
});

describe('annotations come before commands', () => {
  test.each([
    { name: 'run-seconds alone ends well', annotations: { 'sim.farloop.dev/run-seconds': '2.5' }, run: { runMs: 2500, exitCode: 0 } },
    { name: 'one that is no number is none', annotations: { 'sim.farloop.dev/run-seconds': 'soon' }, run: { runMs: 0, exitCode: 0 } },
    { name: 'Never: by attempt', annotations: codes('1,2'), which: { restartCount: 0, attempt: 1 }, run: { runMs: 0, exitCode: 2 } },
    {
      name: 'beyond the list: its last',
      annotations: codes('1,2'),
      which: { restartCount: 0, attempt: 9 },
      run: { runMs: 0, exitCode: 2 },
    },
    { name: 'Never: by index', annotations: { ...codes('0,3'), ...index(1) }, run: { runMs: 0, exitCode: 3 } },
    {
      name: 'an index by attempt',
      annotations: { ...codes('0,3/0'), ...index(1) },
      which: { restartCount: 0, attempt: 1 },
      run: { runMs: 0, exitCode: 0 },
    },
    {
      name: 'OnFailure: by restart, whatever the index',
      annotations: { ...codes('1,0'), ...index(5) },
      restartPolicy: 'OnFailure',
      which: { restartCount: 0, attempt: 3 },
      run: { runMs: 0, exitCode: 1 },
    },
    { name: 'a code that is none is 0', annotations: codes('999'), run: { runMs: 0, exitCode: 0 } },
  ])('$name', ({ annotations, restartPolicy = 'Never', which = first, run }) => {
    const pod = aPod({ annotations, restartPolicy, main: { command: ['false'] } });
    expect(runOf(pod, main(pod), which)).toEqual(run);
  });

  test('other containers than the first end well', () => {
    const pod = aPod({ annotations: codes('7') });
    expect(runOf(pod, { name: 'side' }, first)).toEqual({ runMs: 0, exitCode: 0 });
  });
});
