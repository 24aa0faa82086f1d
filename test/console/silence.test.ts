// A real `farloop up` that is killed, freezes and comes back while its console is open.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser } from 'puppeteer-core';
import { FarloopProcess, temporaryFolder } from '../cli/farloop-process.ts';
import { openBrowser, View } from './browser.ts';

let browser: Browser;
let folder: ReturnType<typeof temporaryFolder>;
let farloop: FarloopProcess;
let url: string;
let view: View;

/** A banner comes after 10 s. */
const SILENT_WITHIN_MS = 30_000;

async function start(port: string): Promise<void> {
  farloop = new FarloopProcess(['up', '--state', folder.path, '--port', port, '--log-level', 'error', '--apply', 'examples/job.yaml']);
  await farloop.says(/Succeeded/, 120_000);
  [url = ''] = /http:\S+/.exec(farloop.stdout) ?? [];
}

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser.close());
beforeEach(async () => {
  folder = temporaryFolder();
  await start('0');
  view = await View.open(browser, { url });
  await view.shows('● live');
});
afterEach(async () => {
  await view.close();
  await farloop.destroy();
  folder.remove();
});

describe('farloop up', () => {
  test('killed: the banner says since when, and what was shown stays; started again, the page goes on without a sign-in', async () => {
    await view.goTo('#/workloads');
    await view.shows('Job default/demo');
    farloop.child.kill('SIGKILL');
    await farloop.exited;
    await view.shows(/as of \d/, SILENT_WITHIN_MS);
    await view.shows(/Farloop has not answered since \d\d:\d\d:\d\d; what you see is from then/, SILENT_WITHIN_MS);
    await view.shows('Job default/demo');
    await start(new URL(url).port);
    await view.shows('● live', SILENT_WITHIN_MS);
    await view.showsNoMore('has not answered');
    // A link that somebody sent before works, too.
    const second = await View.open(browser, { url: `${new URL(url).origin}/#/workloads/local/Job/default/demo` });
    await second.shows(/uid [\w-]{36}/);
    await second.close();
    expect(view.complaints).toEqual([]);
  });

  test('frozen: the same, and it goes on by itself', async () => {
    await view.goTo('#/workloads/local/Job/default/demo/logs');
    await view.shows(/the log of demo-\S+ ends here/);
    farloop.child.kill('SIGSTOP');
    try {
      await view.goTo('#/workloads/local/Job/default/demo/pods');
      await view.shows(/Farloop has not answered since/, SILENT_WITHIN_MS);
    } finally {
      farloop.child.kill('SIGCONT');
    }
    await view.shows('● live', SILENT_WITHIN_MS);
    await view.showsNoMore('has not answered');
    expect(view.complaints).toEqual([]);
  });
});
