// Closer looks at one workload: the map of a hundred thousand indexes, replicas with ranks, pods down to their containers; and what each view
// says when an answer is late, wrong or refused.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import { createServer } from 'node:http';
import { loadavg } from 'node:os';
import type { Browser } from 'puppeteer-core';
import { carriesToken, createApp } from '../../lib/api/app.ts';
import type { IndexMap, ReplicaMap } from '../../lib/api/detail/workload-map.ts';
import { answerRoute } from '../../lib/api/routes/route-table.ts';
import { RefusedRequestError, type RoutedRequest } from '../../lib/api/routed-request.ts';
import { codeOfLetter, countStates, INDEX_STATES, packWithin } from '../../lib/objects/detail/packed-states.ts';
import type { WorkloadObject } from '../../lib/objects/kubernetes.ts';
import { createHead } from '../../lib/reconciler/head/heads.ts';
import { encodeState, initialState } from '../../lib/reconciler/head/pass-state.ts';
import { encodeSummary } from '../../lib/reconciler/summary/summary.ts';
import { writeView } from '../../lib/reconciler/view/view-access.ts';
import { embeddedPorts, know, type EmbeddedPorts } from '../api/embedded-ports.ts';
import { until } from '../claims.ts';
import { aPass } from '../contracts/recorder.ts';
import { listening, type Listening } from '../listening.ts';
import { openBrowser, View } from './browser.ts';

const TOKEN = 'a-token-of-this-test';
const HOSTILE = '<img src=x onerror=alert(1)>';
const MANY = 100_000;

let ports: EmbeddedPorts;
let api: Listening;
let browser: Browser;
let view: View;
/** Answers of a test's own, by the end of the path; others are the API's. */
const played = new Map<string, (request: RoutedRequest) => unknown>();

async function answer(request: RoutedRequest) {
  const path = request.path.join('/');
  const [, own] = [...played].find(([end]) => path.endsWith(end)) ?? [];
  return own ? { json: (await own(request)) as object } : await answerRoute(ports, request);
}

/** By a node whose clock is ahead, so that they do not lag however long these tests take. */
const running = (at: number, { forSeconds = -600 } = {}) => ({
  name: `render-${at}-abcde`,
  index: at,
  status: {
    phase: 'Running',
    startTime: new Date(Date.now() - forSeconds * 1_000).toISOString(),
    containerStatuses: [{ name: 'main', state: { running: {} }, restartCount: 0 }],
  },
});
const failed = (at: number) => ({
  name: `render-${at}-abcde`,
  index: at,
  status: {
    phase: 'Failed',
    containerStatuses: [{ name: 'main', restartCount: 0, state: { terminated: { exitCode: 42, reason: 'OOMKilled' } } }],
  },
});

beforeAll(async () => {
  ports = await embeddedPorts('local');
  const app = createApp({ answer, authorize: (request) => carriesToken(request, TOKEN) });
  api = await listening(createServer((request, response) => void app(request, response)));
  await know(ports, {
    name: 'render',
    spec: { completionMode: 'Indexed', completions: MANY, parallelism: 500, backoffLimitPerIndex: 1 },
    status: {
      active: 300,
      succeeded: 81_204,
      completedIndexes: '0-81203',
      failedIndexes: '99000,99010',
      startTime: '2026-05-01T10:00:01Z',
    },
    pods: [
      ...Array.from({ length: 299 }, (_, at) => running(81_204 + at)),
      running(84_711, { forSeconds: 2_820 }),
      failed(99_000),
      failed(99_010),
    ],
    state: { ran: { of: 81_204, lengths: '4/21:81204' } },
  });
  await know(ports, {
    name: 'ten-thousand',
    spec: { completionMode: 'Indexed', completions: 10_000, parallelism: 9 },
    status: { succeeded: 9_999, completedIndexes: '0-4710,4712-9999', startTime: '2026-05-01T10:00:01Z' },
    pods: [{ ...running(4_711, { forSeconds: 2_820 }), name: 'ten-thousand-4711-abcde' }],
    state: { ran: { of: 9_999, lengths: '4/21:9999' } },
  });
  browser = await openBrowser();
  view = await View.open(browser, { url: `${api.url}/#token=${TOKEN}` });
});
afterAll(async () => {
  await browser.close();
  await api.stop();
  ports.close();
});
afterEach(async () => {
  played.clear();
  await view.goTo('#/runs');
  await view.page.setViewport({ width: 1280, height: 800 });
  const complaints = view.complaints.splice(0);
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
});

const of = (name: string, tab = ''): string => `#/workloads/local/Job/default/${name}${tab}`;
const cellText = async (): Promise<string> => await view.evaluate('document.querySelector("[role=slider]").getAttribute("aria-valuetext")');
const hash = async (): Promise<string> => decodeURIComponent(await view.evaluate<string>('location.hash'));

/** In both schemes, and at each width without sideways scroll. */
async function findings(): Promise<string[]> {
  const found: string[] = [];
  for (const scheme of ['light', 'dark']) {
    await view.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    for (const width of scheme === 'light' ? [1920, 400] : [400, 1280]) {
      await view.page.setViewport({ width, height: 800 });
      const sideways = await view.sidewaysScroll();
      if (sideways > 0) found.push(`${await hash()} is ${sideways} px wider than ${width}`);
    }
    const at = await hash();
    found.push(...(await view.axeFindings()).map((finding) => `${at}, ${scheme}: ${finding}`));
  }
  await view.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
  return found;
}

describe('the map of indexes', () => {
  test('of a hundred thousand: opens with it, counts by state, in a moment; paint and key are printed', async () => {
    const second = await View.open(browser, { url: `${api.url}/${of('render')}` });
    await second.page.waitForSelector('[role=slider]');
    const paintMs = await second.evaluate<number>('performance.now()');
    for (const text of ['Succeeded 81,204', 'Running 300 (1 lags)', 'Failed 2', 'not started 18,494', '100 a cell'])
      await second.shows(text);
    const keyMs = await second.evaluate<number>(`new Promise((resolve) => {
      const slider = document.querySelector('[role=slider]');
      slider.focus();
      const began = performance.now();
      slider.dispatchEvent(new KeyboardEvent('keydown', { key: ']', bubbles: true, cancelable: true }));
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
    })`);
    const zoomMs = await second.evaluate<number>(`new Promise((resolve) => {
      const slider = document.querySelector('[role=slider]');
      const began = performance.now();
      slider.dispatchEvent(new KeyboardEvent('keydown', { key: '+', bubbles: true, cancelable: true }));
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
    })`);
    const elements = await second.evaluate<number>('document.querySelectorAll("*").length');
    const heapBytes = await second.evaluate<number>('(gc(), performance.memory.usedJSHeapSize)');
    console.log(
      `console: a Job of 100,000 indexes: map after ${Math.round(paintMs)} ms, a key ${keyMs.toFixed(1)} ms, closer ${zoomMs.toFixed(1)} ms, ` +
        `${elements} elements, heap ${(heapBytes / 1e6).toFixed(1)} MB; load ${loadavg()[0]?.toFixed(1)}`,
    );
    expect(elements).toBeLessThanOrEqual(2_500);
    expect(second.complaints).toEqual([]);
    await second.close();
  });

  test('the one that holds up ten thousand is named, and is one click from its log', async () => {
    await view.goTo(of('ten-thousand'));
    await view.shows('One index runs far longer than the others');
    await view.click('Log of ten-thousand-4711-abcde');
    await until('its log is open', async () => (await hash()).endsWith('/logs?pod=ten-thousand-4711-abcde'));
  });

  test('keys: ] leads to what is out of the ordinary, + closer, Enter opens the index, Back keeps', async () => {
    await view.goTo(of('render', '/map'));
    await view.page.waitForSelector('[role=slider]');
    await view.page.focus('[role=slider]');
    expect(await cellText()).toBe('0 to 99: Succeeded 100');
    await view.page.keyboard.press(']');
    expect(await cellText()).toBe('84,700 to 84,799: Running 1, not started 99, 1 lags');
    await view.page.keyboard.press('Enter');
    await until(
      'it is closer',
      async () => (await hash()).endsWith('?from=80000&to=90000') || (await hash()).endsWith('?from=84000&to=85000'),
    );
    await view.shows('each a cell');
    expect(await cellText()).toMatch(/^84,7\d\d: /);
    await view.page.keyboard.press('[');
    await view.page.keyboard.press('Home');
    await view.page.keyboard.press(']');
    expect(await cellText()).toMatch(/^84,711: Running, 47 min, lags$/);
    await view.page.keyboard.press('Enter');
    await until('the index is open', async () => (await hash()).includes('at=84711'));
    await view.shows('Index 84,711');
    await view.shows('render-84711-abcde');
    await view.page.goBack();
    await until('it is closed', async () => !(await hash()).includes('at='));
    await view.showsNoMore('Index 84,711');
    await view.page.goBack();
    await view.shows('100 a cell');
  });

  test('the pointer: a cell of many leads closer, one of one to its pods', async () => {
    await view.goTo(of('render', '/map'));
    await view.shows('100 a cell');
    const clickOn = async (cell: number): Promise<void> => {
      const { x, y, wide } = await view.evaluate<{ x: number; y: number; wide: number }>(`(() => {
        const { left, top, width } = document.querySelector('.cells canvas').getBoundingClientRect();
        return { x: left, y: top, wide: (width - 60) / 100 };
      })()`);
      await view.page.mouse.click(x + 60 + ((cell % 100) + 0.5) * wide, y + Math.floor(cell / 100) * 16 + 8);
    };
    await clickOn(990);
    await until('it is closer', async () => (await hash()).endsWith('?from=99000&to=100000'));
    await view.shows('each a cell');
    await clickOn(10);
    await view.shows('Index 99,010');
    await view.shows('exit code 42');
    await view.click('render-99010-abcde');
    await view.shows('ended: OOMKilled');
    expect(await view.page.title()).toBe('Pod render-99010-abcde of Job default/render · Farloop');
  });

  test('the legend narrows, and ranges say the same in words', async () => {
    await view.goTo(of('render', '/map'));
    await view.click('Failed 2');
    await until('the address has it', async () => (await hash()).endsWith('?state=Failed'));
    await view.click('The map in words: ranges by state');
    for (const text of ['99,000; 99,010', '0 to 81,203']) await view.shows(text);
  });

  test('a failed index whose pod is gone says so, what is known of its end, and leads to the pass that counted it', async () => {
    const at = Math.floor(Date.now() / 1_000) - 60;
    const first = { pod: 'few-3-bcdfg', container: 'main', exitCode: 137, reason: 'OOMKilled', at };
    const key = await know(ports, {
      name: 'few',
      spec: { completionMode: 'Indexed', completions: 10, parallelism: 2, backoffLimitPerIndex: 0 },
      status: { succeeded: 7, completedIndexes: '0-2,5-6,8-9', failedIndexes: '3-4,7', startTime: '2026-05-01T10:00:01Z' },
      pods: [{ ...failed(7), name: 'few-7-bcdfg' }],
      state: { fell: { first, lastAt: at, followed: 0, withinSeconds: 0 } },
    });
    const action = { why: 'the status counts it', result: 'done' as const };
    const made = [3, 4].map((index) => ({ ...action, verb: 'create', target: `few-${index}-bcdfg` }));
    await ports.recorder.append(aPass(Date.now() - 3_000, { key, passId: 'made', actions: made }));
    const counted = [{ ...action, verb: 'strip', target: 'few-3-bcdfg' }];
    await ports.recorder.append(aPass(Date.now() - 2_000, { key, passId: 'counted', why: ['index 3 has failed'], actions: counted }));
    await view.goTo(of('few', '/map'));
    await view.click('Failed 3');
    await until('the failed ones are left', async () => (await view.page.$$('tbody tr')).length === 3);
    await view.click('4');
    await view.shows('How it ended is not kept: what is left is that it failed.');
    await view.shows('Its passes on the timeline');
    await view.click('3');
    await view.shows(
      /few-3-bcdfg is gone from the cluster, and with it the log. Container main ended with exit code 137 \(OOMKilled\), \d+ s ago/,
    );
    expect(await findings()).toEqual([]);
    await view.page.setViewport({ width: 1280, height: 800 });
    await view.page.click('[aria-label="Index 3"] p a');
    await until('the timeline is open', async () => (await hash()).endsWith('/timeline?index=3'));
    await view.shows('index 3 has failed');
    await until('its passes are left', async () => (await view.page.$$('ol.timeline > li')).length === 2);
    await view.click('All passes');
    await until('the address says so', async () => (await hash()).endsWith('/timeline'));
  });

  test('where every second index differs it is coarser, and exact when one goes closer', async () => {
    const codes = Uint8Array.from({ length: MANY }, (_, at) => codeOfLetter(at % 2 === 0 ? 'S' : '-'));
    played.set('/render/map', ({ query }) => {
      const [from, to] = [Number(query.get('from') ?? 0), Number(query.get('to') ?? MANY)];
      return { ...EMPTY_MAP, counts: countStates(codes), from, to, states: packWithin(codes.subarray(from, to), 12_000) };
    });
    await view.goTo(of('render', '/map'));
    await view.shows(/not started 50,000/);
    await view.click('The map in words: ranges by state');
    await view.shows('There are too many ranges');
    await view.page.focus('[role=slider]');
    await view.page.keyboard.press('Enter');
    await view.shows('each a cell');
    await until('the part has come', async () => (await cellText()) === '0: Succeeded');
    await view.page.keyboard.press('ArrowRight');
    expect(await cellText()).toBe('1: not started');
  });

  test('an index or a part that is none: a sentence, and the map stays', async () => {
    await view.goTo(of('ten-thousand', '/map?at=20000&from=abc&to=1'));
    await view.shows('there is no index 20000: they go from 0 to 9999');
    expect(await view.page.$$('[role=slider]')).toHaveLength(1);
    await view.goTo(of('ten-thousand', '/map?from=99999&to=5'));
    await view.shows('9,999 to 9,999 of 10,000');
  });

  test('axe finds nothing, in dark and light, at each width', async () => {
    await view.goTo(of('render', '/map?at=99000&from=99000&to=100000'));
    await view.shows('exit code 42');
    expect(await findings()).toEqual([]);
  });
});

const EMPTY_MAP: Omit<IndexMap, 'counts' | 'states' | 'from' | 'to'> = {
  of: 'indexes',
  total: MANY,
  legend: INDEX_STATES,
  lagging: 0,
  measured: 0,
  notable: [],
  notableLeftOut: 0,
};

const REPLICAS: ReplicaMap = {
  of: 'replicas',
  types: [
    {
      type: 'Master',
      wanted: 1,
      counts: { Running: 1 },
      replicasLeftOut: 0,
      replicas: [{ index: 0, rank: 0, state: 'Running', pod: 'llama-master-0', restarts: 0 }],
    },
    {
      type: 'Worker',
      wanted: 250,
      counts: { BackingOff: 1, Running: 98, NotStarted: 151 },
      replicasLeftOut: 150,
      replicas: Array.from({ length: 100 }, (_, index) => ({
        index,
        rank: index + 1,
        ...(index === 3
          ? {
              state: 'BackingOff' as const,
              reason: 'OOMKilled',
              restarts: 6,
              exitCode: 137,
              fellFirst: true as const,
              pod: 'llama-worker-3',
            }
          : index === 99
            ? { state: 'NotStarted' as const }
            : { state: 'Running' as const, pod: `llama-worker-${index}`, restarts: 0 }),
      })),
    },
  ],
};

describe('replicas', () => {
  test('by type with ranks; the one that fell first is marked, and leads to its pod and both logs', async () => {
    played.set('/Job/default/ten-thousand', async (request) => {
      const { json } = (await answerRoute(ports, request)) as { json: { items: object[] } };
      return { items: json.items.map((item) => ({ ...item, map: 'replicas' })) };
    });
    played.set('/ten-thousand/map', () => REPLICAS);
    await view.goTo(of('ten-thousand', '/map'));
    for (const text of ['Replicas', 'Worker 250', 'Worker 3 fell first', 'OOMKilled', 'The next 100']) await view.shows(text);
    expect(await view.page.$eval('a.chip[aria-label^="Worker 3,"]', (chip) => chip.getAttribute('aria-label'))).toBe(
      'Worker 3, rank 4: BackingOff (OOMKilled), fell first',
    );
    expect(await findings()).toEqual([]);
    await view.page.setViewport({ width: 1280, height: 800 });
    await view.click('The next 100');
    await until('the address has it', async () => (await hash()).endsWith('?from=100'));
    await view.page.goBack();
    await view.click('Previous log of llama-worker-3');
    await until('it is the run before', async () => (await hash()).endsWith('/logs?pod=llama-worker-3&previous=true'));
  });
});

describe('pods', () => {
  test('by state and index, all of it in the address; pages of a hundred', async () => {
    await view.goTo(of('render', '/pods'));
    await view.shows('100 of 302 that match');
    await view.click('Next page');
    await view.shows('First page');
    await view.goTo(of('render', '/pods?index=84711'));
    await view.shows('render-84711-abcde');
    expect(await view.page.$$('tbody tr')).toHaveLength(1);
    await view.goTo(of('render', '/pods?state=Failed'));
    await view.shows('render-99000-abcde');
    expect(await view.page.$$('tbody tr')).toHaveLength(2);
    expect(await view.page.title()).toBe('Pods of Job default/render · Farloop');
    expect(await findings()).toEqual([]);
    await view.goTo(of('render', '/pods?state=none'));
    await view.shows('there is no state "none" of pods');
  });

  test('down to the container: exit codes, what it waits for, hostile words as text', async () => {
    await know(ports, {
      name: 'odd',
      status: { active: 2, startTime: '2026-05-01T10:00:01Z' },
      pods: [
        {
          name: 'odd-a',
          status: {
            phase: 'Running',
            containerStatuses: [
              {
                name: 'main',
                restartCount: 6,
                state: { waiting: { reason: 'CrashLoopBackOff', message: `${HOSTILE}${'x'.repeat(5_000)}` } },
                lastState: { terminated: { exitCode: 137, reason: 'OOMKilled', finishedAt: '2026-05-01T10:05:00Z' } },
              },
              { name: 'side', restartCount: 0, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
            ],
          },
        },
      ],
    });
    await view.goTo(of('odd', '/pods/odd-a'));
    for (const text of ['waits: CrashLoopBackOff', '137', HOSTILE, 'previous log']) await view.shows(text);
    expect(await view.page.$$('img')).toEqual([]);
    expect(await findings()).toEqual([]);
    await view.goTo(of('odd', '/pods/gone'));
    await view.shows('There is no pod of that name any more');
  });
});

const MANIFEST = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'render', labels: { on: 'yes', 'a b': '1', empty: '' }, annotations: {} },
  spec: {
    completions: 5,
    template: {
      spec: {
        containers: [
          {
            name: 'main',
            args: [
              'echo a\nfalse || exit 3\n',
              `${HOSTILE}: #`,
              '- x',
              '\u202egpj\u001b[2J',
              'tail \n',
              '0x1F',
              '~',
              '1e3',
              '12:30:00',
              'null',
              "it's",
            ],
            env: [{ name: 'PASSWORD', value: '***' }],
            ports: [],
            tty: false,
          },
        ],
      },
    },
  },
};

describe('closer looks', () => {
  test('manifest: YAML that is the same data again, nothing in it acts, masked values are told, and it can be copied', async () => {
    played.set('/render/manifest', () => ({ manifest: MANIFEST, maskedValues: 1 }));
    await view.page.browserContext().overridePermissions(api.url, ['clipboard-read', 'clipboard-write', 'clipboard-sanitized-write']);
    await view.goTo(of('render', '/manifest'));
    await view.shows('1 value of environment variables stands as ***');
    const text = await view.page.$eval('pre.manifest', (pre) => pre.textContent ?? '');
    expect(load(text)).toEqual(MANIFEST);
    expect(text).not.toMatch(/\p{Bidi_Control}|[^\n\P{Cc}]/u);
    expect(await view.page.$$('img')).toEqual([]);
    await view.click('Copy the manifest');
    await view.shows('copied');
    expect(await view.evaluate<string>('navigator.clipboard.readText()')).toBe(text);
    expect(await view.page.title()).toBe('Manifest of Job default/render · Farloop');
    expect(await findings()).toEqual([]);
  });

  test('events: the newest first, those of a pod lead to it, warnings alone by the address', async () => {
    const event = {
      type: 'Normal',
      reason: 'Created',
      object: { kind: 'Pod', name: 'render-99000-abcde' },
      text: 'made',
      count: 1,
      source: 'kubelet',
    };
    const times = { firstTime: '2026-05-01T10:00:00Z', lastTime: '2026-05-01T10:00:09Z' };
    played.set('/render/events', () => ({
      items: [
        { ...event, ...times },
        { ...event, ...times, type: 'Warning', reason: 'BackOff', text: `${HOSTILE}${'y'.repeat(4_000)}`, count: 6_000 },
      ],
      leftOut: 3,
    }));
    await view.goTo(of('render', '/events'));
    for (const text of ['BackOff', HOSTILE, '6,000', 'and 3 older ones']) await view.shows(text);
    expect(await view.page.$$eval('tbody tr td:nth-child(3)', (cells) => cells.map(({ textContent }) => textContent))).toEqual([
      'BackOff',
      'Created',
    ]);
    expect(await view.page.$$('img')).toEqual([]);
    await view.click('1 warning');
    await until('one is left', async () => (await view.page.$$('tbody tr')).length === 1);
    expect(await hash()).toMatch(/\/events\?type=Warning$/);
    expect(await findings()).toEqual([]);
  });

  test('what would be done now: the steps with their reasons, by the planner itself', async () => {
    await view.goTo(of('render', '/plan'));
    await view.shows('it would act');
    await view.shows(/create Pod\/render-\d+-/);
    await view.click('The status as it would be after it');
    await view.shows('completedIndexes: "0-81203"');
    expect(await findings()).toEqual([]);
  });

  test('children: other kinds by resource, pods down to containers', async () => {
    played.set('/render/children', () => ({
      items: [
        {
          resource: 'services',
          kind: 'Service',
          name: `render-${HOSTILE}`,
          namespace: 'default',
          uid: 'u1',
          resourceVersion: '1',
          terminating: false,
          orphaned: true,
        },
      ],
      counts: { services: 1 },
      leftOut: 0,
    }));
    await view.goTo(of('render', '/children'));
    for (const text of ['Service', HOSTILE, 'it may be adopted', 'render-81204-abcde', '100 of 302 pods']) await view.shows(text);
    await view.goTo(of('odd', '/children'));
    await view.shows('main: last exit code 137 (OOMKilled), 6 restarts');
    await view.shows('CrashLoopBackOff: <img');
    expect(await findings()).toEqual([]);
  });

  test('cost: of this workload alone, and what it says where it is not counted', async () => {
    await view.goTo(of('render', '/cost'));
    await view.shows('On AWS each function counts for itself');
    const amounts = { passes: 12.5, writes: 3, requests: 40, writeUnits: 9, readUnits: 2 };
    played.set('v1/cost', ({ query }) => ({
      asOf: '2026-11-01',
      region: 'us-east-1',
      counted: true,
      by: query.get('by'),
      since: '2026-05-01T10:00:00Z',
      dollars: 0.004,
      items: [
        { cluster: 'local', kind: 'Job', namespace: 'default', name: 'other', ...amounts, dollars: 0.003 },
        { cluster: 'local', kind: 'Job', namespace: 'default', name: 'render', ...amounts, dollars: 0.001 },
      ],
      leftOut: 0,
    }));
    await view.click('last 24h');
    for (const text of ['$ 0.001000', '25.0 % of all', '12.5']) await view.shows(text);
    expect(await findings()).toEqual([]);
  });

  test('the cost of each group that is chosen, with the price of the question; asked again only when wanted', async () => {
    const amounts = { passes: 12, writes: 3, requests: 40, writeUnits: 9, readUnits: 2, dollars: 0.004 };
    let asked = 0;
    played.set('v1/cost', ({ query }) => {
      const list = { asOf: '2026-11-01', region: 'us-east-1', dollars: 0.004 };
      const by = query.get('by');
      if (by === null) return { ...list, counted: false, parts: [], clusters: [] };
      asked += 1;
      const group = by === 'cluster' ? { cluster: 'local' } : { cluster: 'local', namespace: HOSTILE };
      return {
        ...list,
        counted: true,
        by,
        since: '2026-05-01T10:00:00Z',
        items: [{ ...group, ...amounts }],
        leftOut: 0,
        scannedBytes: 3e9,
        scannedDollars: 0.015,
      };
    });
    await view.goTo('#/cost');
    for (const text of ['Of each namespace', HOSTILE, '$ 0.004000', 'Summed up from 3,000 MB of logs, for $ 0.015000'])
      await view.shows(text);
    expect(await findings()).toEqual([]);
    await view.click('by cluster');
    await view.shows('Of each cluster');
    await until('it is asked for clusters', () => asked === 2);
    await view.showsNoMore(HOSTILE);
    played.set('v1/cost', () => {
      throw new RefusedRequestError(503, 'the query was stopped: ask for a shorter time');
    });
    await view.click('last 7d');
    await view.shows('The cost of each cannot be shown: the query was stopped: ask for a shorter time');
  });
});

describe('curves of the last hour', () => {
  const flat = (value: number): number[] => Array.from({ length: 60 }, () => value);
  const rates = {
    counted: true,
    since: '2026-05-01T10:00:00Z',
    to: '2026-05-01T11:00:00Z',
    stepSeconds: 60,
    podsStarted: flat(70).with(30, 400),
    podsSucceeded: flat(60),
    podsFailed: flat(0).with(59, 61),
    passes: flat(540),
    lagMs: flat(600).map((value, at) => (at < 50 ? null : value)),
  };

  test('say how many, and in words when it was most; what failed to come is a sentence', async () => {
    played.set('v1/rates', () => rates);
    await view.goTo('#/');
    for (const text of [
      'Last hour',
      'pods started 4,530',
      'succeeded 3,600',
      'failed 61',
      'passes 9/s',
      'lag 0.6 s',
      'most in a minute 400, at ',
    ])
      await view.shows(text);
    const paths = await view.page.$$eval('.rates path:last-child', (found) => found.map((path) => path.getAttribute('d') ?? ''));
    expect(paths).toHaveLength(5);
    expect(paths.join('')).not.toMatch(/NaN|Infinity/);
    // Nothing is drawn where nothing is known.
    expect(paths[4]).toMatch(/^M101\.7 /);
    expect(await findings()).toEqual([]);
    played.set('v1/rates', () => ({ ...rates, passes: 'many' }));
    await view.goTo('#/cost');
    await view.goTo('#/');
    await view.shows('This cannot be shown');
    await view.shows('Workloads');
    // Without anybody's doing.
    played.set('v1/rates', () => rates);
    await view.shows('pods started 4,530');
  });

  test('where nothing is counted it says who does', async () => {
    await view.goTo('#/');
    await view.shows('the dashboard of the stage has the rates');
  });
});

describe('an upgrade', () => {
  test('of the server is told, with a button that loads the page anew; nothing is done by itself', async () => {
    await view.goTo('#/me');
    await view.shows('This browser');
    expect(await view.text()).not.toContain('Farloop was upgraded');
    played.set('v1/me', async (request) => ({ ...((await answerRoute(ports, request)) as { json: object }).json, console: 'another' }));
    await view.shows('Farloop was upgraded, and this page is of the version before. Reload');
    expect(await findings()).toEqual([]);
    await Promise.all([view.page.waitForNavigation({ waitUntil: 'domcontentloaded' }), view.click('Reload')]);
    await view.showsNoMore('Farloop was upgraded');
    await view.shows('This browser');
  });
});

const logOf = (pod: string, text: string, hasEnded: boolean) => ({
  items: [{ pod, container: 'main', hasEnded, lines: [{ time: new Date().toISOString(), text }] }],
  leftOut: { count: 0, pods: [] },
  cursor: 'next',
  hasMore: false,
  hasEnded,
});

describe('a virtual node', () => {
  test('opens with its pods: those of no other node, each leading to its page, and what is taken of its room', async () => {
    const record = await ports.clusters.get('local');
    if (!record) throw new Error('local is not registered');
    const edge = { cluster: 'local', kind: 'VirtualNode', namespace: '', name: 'edge', uid: 'uid-of-edge' };
    const head = await createHead(ports, edge, record);
    const status = { allocatable: { cpu: '20', memory: '100Gi', pods: '20' }, conditions: [{ type: 'Ready', status: 'True' }] };
    const metadata = { name: 'edge', uid: edge.uid, resourceVersion: '10', creationTimestamp: '2026-05-01T10:00:00Z' };
    const object = { metadata, spec: {}, status } as unknown as WorkloadObject;
    await writeView(
      ports.store,
      head,
      { owner: { heardAt: '10', deleted: false, object }, resource: 'pods', children: [], byPass: false },
      { era: 0 },
    );
    const decided = (name: string, cpu: string, more = {}) => ({
      uid: `uid-of-${name}`,
      namespace: 'default',
      name,
      state: 'admitted',
      sequence: 1,
      room: { requests: { cpu, memory: '1Gi' } },
      ...more,
    });
    const pods = [decided(HOSTILE, '100m'), decided('waits', '1500m'), decided('ended', '4', { hasEnded: true })];
    const state = { ...initialState(), kept: { decision: { latest: 1, told: 1, pods } } };
    await ports.store.updateHead(edge, {}, { state: encodeState(state) });
    const nodes = { [HOSTILE]: 'edge', waits: 'edge', elsewhere: 'shore' };
    for (const [name, nodeName] of Object.entries(nodes)) {
      const key = { ...edge, kind: 'VirtualPod', namespace: 'default', name, uid: `uid-of-${name}` };
      await createHead(ports, key, record);
      const standing =
        name === 'waits'
          ? { state: 'Waiting' as const, reason: 'WaitsForProvider', why: 'it has no place' }
          : { state: 'Running' as const };
      const figures = [{ name: 'ready', value: 1, of: 1 }];
      const body = encodeSummary({ ...standing, figures, fields: { nodeName }, sinceMs: Date.now() });
      await ports.store.putSummary({ key, atMs: Date.now(), body });
    }
    await view.goTo('#/workloads/local/VirtualNode/-/edge');
    for (const text of [
      `default/${HOSTILE}`,
      'it has no place',
      'cpu1600m of 20',
      'memory2Gi of 100Gi',
      'pods2 of 20',
      'cpu 100m, memory 1Gi',
    ])
      await view.shows(text);
    expect(await view.text()).not.toContain('elsewhere');
    expect(await view.page.$$('img')).toEqual([]);
    expect(await findings()).toEqual([]);
    await view.page.setViewport({ width: 1280, height: 800 });
    await view.click('Waiting 1');
    await until('one is left', async () => (await view.page.$$('tbody tr')).length === 1);
    await view.click('In the list');
    await view.shows(/2 workloads of \d/);
    await view.goTo('#/workloads/local/VirtualNode/-/edge/pods');
    played.set('/default/waits/logs', () => logOf('waits', 'said by the pod itself', true));
    await view.click('default/waits');
    await until('its page is open', async () => (await hash()).endsWith('#/workloads/local/VirtualPod/default/waits'));
    await view.click('Logs');
    await view.shows('said by the pod itself');
    await view.click('Commands');
    await view.shows('farloop logs virtualpod/waits -n default --follow');
  });
});

describe('logs', () => {
  test('of a workload that comes after another of its name: its own, not what that one left', async () => {
    let uid = 'uid-of-render';
    played.set('/default/render', async (request) => {
      const { items } = ((await answerRoute(ports, request)) as { json: { items: object[] } }).json;
      return { items: items.map((item) => ({ ...item, uid })) };
    });
    played.set('/render/logs', () => logOf('render-0-abcde', `said by ${uid}`, true));
    await view.goTo(of('render', '/logs'));
    await view.shows('said by uid-of-render');
    uid = 'uid-of-another';
    await view.shows('said by uid-of-another');
    expect(await view.text()).not.toContain('said by uid-of-render');
  });

  test('go on where the cluster had no time for a moment', async () => {
    let isBusy = true;
    played.set('/render/logs', () => {
      if (!isBusy) return logOf('render-0-abcde', 'said later', true);
      throw new RefusedRequestError(429, 'the API server of local asks to come again later');
    });
    await view.goTo(of('render', '/logs'));
    await view.shows('asks to come again later');
    isBusy = false;
    await view.shows('said later');
    expect(await view.text()).not.toContain('asks to come again later');
  });

  test('of several pods on a phone: the lines themselves are on the screen', async () => {
    played.set('/render/logs', () => {
      const [one, other] = ['first', 'second'].map((name) => logOf(`render-of-a-very-long-name-${name}`, 'said', true));
      return { ...one, items: [...(one?.items ?? []), ...(other?.items ?? [])] };
    });
    await view.page.setViewport({ width: 400, height: 800 });
    await view.goTo(of('render', '/logs'));
    await view.shows('render-of-a-very-long-name-second');
    const left = await view.evaluate<number>(
      `(() => { const range = document.createRange(); range.selectNodeContents(document.querySelector('.line').lastChild); return range.getBoundingClientRect().left; })()`,
    );
    expect(left).toBeLessThan(240);
  });

  test('while it is paused no line comes', async () => {
    let [logs, heads] = [0, 0];
    played.set('/render/logs', () => logOf('render-0-abcde', `line ${(logs += 1)}`, false));
    played.set('/render/passes', () => {
      heads += 1;
      return { items: [] };
    });
    await view.goTo(of('render', '/logs'));
    await view.shows('line 2');
    await view.page.keyboard.press('z');
    await view.shows('‖ paused');
    // Lines come far more often than passes are asked for.
    const before = heads;
    await until('its passes are asked for', () => heads >= before + 2, 30_000);
    // One may have been under way.
    expect(logs).toBeLessThanOrEqual(4);
    await view.page.keyboard.press('z');
    await view.shows('line 5');
  });
});

describe('an event', () => {
  test('leads to its pod, also among more than a workload names', async () => {
    await know(ports, {
      name: 'crowd',
      spec: { completionMode: 'Indexed', completions: 600, parallelism: 600 },
      status: { active: 600, startTime: '2026-05-01T10:00:01Z' },
      pods: Array.from({ length: 600 }, (_, at) => ({ ...running(at), name: `crowd-${at}-abcde` })),
    });
    await view.goTo(of('crowd', '/pods/crowd-599-abcde'));
    await view.shows('kubectl describe pod/crowd-599-abcde');
    await view.shows('Index599');
  });
});

const VIEWS = ['map', 'pods', 'events', 'manifest', 'plan', 'children'] as const;

describe('bad answers', () => {
  test('about who asks: a sentence beside a page that stays', async () => {
    await view.goTo('#/clusters');
    await view.shows('Passes under way or waiting');
    played.set('v1/me', () => ({ name: 7 }));
    await view.shows('This cannot be shown');
    await view.goTo('#/cost');
    await view.shows('List prices of');
    expect(await view.text()).toContain('This cannot be shown');
  });

  test.each(VIEWS)('%s: refused, a sentence of any length without sideways scroll; the head stays', async (tab) => {
    played.set(`/render/${tab}`, () => {
      throw new RefusedRequestError(422, `it cannot be asked of that: ${HOSTILE}${'z'.repeat(3_000)}`);
    });
    await view.goTo(of('render', `/${tab}`));
    await view.shows(`it cannot be asked of that: ${HOSTILE}`);
    await view.shows('uid uid-of-render');
    await view.page.setViewport({ width: 400, height: 800 });
    expect(await view.sidewaysScroll()).toBeLessThanOrEqual(0);
  });

  test.each(VIEWS)('%s: an answer of another shape, a sentence instead of a blank page', async (tab) => {
    played.set(`/render/${tab}`, () =>
      tab === 'map' ? { of: 'indexes', total: 5, states: {} } : { items: 7, manifest: { a: 1 }, actions: 'none' },
    );
    await view.goTo(of('render', `/${tab}`));
    if (tab !== 'manifest') await view.shows('This cannot be shown');
    await view.shows('uid uid-of-render');
    await view.click('Commands');
    await view.shows('farloop explain job/render');
  });

  test.each(['events', 'manifest', 'plan'])(
    '%s: late, it says that it waits; not at all, why, and asks again when told to',
    async (tab) => {
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      let asked = 0;
      played.set(`/render/${tab}`, async () => {
        asked += 1;
        if (asked === 1) await held;
        throw new RefusedRequestError(504, 'nobody has answered for cluster local within 20 s: it is busy or does not answer');
      });
      await view.goTo(of('render', `/${tab}`));
      await view.shows('Loading');
      release();
      await view.shows('nobody has answered for cluster local within 20 s');
      await view.click('Ask again');
      await until('it is asked again', () => asked === 2);
      await view.shows('● live');
      expect(await view.text()).not.toContain('Farloop has not answered since');
    },
  );
});
