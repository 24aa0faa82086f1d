// How the page stays true: by one stream for a tab where the API has one, else by asking again with the tags of its answers; and its traffic.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { loadavg } from 'node:os';
import type { Browser } from 'puppeteer-core';
import { until } from '../claims.ts';
import { openBrowser, View } from './browser.ts';
import { playApi, playedWorkload, TOKEN, type PlayedApi } from './played-api.ts';

let browser: Browser;
let api: PlayedApi | undefined;
let view: View | undefined;

beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => await browser.close());
afterEach(async () => {
  const complaints = view?.complaints ?? [];
  await view?.close();
  await api?.stop();
  [view, api] = [undefined, undefined];
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
});

async function open(count: number, hash: string, hasStream: boolean): Promise<{ api: PlayedApi; view: View }> {
  api = await playApi(count, { hasStream });
  view = await View.open(browser, { url: `${api.url}/#token=${TOKEN}${hash.slice(1)}` });
  return { api, view };
}

/** Another state each time. */
function changeSome(played: PlayedApi, round: number, count: number): void {
  played.workloads = played.workloads.map((workload, at) =>
    at % Math.ceil(played.workloads.length / count) === round % 7
      ? { ...workload, state: round % 2 === 0 ? 'Running' : 'Waiting' }
      : workload,
  );
}

/** Entries of the browser about requests, by their paths. */
const requestsOf = (shown: View): { asked: string[]; stop: () => void } => {
  const asked: string[] = [];
  const note = (request: { url: () => string }): void => void asked.push(new URL(request.url()).pathname);
  shown.page.on('request', note);
  return { asked, stop: () => shown.page.off('request', note) };
};

describe('where the API streams', () => {
  test('one stream serves all that a page shows; a change is there within moments, and nothing is asked for meanwhile but now and then', async () => {
    const { api: played, view: shown } = await open(20, '#/', true);
    await shown.shows('● live');
    await until('the stream is open', () => played.streams === 1);
    const { asked, stop } = requestsOf(shown);
    const beforeMs = performance.now();
    played.workloads = [{ ...playedWorkload(99), state: 'Parked', reason: 'Odd' }, ...played.workloads];
    await shown.shows('1 Parked', 8_000);
    expect(performance.now() - beforeMs).toBeLessThan(8_000);
    for (const page of ['#/workloads', '#/clusters', '#/me']) {
      await shown.goTo(page);
      await shown.shows(/east|ops@example.org/);
    }
    expect(played.streams).toBe(1);
    expect(asked).not.toContain('/v1/stream');
    stop();
  });

  test('a hidden tab lets go of its stream, and one that is looked at again has one', async () => {
    const { api: played, view: shown } = await open(20, '#/workloads', true);
    await until('the stream is open', () => played.streams === 1);
    await shown.evaluate(
      "Object.defineProperty(document, 'hidden', { value: true, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))",
    );
    const before = played.asked;
    played.workloads = [{ ...playedWorkload(99), name: 'hidden-news' }, ...played.workloads];
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(played.asked - before).toBeLessThanOrEqual(4);
    expect(played.streams).toBe(1);
    await shown.evaluate("Reflect.deleteProperty(document, 'hidden'); document.dispatchEvent(new Event('visibilitychange'))");
    await until('the stream is open again', () => played.streams === 2);
    await shown.shows('21 workloads');
  });
});

describe('where it does not, as on AWS', () => {
  test('the corner says so; an unchanged answer is not sent again, and a change is shown at the next look', async () => {
    const { api: played, view: shown } = await open(20, '#/workloads', false);
    await shown.shows('● asks each 5 s');
    const before = played.streams;
    await until('an unchanged answer came', async () => {
      await shown.goTo('#/me');
      return /[1-9]\d* of them unchanged/.test(await shown.text());
    });
    await shown.goTo('#/workloads');
    played.workloads = [...played.workloads, playedWorkload(99)];
    await shown.shows('21 workloads');
    // It is not asked for a stream over and over.
    expect(played.streams - before).toBeLessThanOrEqual(6);
  });
});

describe('ten thousand workloads', () => {
  test.each([
    { hasStream: true, changes: 0 },
    { hasStream: true, changes: 10 },
    { hasStream: false, changes: 10 },
  ])(
    'open for a while (stream: $hasStream, $changes changes a second): bytes per minute and heap are printed',
    async ({ hasStream, changes }) => {
      const { api: played, view: shown } = await open(10_000, '#/workloads', hasStream);
      await shown.page.waitForSelector('.workloads tbody td.name');
      await shown.shows(hasStream ? '● live' : '● asks each 5 s');
      const WATCHED_MS = 20_000;
      let round = 0;
      const churn = setInterval(() => {
        if (changes > 0) changeSome(played, ++round, changes);
      }, 1_000);
      const [wireBefore, askedBefore] = [played.wireBytes, played.asked];
      await new Promise((resolve) => setTimeout(resolve, WATCHED_MS));
      clearInterval(churn);
      const perMinute = ((played.wireBytes - wireBefore) * 60_000) / WATCHED_MS;
      const asked = played.asked - askedBefore;
      await shown.evaluate('gc()');
      const heapBytes = await shown.evaluate<number>('performance.memory.usedJSHeapSize');
      await shown.goTo('#/me');
      await shown.shows('In the last minute');
      const told = /In the last minute(.*unchanged)/.exec(await shown.text())?.[1];
      console.log(
        `console: 10,000 workloads, ${hasStream ? 'streamed' : 'polled'}, ${changes} changes a second: ${(perMinute / 1e3).toFixed(0)} KB a minute on the wire, ` +
          `${asked} answers in 20 s; heap ${(heapBytes / 1e6).toFixed(1)} MB; the page itself says: ${told}; load ${loadavg()[0]?.toFixed(1)}`,
      );
      expect(heapBytes).toBeLessThanOrEqual(40e6);
    },
    60_000,
  );
});
