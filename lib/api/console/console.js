// The console: reads token and page from the URL's fragment, shows the page, refreshes it.
import { costPage, deadLetters, failuresText, overview, trouble, workloadPage } from './pages.js';

const REFRESH_MS = 2_000;
/** On AWS the gateway's time-out is shorter, so a later answer cannot come. */
const LONGEST_ANSWER_MS = 35_000;
const TOKEN = 'farloop-token';

const main = document.getElementById('main');
const freshness = document.getElementById('freshness');

class NoTokenError extends Error {}

/** The fragment is never sent to a server; the token leaves the address bar at once. */
function takeToken() {
  const [, given, route] = /^#token=([\w-]+)(\/.*)?$/.exec(location.hash) ?? [];
  if (!given) return;
  sessionStorage.setItem(TOKEN, given);
  history.replaceState(null, '', `#${route ?? '/'}`);
}

async function call(path, init = {}) {
  const answer = await fetch(path, {
    ...init,
    headers: { ...init.headers, authorization: `Bearer ${sessionStorage.getItem(TOKEN) ?? ''}` },
  });
  if (answer.status === 401) throw new NoTokenError('Open the console by the whole URL that farloop printed: it carries the token.');
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error);
  return body;
}

/** Unfinished part of the latest redrive, until the user leaves the page. */
let notice;

async function redrive(messageIds) {
  const init = { method: 'POST', body: JSON.stringify(messageIds ? { messageIds } : {}) };
  try {
    const { failed = [] } = await call('/v1/dead-letters/redrive', init);
    notice = failed.length > 0 && `Not all redriven: ${failuresText(failed)}`;
  } catch (error) {
    notice = `Not all redriven: ${error.message}`;
  }
  await refresh();
}

/** Most rows shown: nobody reads more on a page. */
const MOST_SHOWN = 500;
const MOST_LOOKED_AT = 2_000;

/** Loads answers until it has so many: one answer ends early if many clusters have few workloads. */
async function firstWorkloads(most) {
  const items = [];
  let next;
  do {
    const answer = await call(`/v1/workloads?limit=500${next === undefined ? '' : `&continue=${encodeURIComponent(next)}`}`);
    items.push(...answer.items);
    next = answer.next;
  } while (next !== undefined && items.length < most);
  return { items, more: next !== undefined };
}

async function load(route) {
  const [page, ...names] = route.split('/').filter((part) => part !== '');
  if (page === 'workloads' && names.length === 4) {
    const path = `/v1/workloads/${names.join('/')}`;
    // On AWS they are searched for in a log, which may exceed the time-out.
    const recorded = call(`${path}/passes?limit=200`).catch((error) => ({ items: [], problem: error.message }));
    const [{ items }, passes] = await Promise.all([call(path), recorded]);
    return workloadPage({ items, passes: passes.items, problem: passes.problem });
  }
  if (page === 'dead-letters') {
    const [letters, queues, workloads] = await Promise.all([call('/v1/dead-letters'), call('/v1/queues'), firstWorkloads(MOST_LOOKED_AT)]);
    const failed = [...(letters.failed ?? []), ...(queues.failed ?? [])];
    return deadLetters({ letters: letters.items, queues: queues.items, workloads, failed, notice }, redrive);
  }
  if (page === 'cost') return costPage(await call('/v1/cost'));
  const [clusters, workloads] = await Promise.all([call('/v1/clusters'), firstWorkloads(MOST_SHOWN)]);
  return overview({ clusters: clusters.items, workloads });
}

const routeNow = () => location.hash.replace(/^#/, '') || '/';

let latest = 0;
/** Unix milliseconds at which the pending refresh began. */
let askedAtMs;

async function refresh() {
  const mine = ++latest;
  askedAtMs = Date.now();
  const route = routeNow();
  try {
    const shown = await load(route);
    if (mine === latest) show(shown, `as of ${new Date().toLocaleTimeString([], { hour12: false })}`);
  } catch (error) {
    if (mine !== latest) return;
    if (error instanceof TypeError) freshness.textContent = 'Farloop does not answer; trying again';
    else show(trouble(error.message), '');
  } finally {
    if (mine === latest) askedAtMs = undefined;
  }
}

/** Replaces the page and keeps focus and scroll position. */
function show(elements, note) {
  const scrolled = [...main.querySelectorAll('.scroll')].map((area) => area.scrollLeft);
  const focused = document.activeElement?.closest('a[href], button, .scroll');
  const label = focused?.getAttribute('href') ?? focused?.getAttribute('aria-label') ?? focused?.textContent;
  main.replaceChildren(...elements.filter((each) => each !== undefined && each !== false && each !== ''));
  for (const [at, area] of [...main.querySelectorAll('.scroll')].entries()) area.scrollLeft = scrolled[at] ?? 0;
  if (focused && main !== document.activeElement && !document.contains(focused))
    [...main.querySelectorAll('a[href], button, .scroll')]
      .find((each) => (each.getAttribute('href') ?? each.getAttribute('aria-label') ?? each.textContent) === label)
      ?.focus({ preventScroll: true });
  freshness.textContent = note;
}

function markPage() {
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') === `#${routeNow()}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

takeToken();
markPage();
addEventListener('hashchange', () => {
  takeToken();
  markPage();
  notice = undefined;
  main.replaceChildren();
  void refresh().then(() => main.focus({ preventScroll: true }));
});
setInterval(() => {
  // Skip it while one is pending: it would replace that one, and with answers slower than the interval none would ever be shown.
  const isUnderWay = askedAtMs !== undefined && Date.now() - askedAtMs < LONGEST_ANSWER_MS;
  if (!document.hidden && !isUnderWay) void refresh();
}, REFRESH_MS);
void refresh();
