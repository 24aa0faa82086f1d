// Acting from the console: what will happen is said before, it is done once whatever is lost in between, and what became of it is told for each.
import { afterEach, beforeAll, afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Browser } from 'puppeteer-core';
import { carriesToken, createApp } from '../../lib/api/app.ts';
import { answerRoute } from '../../lib/api/routes/route-table.ts';
import type { Pod } from '../../lib/objects/kubernetes.ts';
import { fieldsOf, type Fields } from '../../lib/objects/values/untyped-fields.ts';
import { createHead } from '../../lib/reconciler/head/heads.ts';
import { TerminalError } from '../../lib/ports/errors.ts';
import type { Cluster } from '../../lib/ports/cluster.ts';
import { embeddedPorts, know, type EmbeddedPorts } from '../api/embedded-ports.ts';
import { until } from '../claims.ts';
import { listening, type Listening } from '../listening.ts';
import { openBrowser, View } from './browser.ts';
import { smallWorld, type SmallWorld } from './small-world.ts';

const TOKEN = 'a-token-of-this-test';
const NAMES = ['demo', 'guarded', 'other', 'third'];

let browser: Browser;
let ports: EmbeddedPorts;
let api: Listening;
let view: View;
/** Writes that reached the cluster: the name of the workload, and what was set. */
let writes: string[];
/** Bodies of actions that were asked for, dry runs apart. */
let asked: { token: string; uid: string }[];
/** Takes an action's request instead of the API. */
let instead: ((request: IncomingMessage, response: ServerResponse, answer: () => Promise<void>) => Promise<void>) | undefined;

/** Has a Job of each name; guarded is one that it lets nobody change. */
const cluster = {
  get: async (_resource: unknown, { name }: { name: string }) => ({
    object: {
      metadata: { name, namespace: 'default', uid: `uid-of-${name}`, resourceVersion: '7' },
      spec: { parallelism: 2, template: { spec: { containers: [{ name: 'main', image: 'i' }] } } },
      status: { active: 2 },
    },
    dateMs: 0,
  }),
  list: async () => ({ items: [], resourceVersion: '1', dateMs: 0 }),
  patch: async (_resource: unknown, { name }: { name: string }, { body }: { body: { spec: object } }) => {
    if (name === 'guarded')
      throw new TerminalError('forbidden', { code: 403, reason: 'Forbidden', said: 'jobs.batch "guarded" is forbidden' });
    writes.push(`${name} ${JSON.stringify(body.spec)}`);
    return { object: { metadata: {} }, dateMs: 0 };
  },
  delete: async (_resource: unknown, { name }: { name: string }) => {
    writes.push(`${name} deleted`);
  },
} as unknown as Cluster;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser.close());

beforeEach(async () => {
  [writes, asked, instead] = [[], [], undefined];
  ports = Object.assign(await embeddedPorts('local'), { connect: () => cluster, lookUp: () => cluster, actions: 'on' as const });
  const record = await ports.clusters.get('local');
  if (record) await ports.clusters.put({ ...record, actions: true }, record.version);
  for (const name of NAMES) await know(ports, { name, pods: [`${name}-0`], status: { active: 1, startTime: '2026-05-01T10:00:01Z' } });
  const app = createApp({
    async answer(request) {
      const { body } = request;
      if (request.path.at(-1) === 'actions' && !Reflect.get(body as object, 'dryRun')) asked.push(body as { token: string; uid: string });
      return await answerRoute(ports, request);
    },
    authorize: (request) => carriesToken(request, TOKEN),
    callerOf: () => 'ops@example.org',
  });
  api = await listening(
    createServer((request, response) => {
      const answer = async (): Promise<void> => await app(request, response);
      if (instead && request.method === 'POST') void instead(request, response, answer);
      else void answer();
    }),
  );
  view = await View.open(browser, { url: `${api.url}/#token=${TOKEN}/workloads` });
  await view.shows('Job default/demo');
});

afterEach(async () => {
  const complaints = view.complaints.splice(0);
  await view.evaluate('localStorage.clear()');
  await view.close();
  await api.stop();
  ports.close();
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
});

const dialogText = async (): Promise<string> => await view.evaluate('document.querySelector("dialog[open]")?.textContent ?? ""');
const dialogShows = async (text: string | RegExp): Promise<void> =>
  await until(
    `the dialog says ${text}`,
    async () => (typeof text === 'string' ? (await dialogText()).includes(text) : text.test(await dialogText())),
    15_000,
    dialogText,
  );
const press = async (label: string): Promise<void> =>
  await view.evaluate(
    `[...document.querySelectorAll('dialog[open] button')].find((each) => each.textContent === ${JSON.stringify(label)}).click()`,
  );

describe('an action on a workload', () => {
  test('is said before, done once however often it is clicked, told, and stands in the timeline with who did it', async () => {
    await view.goTo('#/workloads/local/Job/default/demo/timeline');
    await view.click('Suspend');
    await dialogShows('2 pods are ended; what they have not saved is lost. Resume starts 2 anew.');
    expect(await view.evaluate('document.activeElement?.textContent')).toBe('Cancel');
    expect(writes).toEqual([]);
    await view.evaluate(`(() => {
      const button = [...document.querySelectorAll('dialog[open] button')].find((each) => each.textContent === 'Suspend demo');
      button.click();
      button.click();
    })()`);
    await dialogShows(/done job\/demo is suspended\..*1 done\./);
    expect(writes).toEqual(['demo {"suspend":true}']);
    expect(asked).toHaveLength(1);
    await press('Close');
    await view.shows('ops@example.org suspended it');
    expect(await view.page.$('dialog[open]')).toBeNull();
  });

  test('whose answer is lost is asked for again by the same token: done once', async () => {
    let lost = 0;
    instead = async (_request, response, answer) => {
      const before = asked.length;
      const writeHead = response.writeHead.bind(response) as (status: number, headers: object) => ServerResponse;
      // It was done; a gateway that waited no longer says so to nobody.
      response.writeHead = ((status: number, headers: object) =>
        writeHead(asked.length > before && lost++ < 1 ? 504 : status, headers)) as never;
      await answer();
    };
    await view.goTo('#/workloads/local/Job/default/demo');
    await view.click('Suspend');
    await dialogShows('2 pods are ended');
    await press('Suspend demo');
    await dialogShows('It is not known whether it was done; it is asked again with the same token.');
    await dialogShows(/done job\/demo is suspended/);
    expect(writes).toEqual(['demo {"suspend":true}']);
    expect(asked).toHaveLength(2);
    expect(new Set(asked.map(({ token }) => token)).size).toBe(1);
  });

  test('under way when the page is loaded anew is offered again with its token', async () => {
    const going = Promise.withResolvers<void>();
    instead = async (_request, _response, answer) => {
      const before = asked.length;
      await Promise.race([answer(), going.promise]);
      if (asked.length > before) going.resolve();
    };
    await view.goTo('#/workloads/local/Job/default/demo');
    await view.click('Suspend');
    await dialogShows('2 pods are ended');
    // The write takes as long as the page is there.
    const patch = cluster.patch.bind(cluster);
    const reloaded = Promise.withResolvers<void>();
    cluster.patch = async (...given: Parameters<typeof patch>) => {
      await reloaded.promise;
      return await patch(...given);
    };
    await press('Suspend demo');
    await until('it is asked for', () => asked.length === 1);
    await view.page.reload();
    reloaded.resolve();
    cluster.patch = patch;
    await dialogShows('it is not known whether it was done. Asked again, it is done once.');
    await press('Ask again');
    await dialogShows(/1 done\./);
    expect(writes).toEqual(['demo {"suspend":true}']);
    expect(asked.map(({ token }) => token)).toEqual([asked[0]?.token, asked[0]?.token]);
  });

  test('in the middle of which the sign-in expires is done after it, once', async () => {
    await view.goTo('#/workloads/local/Job/default/demo');
    await view.click('Suspend');
    await dialogShows('2 pods are ended');
    await view.evaluate("localStorage.setItem('farloop-token', 'an-expired-token')");
    await press('Suspend demo');
    await view.shows('Open the console by the whole URL');
    expect(writes).toEqual([]);
    await view.page.type('dialog[aria-label="Sign in"] input', `${api.url}/#token=${TOKEN}`);
    await view.page.keyboard.press('Enter');
    await dialogShows(/done job\/demo is suspended/);
    expect(writes).toEqual(['demo {"suspend":true}']);
    expect(asked).toHaveLength(1);
  });

  test('where actions are off: its button is greyed, says what is missing, and how to switch it on; then it works without a reload', async () => {
    ports.actions = undefined as never;
    await view.page.reload();
    await view.goTo('#/workloads/local/Job/default/demo');
    await view.shows('needs actions=on');
    const states = await view.page.$$eval('.actions button', (buttons) => buttons.map((each) => each.getAttribute('aria-disabled')));
    expect(new Set(states)).toEqual(new Set(['true']));
    await view.click('Suspend');
    await dialogShows(/Nobody may act on workloads through this installation: it needs actions=on.*farloop up --actions on/);
    expect(await view.axeFindings()).toEqual([]);
    await press('Close');
    ports.actions = 'on';
    await view.showsNoMore('needs actions=on');
    await view.click('Suspend');
    await dialogShows('2 pods are ended');
    expect(asked).toEqual([]);
  });
});

describe('scale, retry and drain', () => {
  const specOf = (world: SmallWorld, name: string): Fields => fieldsOf(world.objects.get(name)?.['spec']);
  const isClosed = async (): Promise<boolean> => (await view.page.$('dialog[open]')) === null;
  const template = { spec: { containers: [{ name: 'main', image: 'i' }] } };
  const metadataOf = (name: string, more: Fields = {}): Fields => ({
    name,
    namespace: 'default',
    uid: `uid-of-${name}`,
    resourceVersion: '7',
    ...more,
  });

  function living(name: string, object: Fields, pods: Pod[] = []): SmallWorld {
    const world = smallWorld(new Map([[name, object]]), new Map(pods.map((each) => [each.metadata.name ?? '', each])));
    Object.assign(ports, { connect: () => world.cluster, lookUp: () => world.cluster });
    return world;
  }

  /** Nothing is changed by looking at the dialog, nor by Escape. */
  async function looksAndLeaves(world: SmallWorld, button: string, says: string | RegExp): Promise<void> {
    const before = JSON.stringify([...world.objects, ...world.pods]);
    await view.click(button);
    await dialogShows(says);
    expect(await view.evaluate('document.activeElement?.textContent')).toBe('Cancel');
    await view.page.keyboard.press('Escape');
    await until('the dialog is closed', isClosed);
    expect(asked).toEqual([]);
    expect(JSON.stringify([...world.objects, ...world.pods])).toBe(before);
  }

  test('scale: says from how many to how many once a number is typed; then the Job runs so many', async () => {
    const world = living('demo', {
      metadata: metadataOf('demo'),
      spec: { parallelism: 2, completions: 9, template },
      status: { active: 2 },
    });
    await view.goTo('#/workloads/local/Job/default/demo');
    await looksAndLeaves(world, 'Scale …', 'Replicas');
    await view.click('Scale …');
    await view.page.type('dialog input[type=number]', '5');
    await dialogShows('Pods at a time 2 → 5: 3 more may run.');
    await press('Scale to 5');
    await dialogShows(/done job\/demo has 5 pods at a time now, not 2\..*1 done\./);
    expect(specOf(world, 'demo')).toMatchObject({ parallelism: 5, completions: 9 });
    expect(asked).toHaveLength(1);
  });

  test('retry: of the indexes that did not succeed alone; the new Job has only those left, and the former stays', async () => {
    const spec = { completionMode: 'Indexed' as const, completions: 5, parallelism: 2 };
    const status = {
      succeeded: 3,
      completedIndexes: '0,2,4',
      conditions: [{ type: 'Failed', status: 'True' as const, reason: 'FailedIndexes' }],
    };
    await know(ports, { name: 'ended', spec, status });
    const world = living('ended', { metadata: metadataOf('ended'), spec: { ...spec, template }, status });
    await view.goTo('#/workloads/local/Job/default/ended');
    await looksAndLeaves(
      world,
      'Retry',
      /A new Job ended-retry-\S+ is made: the 2 of 5 indexes alone that did not succeed\. This one stays\./,
    );
    await view.click('Retry');
    await dialogShows('the 2 of 5 indexes alone');
    await press('Retry 2 indexes');
    await dialogShows(/done job\/ended-retry-\w{6} is made.*Open ended-retry-\w{6}/);
    const [former, made] = [...world.objects.keys()];
    expect(former).toBe('ended');
    expect(world.objects.get(made ?? '')).toMatchObject({ spec: { completions: 5 }, status: { completedIndexes: '0,2,4', succeeded: 3 } });
    expect(specOf(world, made ?? '')['suspend']).not.toBe(true);
    expect(world.objects.get('ended')).toMatchObject({ status });
  });

  test('drain: says which pods go and which stay; then the node takes no new ones, and those that could go are gone', async () => {
    const record = await ports.clusters.get('local');
    if (!record) throw new Error('local is not registered');
    await ports.clusters.put({ ...record, options: { 'virtual-node': 'edge=simulated' } }, record.version);
    await createHead(ports, { cluster: 'local', kind: 'VirtualNode', namespace: '', name: 'edge', uid: 'uid-of-edge' }, record);
    const pod = (name: string, kind: string): Pod => ({
      metadata: {
        ...(metadataOf(name) as unknown as Pod['metadata']),
        ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'of', uid: 'of', controller: true }],
      },
      spec: { nodeName: 'edge', containers: [] },
      status: { phase: 'Running' },
    });
    const node = {
      metadata: { ...metadataOf('edge', { annotations: { 'farloop.dev/virtual-node': 'simulated' } }), namespace: '' },
      spec: {},
    };
    const world = living('edge', node, [pod('web-1', 'ReplicaSet'), pod('web-2', 'ReplicaSet'), pod('agent', 'DaemonSet')]);
    await view.goTo('#/workloads/local/VirtualNode/-/edge');
    const says =
      /edge takes no new pods from then on\. 2 pods are evicted, 2 of them not ended; .* 1 pod of DaemonSets or of the node itself stays\./;
    await looksAndLeaves(world, 'Drain …', says);
    await view.click('Drain …');
    await dialogShows(says);
    await press('Drain edge');
    await dialogShows(/done .* takes no new pods, and those that were on it are evicted\..*1 done\./);
    expect(specOf(world, 'edge')).toEqual({ unschedulable: true });
    expect([...world.pods.keys()]).toEqual(['agent']);
  });
});

describe('an action on several rows', () => {
  test('is planned for each, done for those of which it is possible, and told for each', async () => {
    for (const name of ['demo', 'guarded', 'other']) await view.click(`Choose Job default/${name}`);
    await view.shows('3 chosen:');
    await view.click('Suspend');
    await dialogShows(/Job default\/demo 2 pods are ended.*Job default\/guarded 2 pods.*Job default\/other 2 pods/);
    await press('Suspend 3');
    await dialogShows('2 done, 1 refused.');
    await dialogShows(/refused: needs patch jobs in default local does not let Farloop suspend it/);
    expect(writes.toSorted()).toEqual(['demo {"suspend":true}', 'other {"suspend":true}']);
    expect(asked.map(({ uid }) => uid).toSorted()).toEqual(['uid-of-demo', 'uid-of-guarded', 'uid-of-other']);
    expect(await view.axeFindings()).toEqual([]);
    await press('Close');
    await view.click('Choose none');
    await view.showsNoMore('chosen:');
  });

  test('means the rows that were chosen, wherever they move and whatever else comes; and by keys alone', async () => {
    await view.page.keyboard.press('ArrowDown');
    await view.page.waitForSelector('tr.chosen');
    const name = await view.page.$eval('tr.chosen .name a', ({ textContent }) => textContent);
    await view.page.keyboard.press('x');
    await view.shows('1 chosen:');
    await know(ports, { name: 'late', status: { conditions: [{ type: 'Failed', status: 'True', reason: 'Odd' }] } });
    await view.shows(/5 workloads/);
    await view.page.keyboard.press('.');
    expect(await view.evaluate('document.activeElement?.textContent')).toBe('Suspend');
    await view.page.keyboard.press('Enter');
    await dialogShows(`Suspend ${name}`);
    await view.page.keyboard.press('Escape');
    await until('the dialog is closed', async () => (await view.page.$('dialog[open]')) === null);
    await view.page.keyboard.press('Escape');
    await view.showsNoMore('chosen:');
  });

  test('R15: the page of who has signed in says what is allowed where; axe finds nothing, dark and light, at each width', async () => {
    await view.click('ops@example.org');
    await view.shows('May act on workloads of the clusters below');
    await view.shows(/In the last minute\d/);
    const findings: string[] = [];
    for (const scheme of ['light', 'dark'])
      for (const width of [400, 1280]) {
        await view.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        await view.page.setViewport({ width, height: 800 });
        await view.goTo('#/me');
        await view.shows('In the last minute');
        findings.push(...(await view.axeFindings()).map((finding) => `me ${scheme} ${width}: ${finding}`));
        if ((await view.sidewaysScroll()) > 0) findings.push(`me ${width} scrolls sideways`);
        await view.goTo('#/workloads');
        await view.click('Choose Job default/demo');
        await view.shows('1 chosen:');
        if ((await view.sidewaysScroll()) > 0) findings.push(`list ${width} scrolls sideways`);
        findings.push(...(await view.axeFindings()).map((finding) => `list ${scheme} ${width}: ${finding}`));
        await view.click('Delete …');
        await dialogShows('Nothing else goes with it.');
        findings.push(...(await view.axeFindings()).map((finding) => `dialog ${scheme} ${width}: ${finding}`));
        await press('Cancel');
        await view.click('Choose none');
      }
    expect(findings).toEqual([]);
    expect(writes).toEqual([]);
  });
});

describe('the columns', () => {
  test('are chosen, kept by the browser, and stand in the address, which comes first', async () => {
    await view.click('Columns');
    await view.click('Namespace');
    await until('the address has them', () => view.page.url().includes('cols=state,why,progress,next,age,namespace'));
    const heads = async (): Promise<string[]> =>
      await view.page.$$eval('.workloads thead th', (cells) => cells.map(({ textContent }) => textContent ?? ''));
    expect(await heads()).toEqual(['', 'Name', 'State', 'Why', 'Progress', 'Next look', 'Age', 'Namespace']);
    expect(await view.axeFindings()).toEqual([]);
    await view.page.goto(`${api.url}/#/workloads`);
    await view.page.reload();
    await view.shows('Job default/demo');
    expect(await heads()).toContain('Namespace');
    const counted = ['passes', 'passMs', 'writes', 'requests', 'readUnits', 'fifoRequests', 'fairRequests', 'standardRequests'];
    const none = Object.fromEntries([...counted, 'wakesBatches', 'eventsBatches', 'timersBatches'].map((name) => [name, 0]));
    const spent = { cluster: 'local', kind: 'Job', namespace: 'default', name: 'third', ...none, writeUnits: 1_000_000 };
    ports.costs = { sinceMs: 0, spentSince: async () => ({ rows: [spent as never] }) };
    await view.goTo('#/workloads?cols=cost&sort=cost');
    await view.shows(/Job default\/third\$ \d+\.\d\dJob default\/demo/);
    Reflect.deleteProperty(ports, 'costs');
    await view.goTo('#/workloads?cols=age');
    await until('those of the address are shown', async () => (await heads()).join() === ',Name,Age');
    await view.goTo('#/workloads');
    await view.click('Columns');
    await view.click('As usual');
    await until('the usual ones are back', async () => (await heads()).join() === ',Name,State,Why,Progress,Next look,Age');
  });
});
