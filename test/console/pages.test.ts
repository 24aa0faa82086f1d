// Each page of the console in a browser, against the API over a socket: what it shows, whatever a cluster calls things.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser } from 'puppeteer-core';
import { describeWorkloads } from '../../lib/api/workloads.ts';
import { evidenceText } from '../../lib/cli/queries/explain.ts';
import { createHead } from '../../lib/reconciler/head/heads.ts';
import { embeddedPorts, giveUp, know, type EmbeddedPorts, type KnownJob } from '../api/embedded-ports.ts';
import { serveApi } from '../api/served-api.ts';
import { until } from '../claims.ts';
import { aPass } from '../contracts/recorder.ts';
import type { Listening } from '../listening.ts';
import { openBrowser, View } from './browser.ts';

const TOKEN = 'a-token-of-this-test';
/** Where nothing may be taken for markup. */
const HOSTILE = '<img src=x onerror=alert(1)>';
/** And where nothing may change how the rest is read. */
const REVERSING = 'a\u202Egpj.exe\u2066\nb';

let ports: EmbeddedPorts;
let api: Listening;
let browser: Browser;
let view: View;

beforeAll(async () => {
  ports = await embeddedPorts('local', 'staging');
  api = await serveApi(ports, TOKEN);
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
  browser = await openBrowser();
  view = await View.open(browser, { url: `${api.url}/#token=${TOKEN}` });
});

afterAll(async () => {
  await browser.close();
  await api.stop();
  ports.close();
});

beforeEach(async () => {
  await view.goTo('#/workloads');
  await view.shows('Job default/demo');
});
afterEach(() => {
  // Nothing is refused by the page's policy, and nothing is thrown, whatever a test looks at.
  const complaints = view.complaints.splice(0);
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
});

describe('the console', () => {
  test('takes the token out of the address, and names the page in the title', async () => {
    expect(view.page.url()).toBe(`${api.url}/#/workloads`);
    expect(await view.page.title()).toBe('Workloads · Farloop');
    await view.shows('Job default/demo on staging');
    await view.shows('● live');
    const current = await view.page.$$eval('nav a[aria-current=page]', (links) => links.map(({ textContent }) => textContent));
    expect(current).toEqual(['Workloads']);
  });

  test('R13: what needs a person stands first on the overview, grouped, each a link', async () => {
    await view.goTo('#/');
    // Two workloads, and two clusters of which no relay has been heard.
    await view.shows('4 things need a person, of 4 causes');
    const causes = await view.page.$$eval('.causes a', (links) => links.map(({ textContent }) => textContent));
    expect(causes).toEqual([
      expect.stringContaining(`1 ParkedJob default/stuck: ${HOSTILE}`),
      expect.stringContaining('1 FailedJob default/reversed: Odd'),
      expect.stringContaining('Waitingcluster local: no word of its relay has come yet'),
      expect.stringContaining('Waitingcluster staging'),
    ]);
    await view.page.click('.causes a');
    await view.shows('Parked: ' + HOSTILE);
    expect(view.page.url()).toContain('/workloads/local/Job/default/stuck');
  });

  test('text that would reverse what follows is shown as what it is', async () => {
    await view.click('Job default/reversed');
    await view.shows('a\\u202egpj.exe\\u2066\\nb');
    expect(await view.text()).not.toMatch(/\p{Bidi_Control}/u);
  });

  test('a workload: where it stands, its passes and why, its pods', async () => {
    await view.click('Job default/demo');
    for (const text of ['uid uid-of-demo', 'Latest: 2 pods are missing', 'demo-a', 'PodsRunning']) await view.shows(text);
    expect(await view.page.title()).toBe('Job default/demo · Farloop');
    expect(await view.evaluate('document.activeElement?.id')).toBe('main');
    await view.click('Timeline');
    await view.shows('create Pod n/j-0-abcde and 1 more');
    await view.click('Conditions');
    await view.shows('None.');
    await view.click('Commands');
    await view.shows('farloop explain job/demo -n default');
  });

  test('a workload of a kind without pods of its own: no word of logs', async () => {
    await view.click('VirtualNode edge');
    await view.shows('uid uid-of-edge');
    await view.shows('Conditions');
    await view.shows('No pod is bound to it.');
    expect(await view.text()).not.toContain('Logs');
  });

  test('a cluster that does not answer, since when and why, and what its workloads wait for; and that it answers again', async () => {
    const silence = { downSinceMs: Date.now() - 65_000, probeAtMs: Date.now() + 60_000, reason: `no answer within 3 s ${HOSTILE}` };
    await ports.store.putNote('staging', 'reach', JSON.stringify(silence), 0);
    await view.goTo('#/clusters');
    await view.shows(/Unreachable, (65|6\d|7\d) s ago: its API server does not answer: no answer within 3 s <img/);
    await view.goTo('#/workloads/staging/Job/default/demo');
    await view.shows('Unreachable: no answer from the cluster since');
    expect(await view.text()).toMatch(/tried again in \d+ s/);
    await ports.store.putNote('staging', 'reach', JSON.stringify({ ...silence, downSinceMs: null }), 1);
    await view.goTo('#/clusters');
    await view.showsNoMore('Unreachable');
    await view.shows('staging');
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
    await view.goTo(`#/workloads/local/Job/default/${name}`);
    for (const text of [`uid uid-of-${name}`, ...texts]) await view.shows(text);
    // Word for word what `explain` prints of each reason.
    const [workload] = await describeWorkloads(ports, { cluster: 'local', kind: 'Job', namespace: 'default', name });
    for (const reason of workload?.reasons ?? [])
      expect(await view.text()).toContain(`${reason.code}: ${reason.text}${evidenceText(reason)}`);
  });

  test('what waits for a person: parked workloads and dead letters, as text whatever they say; redriven after a dialog, they are gone', async () => {
    await ports.queue.send(
      'timers',
      [HOSTILE, 'not a timer'].map((body) => ({ body })),
    );
    await giveUp(ports, 'timers');
    const [letter] = await ports.queue.deadLetters('timers', 1);
    await view.goTo('#/dead-letters');
    await view.shows('the timer is no JSON');
    await view.shows('Job default/stuck on local');
    expect((await view.text()).split(HOSTILE)).toHaveLength(3);
    expect(await view.page.$$('img')).toEqual([]);

    await view.click(`Redrive ${letter?.messageId}`);
    await view.shows('1 message goes back into timers; what cannot be read comes back here.');
    expect(await view.evaluate('document.activeElement?.textContent')).toBe('Cancel');
    await view.click('Cancel');
    await view.showsNoMore('goes back');
    expect(await ports.queue.deadLetters('timers', 9)).toHaveLength(2);
    await view.click(`Redrive ${letter?.messageId}`);
    await view.click('Redrive 1');
    await until('one letter is left', async () => (await ports.queue.deadLetters('timers', 9)).length === 1);
    await until('the page knows', async () => (await view.page.$$('pre')).length === 1);
    await view.click('Redrive 1 …');
    await view.click('Redrive 1');
    await view.shows('None: every message could be read.');
    expect(await ports.queue.depth('timers')).toMatchObject({ visible: 2, dead: 0 });
  });

  test('R15: a dead letter is dropped after a dialog that says what is lost, and only where actions are on', async () => {
    await ports.queue.send('timers', [{ body: 'no timer at all' }]);
    await giveUp(ports, 'timers');
    const letter = (await ports.queue.deadLetters('timers', 9)).find(({ body }) => body === 'no timer at all');
    await view.goTo('#/letters');
    await view.click(`Drop ${letter?.messageId}`);
    await view.shows('it needs actions=on');
    await view.click('Close');
    ports.actions = 'on';
    await view.showsNoMore('needs actions=on');
    await view.click(`Drop ${letter?.messageId}`);
    await view.shows('1 message of timers is lost for good: what was due is found by the sweep.');
    await view.click('Drop 1');
    await until('it is gone', async () => !(await ports.queue.deadLetters('timers', 9)).some(({ body }) => body === 'no timer at all'));
    await view.showsNoMore('no timer at all');
    Reflect.deleteProperty(ports, 'actions');
  });

  test('a queue that does not answer is named, when they are looked at and when they are redriven', async () => {
    const depth = ports.queue.depth.bind(ports.queue);
    await ports.queue.send('timers', [{ body: 'no timer' }]);
    await giveUp(ports, 'timers');
    const fails = async (): Promise<never> => {
      throw new Error('there is no such queue');
    };
    ports.queue.depth = async (name) => (name === 'wakes' ? await fails() : await depth(name));
    ports.queue.redrive = fails;
    await view.goTo('#/letters');
    await view.shows('Not all queues are shown: wakes (there is no such queue)');
    // Those that came back in another test were given up again.
    const { length } = await ports.queue.deadLetters('timers', 9);
    await view.click(`Redrive ${length} …`);
    await view.click(`Redrive ${length}`);
    await until('the dialog says why not', async () =>
      /there is no such queue/.test((await view.page.$eval('dialog', ({ textContent }) => textContent)) ?? ''),
    );
    for (const name of ['depth', 'redrive']) Reflect.deleteProperty(ports.queue, name);
    await view.click(`Redrive ${length}`);
    await view.shows('None: every message could be read.');
    await view.showsNoMore('Not all');
  });

  test('what is shown as its latest pass is its own; passes of a former uid of its name say so', async () => {
    const former = { cluster: 'staging', kind: 'Job' as const, namespace: 'default', name: 'demo', uid: 'uid-of-before' };
    await ports.recorder.append(aPass(Date.now() - 1_000, { key: former, why: ['it is to be let go'] }));
    await view.goTo('#/workloads/staging/Job/default/demo/timeline');
    await view.shows('it is to be let go');
    await view.shows('Latest: 2 pods are missing');
    const text = await view.text();
    expect(text.split(/pods? seen, uid uid-of-before/)).toHaveLength(2);
    expect(text).not.toMatch(/pods? seen, uid uid-of-demo/);
  });

  test('a workload is shown though its passes cannot be read', async () => {
    ports.recorder.passes = async () => await Promise.reject(new Error('the log could not be searched within 15 s'));
    await view.goTo('#/workloads/staging/Job/default/demo/timeline');
    await view.shows('uid uid-of-demo');
    await view.page.reload();
    await view.shows('Passes cannot be shown: the log could not be searched within 15 s');
    await view.shows('uid uid-of-demo');
    expect(await view.text()).not.toContain('No pass is recorded');
    Reflect.deleteProperty(ports.recorder, 'passes');
    await view.shows('2 pods are missing');
  });

  test.each([
    { manages: ['all-jobs'], tries: 'Try: kubectl apply -f examples/job.yaml' },
    { manages: ['jobs'], tries: 'managedBy: farloop.dev/job". Try: kubectl apply -f examples/managed-by.yaml' },
  ])('where it manages $manages and has none, it names one that it would take', async ({ manages, tries }) => {
    const list = ports.clusters.list.bind(ports.clusters);
    ports.clusters.list = async () => (await list()).map((record) => ({ ...record, name: `empty-${record.name}`, manages }));
    await view.goTo('#/');
    await view.shows(tries);
    await view.showsNoMore('Job default/demo');
    ports.clusters.list = list;
  });

  test('cost: where functions count each for itself, it says who sums it up', async () => {
    await view.click('Cost');
    await view.shows('On AWS each function counts for itself');
    expect(await view.text()).toMatch(/List prices of us-east-1, 20\d\d-\d\d-\d\d/);
  });

  test('filters and search stand in the address, by the words of the API', async () => {
    await view.page.type('#search', 'demo');
    await until('the address has it', () => view.page.url().endsWith('#/workloads?text=demo'));
    await view.showsNoMore('Job default/reversed');
    await view.shows('Job default/demo');
    await view.goTo('#/workloads?cluster=local&state=Failed');
    await view.shows('Job default/reversed');
    await view.showsNoMore('Job default/demo');
    await view.goTo('#/workloads?state=none');
    await view.shows('there is no state "none"');
    // What no row that is shown has can be chosen, too: the server knows it.
    await view.goTo('#/workloads?kind=VirtualNode');
    const offered = async (label: string): Promise<string[]> =>
      await view.evaluate(
        `[...document.querySelectorAll('.filters label')].filter((each) => each.firstChild.textContent === ${JSON.stringify(label)})` +
          `.flatMap((each) => [...each.querySelectorAll('option')].map(({ textContent }) => textContent))`,
      );
    await until('kinds are offered', async () => /^all,Job \(\d+\),VirtualNode \(1\)$/.test((await offered('Kind')).join()));
    expect(await offered('Namespace')).toEqual(['all']);
    await view.goTo('#/workloads?cluster=local');
    await until('namespaces are offered', async () => /^all,default \(\d+\)$/.test((await offered('Namespace')).join()));
  });

  test('keys: / searches, ? helps, g leads, arrows choose and Enter opens', async () => {
    await view.page.keyboard.press('/');
    expect(await view.evaluate('document.activeElement?.id')).toBe('search');
    await view.page.keyboard.press('Escape');
    // Who has just chosen a row types no text.
    await view.page.click('tbody input[type=checkbox]');
    await view.page.keyboard.press('.');
    expect(await view.evaluate('document.activeElement?.closest(".chosen-bar") !== null')).toBe(true);
    await view.page.keyboard.press('Escape');
    await view.page.waitForSelector('.chosen-bar', { hidden: true });
    await view.page.keyboard.type('gc');
    await view.shows('Cluster');
    expect(view.page.url()).toContain('#/clusters');
    await view.page.keyboard.type('gw');
    await view.shows('Job default/demo');
    await view.page.keyboard.press('?');
    await view.shows('previous row');
    await view.page.keyboard.press('Escape');
    await view.showsNoMore('previous row');
    await view.page.keyboard.press('ArrowDown');
    await view.page.waitForSelector('tr.chosen');
    const chosen = await view.page.$eval('tr.chosen a', ({ textContent }) => textContent);
    await view.page.keyboard.press('Enter');
    await until('it is open', async () => (await view.page.title()).startsWith(chosen ?? '?'));
  });

  test('z pauses: what is shown stays as it is until it goes on; a page that one goes to is shown', async () => {
    await view.goTo('#/workloads?text=came-before');
    await view.shows('No workload matches');
    await view.goTo('#/workloads');
    await view.shows('Job default/demo');
    await know(ports, { name: 'came-before' });
    await view.page.keyboard.press('z');
    await view.shows('‖ paused');
    // As it is then, not as it was when somebody last looked.
    await view.goTo('#/workloads?text=came-before');
    await view.shows('Job default/came-before');
    await know(ports, { name: 'came-meanwhile' });
    await view.goTo('#/workloads?text=came-meanwhile');
    await view.shows('Job default/came-meanwhile');
    await know(ports, { name: 'came-meanwhile-too' });
    await view.goTo('#/clusters');
    await view.shows('staging');
    const answered = view.page.waitForResponse((response) => response.url().includes('text=came-meanwhile'));
    await view.goTo('#/workloads?text=came-meanwhile');
    await answered;
    await view.shows('1 workload of');
    expect(await view.text()).not.toContain('came-meanwhile-too');
    await view.click('Go on');
    await view.shows('Job default/came-meanwhile-too');
    await view.showsNoMore('‖ paused');
  });

  test('what the API refuses is shown on the page; without a token a dialog over the page asks for one', async () => {
    await view.goTo('#/workloads/staging/Job/default/nowhere');
    await view.shows('there is no workload');
    await view.goTo('#token=wrong-token/workloads');
    await view.shows('Open the console by the whole URL that farloop printed');
    await view.page.type('dialog input', `${api.url}/#token=${TOKEN}`);
    await view.page.keyboard.press('Enter');
    await view.showsNoMore('Open the console by the whole URL');
    await view.shows('Job default/demo');
    await view.goTo('#/workloads?sort=no-such-order');
    await view.shows('not "no-such-order"');
    await view.click('Show all');
    await view.shows('Job default/demo');
  });

  test('the dialog that asks for a token stays, also after Esc; the printed address in its tab lets in, and so does a sign-in elsewhere', async () => {
    const asks = 'Open the console by the whole URL that farloop printed';
    await view.goTo('#token=wrong-token/workloads');
    await view.shows(asks);
    for (let times = 0; times < 3; times += 1) await view.page.keyboard.press('Escape');
    expect(await view.page.$('dialog[open]')).not.toBeNull();
    await view.goTo(`#token=${TOKEN}/workloads`);
    await view.showsNoMore(asks);
    await view.shows('Job default/demo');
    await view.goTo('#token=wrong-again/workloads');
    await view.shows(asks);
    const second = await View.open(browser, { url: `${api.url}/#token=${TOKEN}` });
    await second.shows('need a person');
    await second.close();
    await view.showsNoMore(asks);
    await view.shows('Job default/demo');
  });

  test('ages are told by the clock of the server, however wrong that of the browser is', async () => {
    const age = async (each: View): Promise<string> =>
      await each.evaluate('document.querySelector("td.age time:not([datetime=\'\'])")?.textContent ?? ""');
    const right = await age(view);
    expect(right).toMatch(/^\d+ d$/);
    const wrong = await View.blank(browser, {});
    await wrong.page.evaluateOnNewDocument('{ const now = Date.now; Date.now = () => now() + 1000 * 86_400_000; }');
    await wrong.page.goto(`${api.url}/#/workloads`);
    await until('it is as old', async () => (await age(wrong)) === right);
    await wrong.goTo('#/me');
    await wrong.shows("1000 d ahead of the server's");
    expect(wrong.complaints).toEqual([]);
    await wrong.close();
  });

  test('commands to copy are those that a shell takes: by the words of the cluster, with its name where there are several', async () => {
    await view.goTo('#/workloads/local/VirtualNode/-/edge/commands');
    await view.shows('kubectl describe node/edge');
    await view.shows('kubectl get node/edge -o yaml');
    await view.shows('farloop explain virtualnode/edge --cluster local');
  });

  test('a new tab is signed in, and so is one after a reload', async () => {
    const second = await View.open(browser, { url: `${api.url}/#/workloads/staging/Job/default/demo` });
    await second.shows('uid uid-of-demo');
    await second.page.reload();
    await second.shows('uid uid-of-demo');
    expect(second.complaints).toEqual([]);
    await second.close();
  });

  test('rests while nobody looks', async () => {
    const asked: string[] = [];
    view.page.on('request', (request) => asked.push(request.url()));
    await view.page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    });
    await until('the last poll is over', () => asked.length > 0);
    const before = asked.length;
    await new Promise((resolve) => setTimeout(resolve, 4_500));
    expect(asked.length - before).toBeLessThanOrEqual(2);
    await view.page.evaluate(() => {
      Reflect.deleteProperty(document, 'hidden');
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await until('it asks again at once', () => asked.length > before + 1);
  });
});
