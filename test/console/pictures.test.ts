// Pictures of the console in the documentation show what the console shows: each is drawn anew, in a font that is brought along and at a time
// that stands still, and compared with the one in the repository. `PICTURES=write npm run test:console -- pictures` draws them for good.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import type { Browser } from 'puppeteer-core';
import { SystemClock } from '../../lib/adapters/clock/system-clock.ts';
import { EmbeddedRecorder } from '../../lib/adapters/embedded/recorder.ts';
import { carriesToken, createApp } from '../../lib/api/app.ts';
import { answerRoute } from '../../lib/api/routes/route-table.ts';
import { embeddedPorts, know, type EmbeddedPorts, type KnownJob } from '../api/embedded-ports.ts';
import { aPass } from '../contracts/recorder.ts';
import { listening, type Listening } from '../listening.ts';
import { openBrowser, View } from './browser.ts';

const TOKEN = 'a-token-of-this-test';
const NOW_MS = Date.parse('2026-05-01T11:00:00Z');
/** Share of a picture: two builds of Chromium draw the edge of a letter differently. A part that is missing, or another colour, changes more. */
const MOST_DIFFERING = 0.005;
/** From 0 (none) to 1: how much of a pixel's colour may differ. */
const SHADE = 0.15;
const isWriting = process.env['PICTURES'] === 'write';

class StandingClock extends SystemClock {
  override nowMs(): number {
    return NOW_MS;
  }
}

let ports: EmbeddedPorts;
let api: Listening;
let browser: Browser;

const agoText = (seconds: number): string => new Date(NOW_MS - seconds * 1_000).toISOString().replace('.000', '');

const curve = (middle: number): number[] =>
  Array.from({ length: 60 }, (_, at) => Math.round(middle * (1 + 0.4 * Math.sin(at / 6) + 0.1 * Math.sin(at * 2.3))));
const RATES = {
  counted: true,
  since: agoText(3_600),
  to: agoText(0),
  stepSeconds: 60,
  podsStarted: curve(70),
  podsSucceeded: curve(66),
  podsFailed: curve(2),
  passes: curve(540),
  lagMs: curve(600),
};
const watch = (resource: string): object => ({ resource, ageSeconds: 1, resourceVersion: '81402' });
const clusterOf = (name: string): object => ({
  name,
  state: 'Watching',
  states: [{ state: 'Watching', sinceTime: agoText(86_400), reason: 'its relay watches pods and jobs' }],
  manages: ['all-jobs'],
  manage: 'all',
  namespaces: [],
  era: 0,
  budget: { writesPerSecond: 100, burst: 200 },
  access: 'direct',
  left: { writes: 200, closedForSeconds: 0 },
  backlog: 0,
  relay: { session: 's1', heardTime: agoText(1), silentForSeconds: 1, clockOffsetMs: 0, watches: ['pods', 'jobs'].map(watch) },
});
const LINES = [
  'epoch 3 begins',
  'loss 0.412',
  'loss 0.388',
  'checkpoint written',
  'loss 0.371',
  'CUDA out of memory: 2.1 GiB asked, 0.9 GiB free',
];
const FELL = 'index-shards-17-9xk2p';
const LOGS = {
  items: [
    {
      pod: FELL,
      uid: `uid-of-${FELL}`,
      container: 'main',
      others: [],
      index: '17',
      restarts: 0,
      lines: LINES.map((text, at) => ({ time: agoText(400 - at * 12), text })),
      isGone: false,
      end: { exitCode: 137, reason: 'OOMKilled' },
      hasEnded: true,
    },
  ],
  leftOut: { count: 0, pods: [] },
  cursor: 'end',
  hasMore: false,
  hasEnded: true,
};
/** Of what no store in memory has. Others are the API's own answers. */
const PLAYED: Record<string, object> = {
  'v1/rates': RATES,
  'v1/clusters': { items: [clusterOf('east'), clusterOf('west')] },
  'v1/queues': { items: ['events', 'timers', 'work', 'commands'].map((name) => ({ name, visible: 0, inFlight: 0, delayed: 0, dead: 0 })) },
  'v1/me': { name: 'ops@example.org', mayAct: true, clusters: ['east', 'west'].map((cluster) => ({ cluster, mayAct: true })), kinds: [] },
};

const podOf = (name: string, index: number, status: KnownJob['status'] | object): NonNullable<KnownJob['pods']>[number] => ({
  name,
  index,
  status: status as never,
});
const runs = (name: string, index: number, forSeconds: number) =>
  podOf(name, index, {
    phase: 'Running',
    startTime: agoText(forSeconds),
    containerStatuses: [{ name: 'main', state: { running: {} }, restartCount: 0 }],
  });
const fell = (name: string, index: number, exitCode: number, reason: string) =>
  podOf(name, index, {
    phase: 'Failed',
    startTime: agoText(700),
    containerStatuses: [
      {
        name: 'main',
        restartCount: 0,
        state: { terminated: { exitCode, reason, startedAt: agoText(700), finishedAt: agoText(index === 17 ? 340 : 331) } },
      },
    ],
  });

const NAMES = [
  'nightly-report',
  'thumbnails',
  'reindex',
  'billing-export',
  'embeddings',
  'transcode',
  'backfill',
  'evaluate',
  'dedupe',
  'crawl',
];
const TEAMS = ['search', 'media', 'billing', 'nlp'];

async function fill(): Promise<void> {
  for (let at = 0; at < 40; at++) {
    const done = at % 3 !== 0;
    const name = `${NAMES[at % NAMES.length]}-${String(at).padStart(2, '0')}`;
    await know(ports, {
      cluster: at % 2 === 0 ? 'east' : 'west',
      namespace: TEAMS[at % TEAMS.length] ?? 'search',
      name,
      creationTime: agoText(1_000 + ((at * 613) % 3_000)),
      spec: { completions: 10, parallelism: 3 },
      status: done
        ? {
            succeeded: 10,
            startTime: agoText(3_000 + at * 60),
            completionTime: agoText(600 + at * 40),
            conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: agoText(600 + at * 40) }],
          }
        : { active: 3, succeeded: at % 10, startTime: agoText(900 + at * 30) },
      pods: done ? [] : [`${name}-a`, `${name}-b`, `${name}-c`],
    });
  }
  await know(ports, {
    cluster: 'east',
    namespace: 'nlp',
    name: 'tokenize-corpus',
    creationTime: agoText(2_601),
    spec: { completions: 40, parallelism: 8, backoffLimit: 6 },
    status: {
      succeeded: 31,
      failed: 7,
      startTime: agoText(2_600),
      conditions: [
        {
          type: 'Failed',
          status: 'True',
          reason: 'BackoffLimitExceeded',
          message: 'Job has reached the specified backoff limit',
          lastTransitionTime: agoText(1_260),
        },
      ],
    },
  });
  await know(ports, {
    cluster: 'west',
    namespace: 'media',
    name: 'posters',
    creationTime: agoText(540),
    spec: { parallelism: 1, completions: 1 },
    state: {
      park: {
        failures: 3,
        untilMs: NOW_MS + 240_000,
        reason: 'jobs.batch "posters" is forbidden: exceeded quota: media-pods',
        generation: 1,
      },
    },
  });
  await know(ports, {
    cluster: 'east',
    namespace: 'search',
    name: 'index-shards',
    creationTime: agoText(9_001),
    spec: { completionMode: 'Indexed', completions: 100_000, parallelism: 400, backoffLimitPerIndex: 1 },
    status: {
      active: 298,
      succeeded: 71_204,
      startTime: agoText(9_000),
      completedIndexes: '0-16,18-71204',
      failedIndexes: '17,48200,83111-83140',
    },
    pods: [
      ...Array.from({ length: 297 }, (_, at) => runs(`index-shards-${71_205 + at}-abcde`, 71_205 + at, 14)),
      runs('index-shards-84711-t7f2c', 84_711, 2_820),
      fell(FELL, 17, 137, 'OOMKilled'),
      fell('index-shards-48200-q5r8d', 48_200, 1, 'Error'),
    ],
    state: { ran: { of: 71_204, lengths: '4/21:71204' } },
  });
  const key = { cluster: 'east', kind: 'Job' as const, namespace: 'search', name: 'index-shards', uid: 'uid-of-index-shards' };
  const passes: [number, string[], string, number][] = [
    [420, ['index 48200 has failed'], 'create', 0],
    [340, ['index 17 has failed: exit code 137 (OOMKilled)'], 'create', 0],
    [120, ['40 indexes have succeeded'], 'create', 40],
    [14, ['60 indexes have succeeded'], 'create', 60],
  ];
  for (const [at, [seconds, why, verb, count]] of passes.entries())
    await ports.recorder.append(
      aPass(NOW_MS - seconds * 1_000, {
        key,
        passId: `pass-${at}`,
        why,
        saw: { pods: 300, digest: `d${at}`, live: false },
        outcome: count > 0 ? 'acted' : 'converged',
        actions:
          count > 0 ? [{ verb, target: 'Pod search/index-shards-71442-abcde', why: 'an index without a pod', result: 'done', count }] : [],
      } as never),
    );
}

beforeAll(async () => {
  ports = await embeddedPorts('east', 'west');
  ports.clock = new StandingClock();
  ports.recorder.close();
  ports.recorder = EmbeddedRecorder.open({ clock: ports.clock });
  await fill();
  const app = createApp({
    answer: async (request) => {
      const path = request.path.join('/');
      if (path.endsWith('/logs')) return { json: LOGS };
      const json = PLAYED[path];
      return json ? { json } : await answerRoute(ports, request);
    },
    authorize: (request) => carriesToken(request, TOKEN),
  });
  api = await listening(
    createServer((request, response) => {
      response.setHeader('Date', new Date(NOW_MS).toUTCString());
      void app(request, response);
    }),
  );
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await api.stop();
  ports.close();
});

const require = createRequire(import.meta.url);
const fontOf = (path: string): string => `url(data:font/woff2;base64,${readFileSync(require.resolve(path)).toString('base64')})`;
const FONTS = `
  @font-face { font-family: Shown; font-weight: 100 900; src: ${fontOf('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')} }
  @font-face { font-family: Typed; src: ${fontOf('@fontsource/dejavu-mono/files/dejavu-mono-latin-400-normal.woff2')} }
  :root { --mono: 13px/18px Typed !important }
  body { font-family: Shown !important }
  * { transition: none !important; animation: none !important; caret-color: transparent !important }`;
const STANDING_STILL = `{
  const now = ${NOW_MS};
  const Real = Date;
  globalThis.Date = class extends Real { constructor(...given) { super(...(given.length > 0 ? given : [now])); } static now() { return now; } };
}`;

async function pictureOf(hash: string, { shows, scheme, height }: { shows: string; scheme: string; height: number }): Promise<Buffer> {
  const page = await View.blank(browser, { width: 1280, height });
  try {
    await page.page.setBypassCSP(true);
    await page.page.evaluateOnNewDocument(STANDING_STILL);
    await page.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.page.goto(`${api.url}/#token=${TOKEN}${hash.slice(1)}`, { waitUntil: 'domcontentloaded' });
    await page.page.addStyleTag({ content: FONTS });
    await page.evaluate('document.fonts.ready.then(() => true)');
    await page.shows(shows);
    await page.page.waitForNetworkIdle({ idleTime: 500, concurrency: 1 });
    return Buffer.from(await page.page.screenshot());
  } finally {
    await page.close();
  }
}

const fileOf = (name: string): URL => new URL(`../../docs/pictures/${name}.png`, import.meta.url);

describe('the pictures of the documentation', () => {
  test.each([
    ['overview', '#/', { shows: 'exceeded quota', scheme: 'light', height: 520 }],
    ['workloads', '#/workloads', { shows: 'nightly-report-00', scheme: 'light', height: 640 }],
    ['map', '#/workloads/east/Job/search/index-shards', { shows: 'index-shards-84711', scheme: 'dark', height: 800 }],
    ['timeline', '#/workloads/east/Job/search/index-shards/timeline', { shows: '60 indexes have succeeded', scheme: 'light', height: 640 }],
    [
      'logs',
      '#/workloads/east/Job/search/index-shards/logs?pod=index-shards-17-9xk2p',
      { shows: 'CUDA out of memory', scheme: 'dark', height: 560 },
    ],
  ])('%s', async (name, hash, wanted) => {
    const bytes = await pictureOf(hash, wanted);
    const drawn = PNG.sync.read(bytes);
    if (isWriting) writeFileSync(fileOf(name), bytes);
    const kept = PNG.sync.read(readFileSync(fileOf(name)));
    expect({ width: drawn.width, height: drawn.height }).toEqual({ width: kept.width, height: kept.height });
    const differing = pixelmatch(drawn.data, kept.data, undefined, drawn.width, drawn.height, { threshold: SHADE });
    expect(differing / (drawn.width * drawn.height)).toBeLessThanOrEqual(MOST_DIFFERING);
  });
});
