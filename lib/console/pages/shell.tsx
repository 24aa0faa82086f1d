// Around every page: where one is, how fresh it is, search, sign-in, help.
import type { FunctionComponent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Boundary } from '../parts/boundary.tsx';
import { TypedText } from '../parts/typed-text.tsx';
import { clockText } from '../parts/times.tsx';
import { address, go, hashOf, pageKey, withQuery } from '../state/address.ts';
import { answeredAtMs, freshness, isSilent, isStreaming, nextTryAtMs, nowMs, pausedAtMs } from '../state/freshness.ts';
import { shortName, useMe } from '../state/me.ts';
import { askAgain, POLL_MS, togglePause } from '../state/resource.ts';
import { isSignInNeeded } from '../state/token.ts';
import { bytesText, lastMinute } from '../state/traffic.ts';
import { Clusters } from './clusters.tsx';
import { CostPage } from './cost.tsx';
import { Help } from './help.tsx';
import { ActDialog } from './actions/act-dialog.tsx';
import { Letters } from './letters.tsx';
import { MePage } from './me.tsx';
import { Overview } from './overview.tsx';
import { Runs } from './runs.tsx';
import { SignIn } from './sign-in.tsx';
import { titleOfView } from './workload/view-title.ts';
import { Workload } from './workload/workload.tsx';
import { Workloads } from './workloads.tsx';

interface Page {
  /** First part of the address. */
  word: string;
  title: string;
  show: FunctionComponent;
}

const PAGES: readonly Page[] = [
  { word: '', title: 'Overview', show: Overview },
  { word: 'workloads', title: 'Workloads', show: Workloads },
  { word: 'clusters', title: 'Clusters', show: Clusters },
  { word: 'letters', title: 'Letters', show: Letters },
  { word: 'runs', title: 'Runs', show: Runs },
  { word: 'cost', title: 'Cost', show: CostPage },
];
/** Led to by the name of who has signed in. */
const ME: Page = { word: 'me', title: 'Who am I', show: MePage };
/** Of addresses that were given out before. */
const FORMER_WORDS: ReadonlyMap<string, string> = new Map([['dead-letters', 'letters']]);

export function Shell() {
  const { path } = address.value;
  const word = FORMER_WORDS.get(path[0] ?? '') ?? path[0] ?? '';
  const page = [...PAGES, ME].find((each) => each.word === word);
  const isWorkload = word === 'workloads' && path.length >= 5;
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${isWorkload ? titleOfView(path) : (page?.title ?? 'Nothing')} · Farloop`;
  }, [path.join('/')]);
  useEffect(() => {
    if (isFirst.current) isFirst.current = false;
    // Somebody who reads the page aloud is led to what is new on it.
    else main.current?.focus({ preventScroll: true });
  }, [isWorkload ? path.slice(0, 5).join('/') : pageKey.value]);
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to content
      </a>
      <header>
        <a class="brand" href="#/">
          Farloop
        </a>
        <nav aria-label="Pages">
          {PAGES.map(({ word: each, title }) => (
            <a key={each} href={hashOf(each === '' ? [] : [each])} aria-current={each === word ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <Search isOnList={word === 'workloads' && !isWorkload} />
        <Fresh />
        <Boundary of="me">
          <WhoAmI isHere={word === ME.word} />
        </Boundary>
      </header>
      <Silence />
      <Upgraded />
      <main ref={main} id="main" tabIndex={-1} class={isSilent.value ? 'old' : undefined}>
        <Boundary of={path.slice(0, 5).join('/')}>
          {isWorkload ? <Workload key={path.slice(1, 5).join('/')} /> : page ? <page.show key={page.word} /> : <Nowhere path={path} />}
        </Boundary>
      </main>
      <Boundary of="action">
        <ActDialog />
      </Boundary>
      {isSignInNeeded.value && <SignIn />}
      <Help />
    </>
  );
}

function Search({ isOnList }: { isOnList: boolean }) {
  const lead = (text: string): void => go(hashOf(['workloads'], text === '' ? {} : { text }));
  return (
    <div class="search" role="search">
      <TypedText
        id="search"
        label="Search workloads by name or reason"
        hint="/ search"
        value={isOnList ? (address.value.query.get('text') ?? '') : ''}
        take={(text) => isOnList && go(withQuery({ text }), { isReplaced: true })}
        enter={(text) => (isOnList ? go(withQuery({ text }), { isReplaced: true }) : lead(text))}
      />
    </div>
  );
}

const LIVE = { streams: '● live', polls: `● asks each ${POLL_MS / 1_000} s` };

/** The corner: whether what stands there is from now. */
function Fresh() {
  const state = freshness.value;
  const since = answeredAtMs.value;
  if (state === 'loading') return <p id="freshness" />;
  if (pausedAtMs.value !== undefined)
    return (
      <p id="freshness">
        ‖ paused {clockText(pausedAtMs.value)}{' '}
        <button type="button" onClick={togglePause}>
          Go on
        </button>
      </p>
    );
  return (
    <p id="freshness" class={state} title={`${bytesText(lastMinute.value.bytes)} in the last minute`}>
      {state === 'live'
        ? LIVE[isStreaming.value ? 'streams' : 'polls']
        : since === undefined
          ? 'no answer yet'
          : `as of ${clockText(since)}`}
    </p>
  );
}

function WhoAmI({ isHere }: { isHere: boolean }) {
  const { data } = useMe();
  return (
    <a class="me" href="#/me" title={data?.name} aria-current={isHere ? 'page' : undefined}>
      {data ? <bdi>{shortName(data.name)}</bdi> : 'Me'}
    </a>
  );
}

function Silence() {
  const since = answeredAtMs.value;
  const nextMs = nextTryAtMs.value;
  const next =
    nextMs === undefined ? 'It is asked again and again.' : `Next try in ${Math.max(0, Math.ceil((nextMs - nowMs.value) / 1_000))} s.`;
  return (
    <div role="status" aria-live="polite">
      {isSilent.value && (
        <p class="banner">
          {since === undefined
            ? 'Farloop does not answer.'
            : `Farloop has not answered since ${clockText(since)}; what you see is from then.`}{' '}
          <span aria-live="off">{next}</span>{' '}
          <button type="button" onClick={askAgain}>
            Now
          </button>
        </p>
      )}
    </div>
  );
}

/** Of the page's own server, when it was loaded. */
let loadedFrom: string | undefined;

/** Never by itself: somebody may be in the middle of something. */
function Upgraded() {
  const now = useMe().data?.console;
  loadedFrom ??= now;
  return (
    <div role="status" aria-live="polite">
      {now !== undefined && now !== loadedFrom && (
        <p class="banner">
          Farloop was upgraded, and this page is of the version before.{' '}
          <button type="button" onClick={() => location.reload()}>
            Reload
          </button>
        </p>
      )}
    </div>
  );
}

function Nowhere({ path }: { path: readonly string[] }) {
  const last = path.at(-1) ?? '';
  return (
    <>
      <h1>There is nothing at this address</h1>
      <p>
        <a href={hashOf(['workloads'], { text: last })}>Search for “{last}”</a> or go to the <a href="#/">overview</a>.
      </p>
    </>
  );
}
