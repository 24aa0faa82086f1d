// The console with nothing, one, two hundred and ten thousand workloads: what it costs, that nothing moves under the pointer, and that no
// click is lost; each page at each width, and by the rules of accessibility.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { loadavg } from 'node:os';
import type { Browser } from 'puppeteer-core';
import { consoleFiles } from '../../lib/files/console-files.ts';
import { until } from '../claims.ts';
import { openBrowser, View } from './browser.ts';
import { playApi, playedWorkload, TOKEN, type PlayedApi } from './played-api.ts';

let browser: Browser;
let api: PlayedApi | undefined;
let view: View | undefined;

beforeAll(async () => {
  browser = await openBrowser();
  // As in a package: a checkout bundles its sources for the first who opens the page, which takes some 0.4 s once.
  await consoleFiles();
});
afterAll(async () => await browser.close());
afterEach(async () => {
  const complaints = view?.complaints ?? [];
  await view?.close();
  await api?.stop();
  [view, api] = [undefined, undefined];
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
});

async function open(count: number, hash: string, size: { width?: number; height?: number } = {}): Promise<{ api: PlayedApi; view: View }> {
  api = await playApi(count, { hasStream: true });
  view = await View.open(browser, { url: `${api.url}/#token=${TOKEN}${hash.slice(1)}`, ...size });
  return { api, view };
}

const PAGES = ['#/', '#/workloads', '#/clusters', '#/letters', '#/runs', '#/cost', '#/me', '#/nowhere'];
const WORKLOAD_PAGES = ['', '/logs', '/timeline', '/conditions', '/commands'].map(
  (tab) => `#/workloads/east/Job/team-0/report-00000${tab}`,
);

describe('each page', () => {
  test.each([
    { count: 0, pages: PAGES },
    { count: 1, pages: [...PAGES, ...WORKLOAD_PAGES] },
    { count: 200, pages: ['#/', '#/workloads'] },
  ])('with $count workloads: has a heading, fits each width, and axe finds nothing', async ({ count, pages }) => {
    const shown = await open(count, '#/');
    const findings: string[] = [];
    for (const hash of pages) {
      await shown.view.goTo(hash);
      await until(
        `${hash} is there`,
        async () => await shown.view.evaluate<boolean>('!!document.querySelector("main h1") && !document.querySelector(".loading")'),
      );
      for (const width of [400, 1280, 1920]) {
        await shown.view.page.setViewport({ width, height: 800 });
        const sideways = await shown.view.sidewaysScroll();
        if (sideways > 0) findings.push(`${hash} is ${sideways} px wider than ${width}`);
      }
      await shown.view.page.setViewport({ width: count === 1 ? 400 : 1280, height: 800 });
      findings.push(...(await shown.view.axeFindings()).map((finding) => `${hash}: ${finding}`));
    }
    await shown.view.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
    await shown.view.goTo('#/workloads');
    findings.push(...(await shown.view.axeFindings()).map((finding) => `dark: ${finding}`));
    expect(findings).toEqual([]);
  });
});

describe('ten thousand workloads', () => {
  test('scroll through, with few rows made; the time to the first row, the heap and the bytes are printed', async () => {
    const { api: played, view: shown } = await open(10_000, '#/workloads');
    await shown.page.waitForSelector('.workloads tbody td');
    const paintMs = await shown.evaluate<number>('performance.now()');
    let rows = 0;
    await until(
      'all of them can be scrolled to',
      async () => {
        await shown.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
        rows = await shown.evaluate<number>(
          'Number([...document.querySelectorAll(".workloads tr[aria-rowindex]")].at(-1).getAttribute("aria-rowindex")) - 1',
        );
        return rows === 10_000;
      },
      60_000,
      async () => String(rows),
    );
    const elements = await shown.evaluate<number>('document.querySelectorAll("*").length');
    expect(elements).toBeLessThanOrEqual(2_500);
    expect(await shown.text()).toContain('report-0');
    const beforeMs = performance.now();
    await shown.page.focus('#search');
    await shown.page.keyboard.type('report-04711');
    await until(
      'the one is found',
      async () => (await shown.evaluate<number>('document.querySelectorAll(".workloads tbody td.name").length')) === 1,
    );
    const foundMs = performance.now() - beforeMs;
    await shown.evaluate('gc()');
    const heapBytes = await shown.evaluate<number>('performance.memory.usedJSHeapSize');
    console.log(
      `console: 10,000 workloads: first row after ${Math.round(paintMs)} ms, search to the row ${Math.round(foundMs)} ms, ${elements} elements, ` +
        `heap ${(heapBytes / 1e6).toFixed(1)} MB, ${(played.bytes / 1e6).toFixed(1)} MB of JSON in ${played.asked} answers; load ${loadavg()[0]?.toFixed(1)}`,
    );
    expect(heapBytes).toBeLessThanOrEqual(60e6);
  });

  test('while it is paused, further rows come when one scrolls on', async () => {
    const { view: shown } = await open(10_000, '#/workloads');
    await shown.shows('10,000 workloads');
    await shown.page.keyboard.press('z');
    await shown.shows('‖ paused');
    await shown.evaluate('void scrollTo(0, document.documentElement.scrollHeight)');
    await until('more than a first page', async () => (await shown.evaluate<number>('document.documentElement.scrollHeight')) > 300 * 36);
    expect(await shown.text()).toContain('‖ paused');
  });

  test('Back lands where one was', async () => {
    const { view: shown } = await open(400, '#/workloads');
    await shown.page.waitForSelector('.workloads tbody td');
    // Further rows come as they are scrolled to.
    await until('it is so long', async () => await shown.evaluate<boolean>('scrollTo(0, 5000), scrollY === 5000'));
    await until('the place is noted', async () => (await shown.evaluate<number>('history.state?.scroll ?? 0')) === 5_000);
    const name = await shown.evaluate<string>('document.elementFromPoint(100, 400).closest("tr").querySelector("a").textContent');
    await shown.click(name);
    await until('it is open', async () => (await shown.page.title()).startsWith(name));
    await shown.page.goBack();
    await until('it is where it was', async () => Math.abs((await shown.evaluate<number>('scrollY')) - 5_000) < 2);
    expect(await shown.evaluate<string>('document.elementFromPoint(100, 400).closest("tr").querySelector("a").textContent')).toBe(name);
  });
});

describe('while it changes', () => {
  test('of 200 clicks none is lost, and rows keep their places under the pointer', async () => {
    const { api: played, view: shown } = await open(50, '#/workloads');
    await shown.page.waitForSelector('.workloads tbody td');
    await shown.evaluate(`(() => {
      globalThis.clicks = 0;
      addEventListener('click', (event) => { if (event.target.closest('.workloads td.name a')) { globalThis.clicks += 1; event.preventDefault(); } }, true);
    })()`);
    let round = 0;
    const churn = setInterval(() => {
      round += 1;
      played.workloads = played.workloads.map((workload, at) =>
        (at + round) % 3 === 0 ? { ...workload, state: round % 2 === 0 ? 'Failed' : 'Running' } : workload,
      );
      played.workloads.unshift({ ...playedWorkload(90_000 + round), state: 'Failed' });
    }, 150);
    const place = await shown.evaluate<{ x: number; y: number }>(`(() => {
      const { left, top, height } = document.querySelectorAll('.workloads td.name a')[3].getBoundingClientRect();
      return { x: Math.round(left + 20), y: Math.round(top + height / 2) };
    })()`);
    await shown.page.mouse.move(place.x, place.y);
    const under = `document.elementFromPoint(${place.x}, ${place.y}).closest('tr').querySelector('a').textContent`;
    const before = await shown.evaluate<string>(under);
    for (let click = 0; click < 200; click++) {
      await shown.page.mouse.down();
      // A hand takes so long, and a list that is built anew meanwhile loses the click.
      await new Promise((resolve) => setTimeout(resolve, 25));
      await shown.page.mouse.up();
    }
    clearInterval(churn);
    expect(await shown.evaluate<number>('globalThis.clicks')).toBe(200);
    expect(await shown.evaluate<string>(under)).toBe(before);
    await shown.shows(/\d+ more came since: show them/);
    await shown.page.keyboard.press('n');
    await shown.showsNoMore('more came since');
  });

  test('text that is selected stays selected, and the focus stays', async () => {
    const { api: played, view: shown } = await open(5, '#/workloads/east/Job/team-0/report-00000');
    await shown.shows('2 pods run');
    await shown.evaluate('getSelection().selectAllChildren(document.querySelector(".reason"))');
    await shown.page.focus('.tabs a');
    const asked = played.asked;
    played.workloads = played.workloads.map((workload) => ({ ...workload, state: 'Failed', reason: 'Odd' }));
    await shown.shows('Odd');
    await until('some polls are over', () => played.asked > asked + 3);
    expect(await shown.evaluate<string>('getSelection().toString()')).toContain('2 pods run');
    expect(await shown.evaluate<string>('document.activeElement.textContent')).toContain('Pods');
  });
});
