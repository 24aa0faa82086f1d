// A browser that looks at the console as a person does, and notes whatever it complains of.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import puppeteer, { type Browser, type ElementHandle, type Page } from 'puppeteer-core';
import { until } from '../claims.ts';
import { findChromium } from './chromium.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** For machines half as fast as those that this was written on. */
const SHOWN_WITHIN_MS = 15_000;

export async function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('there is no Chromium: install one, or name its program in CHROMIUM');
  return await puppeteer.launch({
    executablePath,
    headless: true,
    // Root has no sandbox of Chromium's, and a machine without a screen no graphics processor.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--js-flags=--expose-gc'],
  });
}

export interface ViewOptions {
  /** With the token in its fragment. */
  url: string;
  width?: number;
  height?: number;
}

/** One tab. */
export class View {
  readonly page: Page;
  /** Uncaught errors, and whatever the browser refused: a violation of the page's policy among it. */
  readonly complaints: string[] = [];

  private constructor(page: Page) {
    this.page = page;
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      // What the API refuses, the browser notes, too.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) this.complaints.push(message.text());
    });
  }

  /** Before it has gone anywhere. */
  static async blank(browser: Browser, { width = 1280, height = 800 }: Omit<ViewOptions, 'url'>): Promise<View> {
    const view = new View(await browser.newPage());
    await view.page.setViewport({ width, height });
    return view;
  }

  static async open(browser: Browser, { url, ...size }: ViewOptions): Promise<View> {
    const view = await View.blank(browser, size);
    await view.page.goto(url, { waitUntil: 'domcontentloaded' });
    return view;
  }

  /** @param script an expression: these files know no types of a browser */
  async evaluate<Value>(script: string): Promise<Value> {
    return (await this.page.evaluate(script)) as Value;
  }

  async goTo(hash: string): Promise<void> {
    await this.evaluate(`void (location.hash = ${JSON.stringify(hash)})`);
  }

  /** All that stands there, however it is laid out. */
  async text(): Promise<string> {
    return await this.evaluate('document.getElementById("app").textContent');
  }

  async shows(text: string | RegExp, withinMs = SHOWN_WITHIN_MS): Promise<void> {
    await until(
      `the page shows ${text}`,
      async () => {
        const shown = await this.text();
        return typeof text === 'string' ? shown.includes(text) : text.test(shown);
      },
      withinMs,
      async () => await this.text(),
    );
  }

  async showsNoMore(text: string, withinMs = SHOWN_WITHIN_MS): Promise<void> {
    await until(
      `the page shows no ${text} any more`,
      async () => !(await this.text()).includes(text),
      withinMs,
      async () => await this.text(),
    );
  }

  /** A click by the mouse on the control of this text or label: the youngest of several. */
  async click(label: string): Promise<void> {
    const found = await this.page.waitForFunction(
      `[...document.querySelectorAll('a, button, summary, input, label')].findLast(
        (each) => (each.getAttribute('aria-label') ?? each.textContent.trim()) === ${JSON.stringify(label)} && each.getClientRects().length > 0)`,
      { timeout: SHOWN_WITHIN_MS },
    );
    await (found as ElementHandle).click();
    await found.dispose();
  }

  /** Pixels by which the page is wider than its window. */
  async sidewaysScroll(): Promise<number> {
    return await this.evaluate('document.documentElement.scrollWidth - innerWidth');
  }

  /** @returns a line for each finding */
  async axeFindings(): Promise<string[]> {
    // By the debugger: the page's own policy lets in no foreign script.
    await this.page.evaluate(axe);
    return await this.evaluate(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ id, help, nodes }) => nodes.map(({ html, failureSummary }) => id + ': ' + help + ': ' + html + ': ' + failureSummary)))`);
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}
