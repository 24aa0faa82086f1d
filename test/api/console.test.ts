// The console as its script shows it: the page itself and its modules, run against the API over a socket, in as much of a browser as they
// ask for.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeWorkloads } from '../../lib/api/workloads.ts';
import { evidenceText } from '../../lib/cli/queries/explain.ts';
import { consoleFolder } from '../../lib/files/package-files.ts';
import { createHead } from '../../lib/reconciler/head/heads.ts';
import { until } from '../claims.ts';
import { aPass } from '../contracts/recorder.ts';
import type { Listening } from '../listening.ts';
import { embeddedPorts, giveUp, know, type EmbeddedPorts, type KnownJob } from './embedded-ports.ts';
import { Page } from './page.ts';
import { serveApi } from './served-api.ts';

const TOKEN = 'a-token-of-this-test';
/** Where nothing may be taken for markup. */
const HOSTILE = '<img src=x onerror=alert(1)>';
/** And where nothing may change how the rest is read. */
const REVERSING = 'a\u202Egpj.exe\u2066\nb';

let ports: EmbeddedPorts;
let api: Listening;
let page: Page;
const formerGlobals = new Map<string, PropertyDescriptor | undefined>();

beforeAll(async () => {
  ports = await embeddedPorts('local', 'staging');
  api = await serveApi(ports, TOKEN);
  page = new Page({
    html: readFileSync(join(consoleFolder(), 'index.html'), 'utf8'),
    origin: api.url,
    hash: `#token=${TOKEN}`,
  });
  for (const [name, value] of Object.entries(page.globals)) {
    formerGlobals.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  await know(ports, {
    name: 'demo',
    cluster: 'staging',
    spec: { backoffLimit: 3 },
    status: { active: 2, startTime: '2026-05-01T10:00:01Z' },
    pods: ['demo-a', 'demo-b'],
  });
  await know(ports, {
    name: 'reversed',
    status: { conditions: [{ type: 'Failed', status: 'True', reason: 'Odd', message: REVERSING }] },
  });
  await know(ports, { name: 'stuck', state: { park: { failures: 1, untilMs: Date.now() + 60_000, reason: HOSTILE, generation: 1 } } });
  const local = await ports.clusters.get('local');
  if (!local) throw new Error('local is not registered');
  await createHead(ports, { cluster: 'local', kind: 'VirtualNode', namespace: '', name: 'edge', uid: 'uid-of-edge' }, local);
  const key = { cluster: 'staging', kind: 'Job' as const, namespace: 'default', name: 'demo', uid: 'uid-of-demo' };
  await ports.recorder.append(aPass(Date.now() - 5_000, { key }));
  await import(pathToFileURL(join(consoleFolder(), 'console.js')).href);
});

afterAll(async () => {
  for (const [name, descriptor] of formerGlobals)
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    else Reflect.deleteProperty(globalThis, name);
  await api.stop();
  ports.close();
});

const shows = async (text: string): Promise<void> =>
  await until(
    `the page shows ${text}`,
    () => page.text.includes(text),
    5_000,
    async () => page.text,
  );

const currentPage = (): (string | undefined)[] =>
  page.root
    .querySelectorAll('nav a')
    .filter((link) => link.getAttribute('aria-current') === 'page')
    .map((link) => link.textContent);

beforeEach(async () => {
  page.goTo('#/');
  await shows('Job default/demo');
});
afterEach(() => {
  page.hidden = false;
});

describe('the console', () => {
  test('takes the token out of the address, and shows clusters and workloads', async () => {
    expect(page.location.hash).toBe('#/');
    expect(page.text).toContain('staging');
    expect(page.text).toContain('Job default/demo on staging');
    expect(currentPage()).toEqual(['Clusters and workloads']);
    for (const area of page.root.querySelectorAll('.scroll')) expect(area.getAttribute('aria-label')).toMatch(/\w/);
    expect(page.byId('freshness').textContent).toMatch(/^as of /);
  });

  test('text that would reverse what follows is shown as what it is', async () => {
    page.control('Job default/reversed').click();
    await shows('a\\u202egpj.exe\\u2066\\nb');
    expect(page.text).not.toMatch(/\p{Bidi_Control}/u);
  });

  test('a workload: where it stands, its passes and why, its pods', async () => {
    page.control('Job default/demo').click();
    await shows('Passes');
    expect(page.location.hash).toBe('#/workloads/staging/Job/default/demo');
    for (const text of ['uid uid-of-demo', '2 pods are missing', 'create Pod n/j-0-abcde and 1 more', 'demo-a', 'PodsRunning'])
      expect(page.text).toContain(text);
    expect(page.activeElement).toBe(page.byId('main'));
  });

  test('a workload of a kind without pods: no word of pods', async () => {
    page.control('VirtualNode edge').click();
    await shows('uid uid-of-edge');
    expect(page.text).toContain('Conditions');
    expect(page.text).not.toContain('Pods');
  });

  test('a cluster that does not answer, since when and why, and what its workloads wait for; and that it answers again', async () => {
    const silence = { downSinceMs: Date.now() - 65_000, probeAtMs: Date.now() + 60_000, reason: `no answer within 3 s ${HOSTILE}` };
    await ports.store.putNote('staging', 'reach', JSON.stringify(silence), 0);
    page.tick();
    await shows('stagingUnreachable, ');
    await shows(`s ago: its API server does not answer: no answer within 3 s ${HOSTILE}`);
    page.control('Job default/demo').click();
    await shows('Unreachable: no answer from the cluster since');
    expect(page.text).toMatch(/tried again in \d+ s/);
    await ports.store.putNote('staging', 'reach', JSON.stringify({ ...silence, downSinceMs: null }), 1);
    page.goTo('#/');
    page.tick();
    await until('it is well', () => !page.text.includes('Unreachable') && page.text.includes('staging'), 5_000);
  });

  const evidence: { name: string; job: Omit<KnownJob, 'name'>; shows: string[] }[] = [
    {
      name: 'indexes',
      job: {
        spec: { completionMode: 'Indexed', completions: 5, backoffLimitPerIndex: 0 },
        status: { failedIndexes: '1,3', conditions: [{ type: 'Failed', status: 'True', reason: 'FailedIndexes' }] },
        pods: [
          {
            name: 'indexes-3-x',
            status: { phase: 'Failed', containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 42 } } }] },
          },
        ],
      },
      shows: ['Failed FailedIndexes', '(indexes 1,3, pod indexes-3-x, exit code 42)'],
    },
    {
      name: 'one-index',
      job: {
        spec: { completionMode: 'Indexed', completions: 5, backoffLimitPerIndex: 0 },
        status: { failedIndexes: '3', conditions: [{ type: 'Failed', status: 'True', reason: 'FailedIndexes' }] },
      },
      shows: ['1 index failed (index 3)'],
    },
    {
      name: 'ruled',
      job: {
        status: {
          conditions: [
            {
              type: 'Failed',
              status: 'True',
              reason: 'PodFailurePolicy',
              message: 'Pod default/ruled-y has condition ConfigIssue matching FailJob rule at index 1',
            },
          ],
        },
      },
      shows: ['PodFailurePolicyMatched: ', 'ruled-y', 'rule at index 1'],
    },
    {
      name: 'evicted',
      job: {
        spec: { backoffLimit: 0 },
        status: { failed: 1, conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] },
        pods: [{ name: 'evicted-x', status: { phase: 'Failed', reason: 'Evicted', message: 'low on memory' } }],
      },
      shows: ['(pod evicted-x, Evicted: low on memory)'],
    },
    {
      name: 'unpulled',
      job: {
        status: { active: 2, startTime: '2026-05-01T10:00:01Z' },
        pods: ['a', 'b'].map((name) => ({
          name: `unpulled-${name}`,
          status: {
            phase: 'Pending',
            containerStatuses: [{ name: 'main', state: { waiting: { reason: 'ErrImagePull', message: HOSTILE } } }],
          },
        })),
      },
      shows: ['Waiting ErrImagePull', `ErrImagePull (container main): ${HOSTILE} (2 pods) (pods unpulled-a, unpulled-b)`],
    },
  ];
  test.each(evidence)('all evidence that the command line shows: $name', async ({ name, job, shows: texts }) => {
    await know(ports, { name, ...job });
    page.goTo(`#/workloads/local/Job/default/${name}`);
    await shows(`uid uid-of-${name}`);
    for (const text of texts) expect(page.text).toContain(text);
    // Word for word what `explain` prints of each reason.
    const [workload] = await describeWorkloads(ports, { cluster: 'local', kind: 'Job', namespace: 'default', name });
    for (const reason of workload?.reasons ?? []) expect(page.text).toContain(`${reason.code}: ${reason.text}${evidenceText(reason)}`);
  });

  test('what waits for a person: parked workloads and dead letters, as text whatever they say; redriven, they are gone', async () => {
    const bodies = [HOSTILE, 'not a timer'];
    await ports.queue.send(
      'timers',
      bodies.map((body) => ({ body })),
    );
    await giveUp(ports, 'timers');
    const [letter] = await ports.queue.deadLetters('timers', 1);
    page.control('Parked and dead letters').click();
    await shows('the timer is no JSON');
    expect(page.text.split(HOSTILE)).toHaveLength(3);
    expect(page.root.querySelectorAll('img')).toEqual([]);
    expect(page.text).toContain('Job default/stuck on local');
    expect(currentPage()).toEqual(['Parked and dead letters']);

    page.control(`Redrive ${letter?.messageId}`).click();
    await until('one letter is left', async () => (await ports.queue.deadLetters('timers', 9)).length === 1);
    await until('the page knows', () => page.root.querySelectorAll('pre').length === 1);
    page.control('Redrive all').click();
    await shows('None: every message could be read.');
    expect(await ports.queue.depth('timers')).toMatchObject({ visible: 2, dead: 0 });
  });

  test('what is told as its latest pass is its own; passes of a former uid of its name say so', async () => {
    const former = { cluster: 'staging', kind: 'Job' as const, namespace: 'default', name: 'demo', uid: 'uid-of-before' };
    await ports.recorder.append(aPass(Date.now() - 1_000, { key: former, why: ['it is to be let go'] }));
    page.goTo('#/workloads/staging/Job/default/demo');
    await shows('it is to be let go');
    expect(page.text).toContain('Latest: 2 pods are missing');
    expect(page.text.split(/pods? seen, uid uid-of-before/)).toHaveLength(2);
    expect(page.text).not.toMatch(/pods? seen, uid uid-of-demo/);
  });

  test('of more clusters than one answer looks at, and than four do, every parked workload is shown', async () => {
    const records = await ports.clusters.list();
    const [known] = records;
    if (!known) throw new Error('none is registered');
    const others = Array.from({ length: 430 }, (_, at) => ({ ...known, name: `a-${at}` }));
    ports.clusters.list = async () => [...others, ...records];
    page.goTo('#/dead-letters');
    await shows('Job default/stuck on local');
    expect(page.text).not.toContain('were looked at');
    page.goTo('#/');
    await shows('Job default/demo on staging');
    expect(page.text).not.toContain('may be more');
    Reflect.deleteProperty(ports.clusters, 'list');
  });

  test('of more workloads than anybody reads the first are shown, and that there are more', async () => {
    const { fetch: fetched } = globalThis;
    const workload = {
      cluster: 'local',
      kind: 'Job',
      namespace: 'default',
      name: 'one',
      uid: 'u',
      state: 'Running',
      figures: [],
      queued: false,
    };
    const items = Array.from({ length: 500 }, () => workload);
    let asked = 0;
    globalThis.fetch = async (path, init) => {
      if (typeof path !== 'string' || !path.startsWith('/v1/workloads?')) return await fetched(path, init);
      asked += 1;
      return Response.json({ items, next: 'more' });
    };
    page.goTo('#/');
    await shows('There may be more: farloop get workloads shows all.');
    expect(asked).toBe(1);
    page.goTo('#/dead-letters');
    await shows('Only the first 2000 workloads were looked at');
    expect(page.text).toContain('None of those.');
    expect(asked).toBe(5);
    globalThis.fetch = fetched;
  });

  test.each([
    { manages: ['all-jobs'], tries: 'Try: kubectl apply -f examples/job.yaml' },
    { manages: ['jobs'], tries: 'managedBy: farloop.dev/job". Try: kubectl apply -f examples/managed-by.yaml' },
  ])('where it manages $manages and has none, it names one that it would take', async ({ manages, tries }) => {
    const list = ports.clusters.list.bind(ports.clusters);
    ports.clusters.list = async () => (await list()).map((record) => ({ ...record, name: `empty-${record.name}`, manages }));
    page.goTo('#/cost');
    page.goTo('#/');
    await shows(tries);
    expect(page.text).not.toContain('Job default/demo');
    ports.clusters.list = list;
  });

  test('cost: where functions count each for itself, it says who sums it up', async () => {
    page.control('Cost').click();
    await shows('On AWS each function counts for itself');
    expect(page.text).toMatch(/List prices of us-east-1, 20\d\d-\d\d-\d\d/);
  });

  test('refreshes what it shows, keeps the focus where it was, and rests while nobody looks', async () => {
    const link = page.control('Job default/demo');
    link.focus();
    await know(ports, { name: 'newer' });
    page.hidden = true;
    const before = page.asked.length;
    page.tick();
    expect(page.asked).toHaveLength(before);
    page.hidden = false;
    page.tick();
    await shows('Job default/newer');
    expect(page.activeElement).not.toBe(link);
    expect(page.activeElement?.textContent).toBe('Job default/demo');
  });

  test('an answer that takes longer than the time between two refreshes is shown', async () => {
    const answer = Promise.withResolvers<void>();
    page.held = answer.promise;
    page.goTo('#/workloads/staging/Job/default/demo');
    const before = page.asked.length;
    page.held = new Promise(() => {});
    page.tick();
    page.tick();
    expect(page.asked).toHaveLength(before);
    page.held = undefined;
    answer.resolve();
    await shows('Passes');
    page.tick();
    expect(page.asked.length).toBeGreaterThan(before);
  });

  test('a workload is shown though its passes cannot be read', async () => {
    ports.recorder.passes = async () => await Promise.reject(new Error('the log could not be searched within 15 s'));
    page.goTo('#/workloads/staging/Job/default/demo');
    await shows('Passes cannot be shown: the log could not be searched within 15 s');
    expect(page.text).toContain('uid uid-of-demo');
    expect(page.text).not.toContain('No pass is recorded');
    Reflect.deleteProperty(ports.recorder, 'passes');
    page.tick();
    await shows('2 pods are missing');
  });

  test('a queue that does not answer is told of, when they are looked at and when they are redriven', async () => {
    const depth = ports.queue.depth.bind(ports.queue);
    await ports.queue.send('timers', [{ body: 'no timer' }]);
    await giveUp(ports, 'timers');
    const fails = async (): Promise<never> => {
      throw new Error('there is no such queue');
    };
    ports.queue.depth = async (name) => (name === 'wakes' ? await fails() : await depth(name));
    ports.queue.redrive = fails;
    page.goTo('#/dead-letters');
    await shows('Not all queues are shown: wakes (there is no such queue)');
    page.control('Redrive all').click();
    await shows('Not all redriven: ');
    for (const name of ['depth', 'redrive']) Reflect.deleteProperty(ports.queue, name);
    page.control('Redrive all').click();
    await shows('None: every message could be read.');
    expect(page.text).not.toContain('Not all');
  });

  test('what the API refuses is told on the page, and who has no token is told where to get one', async () => {
    page.goTo('#/workloads/staging/Job/default/nowhere');
    await shows('there is no workload');
    expect(page.root.querySelectorAll('p').filter((each) => each.getAttribute('role') === 'alert')).toHaveLength(1);
    page.goTo('#token=wrong');
    await shows('Open the console by the whole URL that farloop printed');
    page.goTo(`#token=${TOKEN}/cost`);
    await shows('On AWS each function counts for itself');
  });
});
