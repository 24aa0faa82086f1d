// Runs in a browser: the list with its filters, a run with what is open and why, and that one is cancelled after a dialog, once.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser } from 'puppeteer-core';
import { EmbeddedRuns } from '../../lib/adapters/embedded/runs.ts';
import { runHost } from '../../lib/api/runs.ts';
import { advance } from '../../lib/reconciler/runs/advance.ts';
import { beginRun } from '../../lib/reconciler/runs/begin-run.ts';
import { embeddedPorts, type EmbeddedPorts } from '../api/embedded-ports.ts';
import { serveApi } from '../api/served-api.ts';
import { until } from '../claims.ts';
import { aNode, aPod, asking } from '../kinds/run-once/run-world.ts';
import type { Listening } from '../listening.ts';
import { openBrowser, View } from './browser.ts';

const TOKEN = 'a-token-of-this-test';

let browser: Browser;
let ports: EmbeddedPorts;
let records: EmbeddedRuns;
let api: Listening;
let view: View;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser.close());
beforeEach(async () => {
  ports = await embeddedPorts('local');
  records = EmbeddedRuns.open();
  ports.runs = runHost({
    records,
    clock: ports.clock,
    problemOfProvider: () => undefined,
    nodeNamed: async () => ({ problem: 'there is no such virtual node here' }),
    withoutCluster: 'a provider belongs to no cluster',
    cannotOf: async () => [],
    wake: () => {},
  });
  // One pod that starts, and one that is larger than the node.
  await beginRun(
    { id: 'nightly-07', provider: 'simulated', node: aNode('1'), pods: [aPod('a'), aPod('large', asking('2'))] },
    { runs: records, clock: ports.clock },
  );
  const answers = { limits: () => ({ cannot: [] }), look: async () => [], start: async () => {} };
  await advance('nightly-07', { runs: records, clock: ports.clock, providerOf: () => answers as never });
  await beginRun({ id: 'other', provider: 'simulated', node: aNode('1'), pods: [aPod('b')] }, { runs: records, clock: ports.clock });
  api = await serveApi(ports, TOKEN);
  view = await View.open(browser, { url: `${api.url}/#token=${TOKEN}/runs` });
  await view.shows('2 runs');
});
afterEach(async () => {
  const complaints = view.complaints.splice(0);
  await view.close();
  await api.stop();
  records.close();
  ports.close();
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
});

test('the list is filtered by state and name, both in the address', async () => {
  await view.shows('0/2');
  await view.goTo('#/runs?text=night');
  await view.showsNoMore('other');
  await view.shows('nightly-07');
  await view.goTo('#/runs?state=done');
  await view.shows('No run matches.');
  expect(await view.axeFindings()).toEqual([]);
});

test('a run says what is open and why, what came of the others, and what its next step would do; cancelled after a dialog', async () => {
  await view.click('nightly-07');
  await view.shows('Open: 1');
  await view.shows('With an outcome: 1');
  const text = await view.text();
  expect(text).toMatch(/Pods with an outcome1 of 2/);
  expect(text).toContain('farloop run-once get nightly-07');
  await view.click('What its next step would do');
  await until('the step is told', async () => (await view.page.$$('details[open] li')).length > 0);
  for (const scheme of ['light', 'dark']) {
    await view.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    expect(await view.axeFindings()).toEqual([]);
  }
  await view.page.setViewport({ width: 400, height: 800 });
  expect(await view.sidewaysScroll()).toBeLessThanOrEqual(0);
  await view.click('Cancel the run …');
  await view.shows('1 pod without an outcome is stopped; what was not saved is lost. 1 outcome stays.');
  expect(await view.evaluate('document.activeElement?.textContent')).toBe('Cancel');
  expect(await ports.runs?.get('nightly-07')).toMatchObject({ state: 'waiting' });
  await view.click('Cancel nightly-07');
  await view.shows('cancelled');
  expect(await ports.runs?.get('nightly-07')).toMatchObject({ state: 'cancelled' });
});
