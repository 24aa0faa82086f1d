// Progress of a run: on a terminal a table that is redrawn, elsewhere a line on standard error for each change.
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { junitText, runProgress, runText } from '../../../lib/cli/runs/run-text.ts';
import { newRun } from '../../../lib/kinds/run-once/new-run.ts';
import { summaryOf } from '../../../lib/kinds/run-once/results.ts';
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

test('a cancelled pod is ending until its task has ended: on a terminal its row stays so long', () => {
  const cancelled = { phase: 'final', error: 'run cancelled', isSeen: true } as const;
  const ended = { ...cancelled, stop: { atMs: START_MS, isOver: true } } as const;
  const progress = runProgress();
  const ending: RunState = { ...runWith(cancelled, ended), stage: 'cancelled' };
  progress.show(ending);
  progress.show({ ...ending, pods: runWith(ended, ended).pods });
  progress.end();
  expect(written.out).toMatch(/ns\/longer {2}cancelled\n.*ns\/a {7}ending\n[^]*ns\/a {7}cancelled\n$/);
  expect(runText(summaryOf(ending))).toMatch(/^run one on edge: cancelled, and its pods are ending; 0 ok, 2 failed/);
  expect(runText(summaryOf({ ...ending, finishedAtMs: START_MS }))).toMatch(/^run one on edge: cancelled; 0 ok/);
  expect(runText(summaryOf({ ...ending, options: { ...ending.options, cleanup: 'keep' } }))).toMatch(/^run one on edge: cancelled/);
});

test('as JUnit a pod without an outcome is an error: a run that goes on has not gone well', () => {
  const xml = junitText(summaryOf(runWith({ phase: 'final', status: { phase: 'Succeeded', containers: [] } }, { phase: 'check' })));
  expect(xml).toContain('<testsuite name="one" tests="2" failures="0" errors="1" skipped="0"');
  expect(xml).toContain(
    '<testcase classname="ns" name="longer"><error message="no outcome yet: waits for a look at its status"/></testcase>',
  );
});
