// Logs of a workload's pods: one poll after another gives each line once, in the order of time, whatever happens to pods and logs meanwhile.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ContainerLog, LogQuery } from '../../../lib/api/logs/log-reading.ts';
import { workloadLogs, type WorkloadLogs } from '../../../lib/api/logs/workload-logs.ts';
import { viewsNamed } from '../../../lib/api/workloads.ts';
import { cursorIn } from '../../../lib/api/logs/log-cursor.ts';
import type { PodStatus } from '../../../lib/objects/kubernetes.ts';
import { NotDoneError, TerminalError } from '../../../lib/ports/errors.ts';
import { embeddedPorts, know, type EmbeddedPorts, type KnownJob } from '../embedded-ports.ts';
import { PlayedLogs } from './played-logs.ts';

const T = Date.parse('2026-05-01T10:00:00Z');
const FILTER = { cluster: 'local', kind: 'Job', namespace: 'default', name: 'demo' };

let ports: EmbeddedPorts;
let logs: PlayedLogs;
beforeEach(async () => {
  ports = await embeddedPorts('local');
  logs = new PlayedLogs();
});
afterEach(() => ports.close());

const running = (restartCount = 0): PodStatus => ({
  phase: 'Running',
  containerStatuses: [{ name: 'main', restartCount, state: { running: {} } }],
});
const ended = (exitCode: number, reason = exitCode === 0 ? 'Completed' : 'Error'): PodStatus => ({
  phase: exitCode === 0 ? 'Succeeded' : 'Failed',
  containerStatuses: [{ name: 'main', restartCount: 0, state: { terminated: { exitCode, reason } } }],
});
const pods = (...named: [string, PodStatus][]): NonNullable<KnownJob['pods']> => named.map(([name, status]) => ({ name, status }));

async function ask(query: LogQuery = {}): Promise<WorkloadLogs> {
  const [found] = await viewsNamed(ports, FILTER);
  if (!found) throw new Error('it is not known');
  const workload = { record: found.record, facts: found.known.row.facts, view: found.known.view, namespace: 'default' };
  const answer = await workloadLogs({ ...ports, lookUp: () => logs }, workload, query);
  if (!answer) throw new Error('nobody has answered');
  return answer;
}

const linesOf = ({ items }: { items: ContainerLog[] }, pod = 'a'): string[] =>
  items.filter((item) => item.pod === pod).flatMap(({ lines }) => lines.map(({ text }) => text));

/** Polls on until nothing more is there at once. */
async function askOn(first: WorkloadLogs, query: LogQuery = {}, mostPolls = 50): Promise<{ items: ContainerLog[]; last: WorkloadLogs }> {
  const items: ContainerLog[] = [];
  let last = first;
  for (let poll = 0; poll < mostPolls; poll += 1) {
    last = await ask({ ...query, after: cursorIn(last.cursor) });
    items.push(...last.items);
    if (!last.hasMore) return { items, last };
  }
  throw new Error('it never came to an end');
}

describe('one poll after another', () => {
  test('gives all of a run that began in the second in which the one before ended', async () => {
    await know(ports, { name: 'demo', pods: pods(['a', running()]) });
    logs.write('a', [T, 'first started\n']);
    const first = await ask();
    logs.write('a', [T + 4_000, 'first ended\n']);
    logs.restart('a');
    logs.write('a', [T + 4_000, 'second started\n'], [T + 9_000, 'second ended\n']);
    ports.close();
    ports = await embeddedPorts('local');
    await know(ports, { name: 'demo', pods: pods(['a', running(1)]) });
    const { items } = await askOn(first);
    expect(linesOf({ items })).toEqual(['first ended', 'second started', 'second ended']);
  });

  test('gives the end of a log whose last lines are more than usual', async () => {
    await know(ports, { name: 'demo', pods: pods(['a', ended(1)]) });
    for (let at = 0; at < 60_000; at += 1) logs.write('a', [T, `${at} ${'x'.repeat(30)}\n`]);
    const first = await ask({ tail: 25_000 });
    const { items } = first.hasMore ? await askOn(first) : { items: [] };
    const lines = [...linesOf(first), ...linesOf({ items })];
    expect(lines).toHaveLength(25_000);
    expect(lines.at(-1)).toMatch(/^59999 /);
  });

  test('gives each line once, also where many have one time', async () => {
    await know(ports, { name: 'demo', pods: pods(['a', running()]) });
    logs.write('a', [T, 'one\n'], [T + 400, 'two\n'], [T + 400, 'two\n']);
    let answer = await ask();
    expect(linesOf(answer)).toEqual(['one', 'two', 'two']);
    expect(answer).toMatchObject({ hasMore: false, hasEnded: false, leftOut: { count: 0 } });
    for (const line of [
      [T + 400, 'two\n'],
      [T + 900, 'three\n'],
      [T + 9_000, 'four\n'],
    ] as const) {
      logs.write('a', line);
      const { items, last } = await askOn(answer);
      expect(linesOf({ items })).toEqual([line[1].trim()]);
      answer = last;
    }
    expect(linesOf({ items: (await askOn(answer)).items })).toEqual([]);
  });

  test('goes on behind the last lines that were asked for, where others of the same time stand before them', async () => {
    await know(ports, { name: 'demo', pods: pods(['a', running()]) });
    logs.write('a', ...Array.from({ length: 5 }, (_, at): [number, string] => [T, `line ${at}\n`]));
    const first = await ask({ tail: 2 });
    expect(linesOf(first)).toEqual(['line 3', 'line 4']);
    logs.write('a', [T, 'line 5\n']);
    const { items, last } = await askOn(first);
    expect(linesOf({ items })).toEqual(['line 5']);
    logs.write('a', [T, 'line 6\n']);
    expect(linesOf(await askOn(last))).toEqual(['line 6']);
  });

  test('of which none were asked for gives what comes later alone', async () => {
    await know(ports, { name: 'demo', pods: pods(['a', running()]) });
    logs.write('a', [T, 'before\n']);
    const first = await ask({ tail: 0 });
    expect(linesOf(first)).toEqual([]);
    logs.write('a', [T, 'after\n']);
    expect(linesOf(await askOn(first))).toEqual(['after']);
  });

  test('since a time leaves out what was before, to the millisecond, and afterwards too', async () => {
    await know(ports, { name: 'demo', pods: pods(['a', running()]) });
    logs.write('a', [T + 100, 'before\n'], [T + 600, 'after\n']);
    const first = await ask({ sinceMs: T + 500 });
    expect(linesOf(first)).toEqual(['after']);
    const none = await ask({ sinceMs: T + 700 });
    expect(linesOf(none)).toEqual([]);
    logs.write('a', [T + 800, 'later\n']);
    expect([linesOf(await askOn(first)), linesOf(await askOn(none))]).toEqual([['later'], ['later']]);
  });

  test('gives a long log whole, in the order of time across pods', async () => {
    await know(ports, { name: 'demo', pods: pods(['a', ended(0)], ['b', ended(0)]) });
    for (let at = 0; at < 3_000; at += 1) {
      logs.write('a', [T + at * 10, `${at} ${'x'.repeat(500)}\n`]);
      if (at % 10 === 0) logs.write('b', [T + at * 10 + 5, `b ${at}\n`]);
    }
    const first = await ask({ tail: 'all' });
    const { items } = await askOn(first);
    const answers = [...first.items, ...items];
    expect(linesOf({ items: answers }).map((text) => Number.parseInt(text, 10))).toEqual(Array.from({ length: 3_000 }, (_, at) => at));
    expect(linesOf({ items: answers }, 'b')).toHaveLength(300);
    // No line of one answer is older than any of the answer before.
    let latest = '';
    for (let at = 0; at < answers.length; at += 2) {
      const times = answers.slice(at, at + 2).flatMap(({ lines }) => lines.map(({ time = '' }) => time));
      expect(times.filter((time) => time < latest)).toEqual([]);
      latest = times.toSorted().at(-1) ?? latest;
    }
  });

  test('passes over a second in which more was written than can be read, and says so', async () => {
    await know(ports, { name: 'demo', pods: pods(['a', running()]) });
    for (let at = 0; at < 3_000; at += 1) logs.write('a', [T, `${at} ${'x'.repeat(1_000)}\n`]);
    logs.write('a', [T + 1_000, 'the next second\n']);
    const first = await ask();
    const { items } = await askOn(first);
    const lines = linesOf({ items: [...first.items, ...items] });
    expect(lines.at(-1)).toBe('the next second');
    expect(lines.slice(0, -1).map((text) => Number.parseInt(text, 10))).toEqual(Array.from({ length: lines.length - 1 }, (_, at) => at));
    expect(lines.length).toBeGreaterThan(1_000);
    expect(items.flatMap(({ gap }) => gap ?? [])).toEqual([
      'more than can be read was written within one second: the rest of it is left out here',
    ]);
  });

  test('leaves the unfinished last line of what runs for later', async () => {
    await know(ports, { name: 'demo', pods: pods(['a', running()]) });
    logs.write('a', [T, 'one\n'], [T + 1, 'unfinish']);
    const first = await ask();
    expect(linesOf(first)).toEqual(['one']);
    logs.write('a', [T + 1, 'ed\n']);
    await know(ports, { name: 'other' });
    const log = logs.pods.get('a');
    if (!log || log instanceof Error) throw new Error('no log');
    log.lines.splice(1, 2, { atMs: T + 1, text: 'unfinished\n' });
    expect(linesOf(await askOn(first))).toEqual(['unfinished']);
  });

  test('says where the log began anew, and goes on by time', async () => {
    await know(ports, { name: 'demo', pods: pods(['a', running()]) });
    logs.write('a', [T, 'one\n'], [T + 1, 'two\n']);
    const first = await ask();
    logs.pods.set('a', { lines: [{ atMs: T + 5, text: 'of the next file\n' }] });
    const { items } = await askOn(first);
    expect(items).toMatchObject([{ gap: expect.stringContaining('begins anew'), lines: [{ text: 'of the next file' }] }]);
  });

  test('a log without times is counted', async () => {
    await know(ports, { name: 'demo', pods: pods(['a', running()]) });
    logs.pods.set('a', { hasNoTimes: true, lines: ['one\n', 'two\n'].map((text) => ({ atMs: T, text })) });
    const [all, end] = [await ask(), await ask({ tail: 1 })];
    expect([linesOf(all), linesOf(end)]).toEqual([['one', 'two'], ['two']]);
    logs.write('a', [T, 'three\n']);
    expect([linesOf(await askOn(all)), linesOf(await askOn(end))]).toEqual([['three'], ['three']]);
  });
});

describe('pods', () => {
  test('that start again: the rest of the run before, then the next one', async () => {
    const uid = 'uid-of-demo';
    await know(ports, { name: 'demo', uid, pods: pods(['a', running()]) });
    logs.write('a', [T, 'one\n']);
    const first = await ask();
    logs.write('a', [T + 1, 'its last words\n']);
    logs.restart('a');
    logs.write('a', [T + 2_000, 'it is back\n']);
    ports.close();
    ports = await embeddedPorts('local');
    await know(ports, { name: 'demo', uid, pods: pods(['a', running(1)]) });
    const { items } = await askOn(first);
    expect(linesOf({ items })).toEqual(['its last words', 'it is back']);
    expect(items.flatMap(({ gap }) => gap ?? [])).toEqual([]);
  });

  test('beyond twenty are left out, and named', async () => {
    const names = Array.from({ length: 23 }, (_, at) => `pod-${at}`);
    await know(ports, { name: 'demo', pods: pods(...names.map((name, at): [string, PodStatus] => [name, at < 3 ? ended(0) : running()])) });
    for (const name of names) logs.write(name, [T, `${name}\n`]);
    const answer = await ask();
    expect(answer.items.map(({ pod }) => pod)).toEqual(names.slice(3));
    expect(answer.leftOut).toEqual({ count: 3, pods: names.slice(0, 3) });
    expect(answer.tail).toBe(10);
  });

  test('that come later join; those that have ended are not read again; the end of all is told', async () => {
    await know(ports, { name: 'demo', pods: pods(['a', ended(0)]) });
    logs.write('a', [T, 'a\n']);
    const first = await ask();
    expect(first).toMatchObject({ hasEnded: false, items: [{ hasEnded: true }] });
    ports.close();
    ports = await embeddedPorts('local');
    const conditions = [{ type: 'Complete', status: 'True' }];
    await know(ports, { name: 'demo', pods: pods(['a', ended(0)], ['b', ended(0)]), status: { conditions } });
    logs.write('b', [T + 1, 'b\n']);
    const before = logs.asked.length;
    const { items, last } = await askOn(first);
    expect(items.map(({ pod, lines }) => [pod, lines.map(({ text }) => text)])).toEqual([['b', ['b']]]);
    expect(logs.asked.length - before).toBe(1);
    expect(last.hasEnded).toBe(true);
  });

  test('are chosen by name, and by container', async () => {
    await know(ports, { name: 'demo', pods: pods(['a', running()], ['b', running()]) });
    for (const name of ['a', 'b']) logs.write(name, [T, `${name}\n`]);
    expect((await ask({ pod: 'b', container: 'side' })).items.map(({ pod, container, others }) => [pod, container, others])).toEqual([
      ['b', 'side', ['main']],
    ]);
    expect(logs.asked.at(-1)).toMatchObject({ container: 'side' });
    expect((await ask({ pod: 'c' })).items).toEqual([]);
  });
});

describe('where there is no log', () => {
  const problemOf = async (status: PodStatus, error?: Error): Promise<ContainerLog | undefined> => {
    await know(ports, { name: 'demo', pods: pods(['a', status]) });
    if (error) logs.pods.set('a', error);
    return (await ask()).items[0];
  };

  test('the kubelet says that the container waits', async () => {
    const said = 'container "main" in pod "a" is waiting to start: ContainerCreating';
    expect(await problemOf(running(), new TerminalError(`get pods at x: ${said}`, { code: 400, said }))).toMatchObject({
      problem: said,
      hasEnded: false,
    });
  });

  test('what Farloop knows of a pod that is gone is told', async () => {
    expect(await problemOf(ended(137, 'OOMKilled'))).toMatchObject({
      isGone: true,
      hasEnded: true,
      problem: 'pod a is gone, and its log with it; container main ended with exit code 137 (OOMKilled)',
    });
  });

  test('a pod that nobody could place says why', async () => {
    const status = {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }],
    };
    logs.write('a');
    expect(await problemOf(status as PodStatus)).toMatchObject({
      problem: 'pod a has not started: Unschedulable: 0/3 nodes',
      hasEnded: false,
    });
  });

  test('a cluster that is registered without the right is to be registered again', async () => {
    const said = 'pods "a" is forbidden: User "farloop" cannot get resource "pods/log" in API group ""';
    expect(await problemOf(running(), new TerminalError(said, { code: 403, said }))).toMatchObject({
      problem: expect.stringContaining('give "farloop cluster add" for it again'),
      hasEnded: true,
    });
  });

  test('one that cannot be asked now is asked again, for the lines from the end that were wanted', async () => {
    const item = await problemOf(running(), new NotDoneError('no way there'));
    expect(item).toMatchObject({ problem: 'the log of pod a cannot be read: no way there', hasEnded: false });
    const first = await ask({ tail: 1 });
    logs.pods.delete('a');
    logs.write('a', [T, 'one\n'], [T, 'two\n']);
    expect(linesOf(await askOn(first))).toEqual(['two']);
  });
});
