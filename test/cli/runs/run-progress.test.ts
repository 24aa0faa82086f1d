// Progress of a run: on a terminal a table that is redrawn, elsewhere a line on standard error for each change.
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { runProgress } from '../../../lib/cli/runs/run-text.ts';
import { newRun } from '../../../lib/kinds/run-once/new-run.ts';
import type { RunPod, RunState } from '../../../lib/kinds/run-once/run.ts';
import { aNode, aPod, START_MS } from '../../kinds/run-once/run-world.ts';

const { stdout, stderr } = process;
const before = { out: stdout.isTTY, columns: stdout.columns, rows: stdout.rows, err: stderr.isTTY, term: process.env['TERM'] };
let written: { out: string; err: string };

beforeEach(() => {
  written = { out: '', err: '' };
  jest.spyOn(stdout, 'write').mockImplementation((text) => ((written.out += String(text)), true));
  jest.spyOn(stderr, 'write').mockImplementation((text) => ((written.err += String(text)), true));
  process.env['TERM'] = 'xterm';
  process.env['NO_COLOR'] = '1';
  Object.assign(stdout, { isTTY: true, columns: 80, rows: 24 });
  stderr.isTTY = true;
});
afterEach(() => {
  jest.restoreAllMocks();
  Object.assign(stdout, { isTTY: before.out, columns: before.columns, rows: before.rows });
  stderr.isTTY = before.err;
  if (before.term === undefined) delete process.env['TERM'];
  else process.env['TERM'] = before.term;
  delete process.env['NO_COLOR'];
});

const runWith = (...changes: Partial<RunPod>[]): RunState => {
  const given = { id: 'one', provider: 'simulated', node: aNode(), pods: [aPod('a'), aPod('longer')] };
  const run = newRun(given, new Date(START_MS));
  return { ...run, pods: run.pods.map((pod, at) => ({ ...pod, ...changes[at] })) };
};
const show = (): void => {
  const progress = runProgress();
  progress.show(runWith({ phase: 'check' }));
  progress.show(runWith({ phase: 'final', isSeen: true, status: { phase: 'Succeeded', containers: [] } }, { phase: 'check' }));
  progress.end();
};

test('on a terminal a pod has one row, which is written over until its outcome', () => {
  show();
  const [last = ''] = written.out.split('\u001B[J').slice(-1);
  expect([last, written.err]).toEqual(['ns/longer  starting\n', '']);
  expect(written.out).toContain('\u001B[2A\u001B[Jns/a       succeeded\nns/longer  waits\n');
});

test('where standard error is read by a program each change is a line there', () => {
  stderr.isTTY = false;
  show();
  expect([written.out, written.err]).toEqual(['', 'ns/a: starting\nns/a: succeeded\nns/longer: starting\n']);
});
