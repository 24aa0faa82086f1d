// Runs of run-once: what ran, how it ended, what is open and why; and the way to cancel one.
import { useState } from 'preact/hooks';
import type { Answer } from '../../api/routes/route-table.ts';
import { Command } from '../parts/command.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Loading, Trouble } from '../parts/notices.tsx';
import { countText, Progress, type Figure } from '../parts/progress.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { Facts, Table } from '../parts/table.tsx';
import { Moment } from '../parts/times.tsx';
import { TypedText } from '../parts/typed-text.tsx';
import { address, go, hashOf, withQuery } from '../state/address.ts';
import { post } from '../state/call.ts';
import { isSilent } from '../state/freshness.ts';
import { askAgain, useAnswer } from '../state/resource.ts';

type RunList = Answer<'GET /v1/runs'>;
type ListedRun = RunList['items'][number];
type Run = Answer<'GET /v1/runs/{runId}'>;
type Result = Run['results'][number];
type OpenPod = Run['openPods'][number];

const STATES = ['admitting', 'waiting', 'done', 'cancelled'] as const;

export function Runs() {
  const [, id] = address.value.path;
  return id === undefined ? <AllRuns /> : <OneRun key={id} id={id} />;
}

const isOver = ({ state }: Pick<Run, 'state'>): boolean => state === 'done' || state === 'cancelled';
const hasFailed = ({ error, rejected, failedContainers = [], status }: Result): boolean =>
  error !== undefined || rejected !== undefined || failedContainers.length > 0 || status?.phase === 'Failed';

const problemOf = ({ error, cause }: Pick<Run, 'error' | 'cause'>): string =>
  [error, cause].filter((part) => part !== undefined).join(': ');

function figuresOf({ results, open }: Pick<Run, 'results' | 'open'>): Figure[] {
  const failed = results.filter(hasFailed).length;
  return [
    { name: 'succeeded', value: results.length - failed, of: results.length + open },
    { name: 'failed', value: failed },
  ];
}

function AllRuns() {
  const { query } = address.value;
  const { data, problem, status } = useAnswer<RunList>('v1/runs?limit=1000');
  const [state, text] = [query.get('state') ?? '', query.get('text') ?? ''];
  const shown = (data?.items ?? []).filter(
    (run) => (state === '' || run.state === state) && (text === '' || [run.runId, problemOf(run)].some((part) => part.includes(text))),
  );
  return (
    <>
      <h1>{data ? countText(data.items.length, 'run') : 'Runs'}</h1>
      {problem !== undefined && (status === 501 ? <p class="notice">{problem}</p> : <Trouble>{problem}</Trouble>)}
      {!data && problem === undefined && <Loading />}
      {data && data.items.length > 0 && (
        <div class="filters">
          <label>
            <span>State</span>
            <select value={state} onChange={(event) => go(withQuery({ state: event.currentTarget.value }), { isReplaced: true })}>
              <option value="">all</option>
              {STATES.map((word) => (
                <option key={word}>{word}</option>
              ))}
            </select>
          </label>
          <label>
            <span>Name or reason</span>
            <TypedText value={text} hint="nightly" take={(value) => go(withQuery({ text: value }), { isReplaced: true })} />
          </label>
        </div>
      )}
      {data && (
        <Table<ListedRun>
          label="Runs"
          columns={[
            {
              title: 'Run',
              cell: ({ runId }) => (
                <a href={hashOf(['runs', runId])}>
                  <bdi>{runId}</bdi>
                </a>
              ),
            },
            { title: 'State', cell: (run) => <StateWord word={run.state} /> },
            { title: 'Why', cell: (run) => problemOf(run) || run.why || undefined },
            { title: 'Progress', cell: (run) => <Progress figures={figuresOf(run)} /> },
            { title: 'Provider', cell: ({ provider }) => provider },
            { title: 'Started', cell: ({ startedAt }) => <Moment time={startedAt} /> },
          ]}
          rows={shown}
          idOf={({ runId }) => runId}
          empty={data.items.length === 0 ? 'No run yet. Try: farloop run-once -f examples/run-once/pods.yaml' : 'No run matches.'}
        />
      )}
    </>
  );
}

function OneRun({ id }: { id: string }) {
  const { data, problem } = useAnswer<Run>(`v1/runs/${encodeURIComponent(id)}`);
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <nav class="crumbs" aria-label="Where">
        <a href="#/runs">Runs</a> ›
      </nav>
      <h1>
        <bdi>{id}</bdi>
      </h1>
      {problem !== undefined && <Trouble>{problem}</Trouble>}
      {!data && problem === undefined && <Loading />}
      {data && (
        <>
          {!isOver(data) && (
            <div class="actions" role="group" aria-label="Actions">
              <button type="button" disabled={isSilent.value} onClick={() => setAsked(true)}>
                Cancel the run …
              </button>
            </div>
          )}
          <KnownRun run={data} />
          {!isOver(data) && <NextStep id={id} />}
          <h2>At a terminal</h2>
          <Command text={`farloop run-once get ${id}`} />
          <Command text={`farloop run-once logs ${id}`} />
        </>
      )}
      {isAsked && data && (
        <Confirm
          title={`Cancel the run ${id}`}
          verb={`Cancel ${id}`}
          act={async () => {
            // Cancelled twice it is cancelled once.
            await post(`v1/runs/${encodeURIComponent(id)}/cancel`, {});
            askAgain();
          }}
          close={() => setAsked(false)}
        >
          <p>
            {countText(data.open, 'pod')} without an outcome {data.open === 1 ? 'is' : 'are'} stopped; what was not saved is lost.{' '}
            {countText(data.results.length, 'outcome')} {data.results.length === 1 ? 'stays' : 'stay'}.
          </p>
        </Confirm>
      )}
    </>
  );
}

function KnownRun({ run }: { run: Run }) {
  const { state, why, nextAt, node, provider, startedAt, finishedAt, warnings, results, openPods, open } = run;
  const failed = results.filter(hasFailed);
  const sorted = [...failed, ...results.filter((result) => !hasFailed(result))];
  return (
    <>
      <section class="head" aria-label="Where it stands">
        <p class="standing">
          <StateWord word={state} /> <Progress figures={figuresOf(run)} />
        </p>
        {(problemOf(run) || why) !== '' && <p class="reason">{problemOf(run) || why}</p>}
        <Facts
          pairs={[
            ['Pods with an outcome', `${results.length} of ${results.length + open}`],
            ['Failed', failed.length > 0 && String(failed.length)],
            ['Node', node],
            ['Provider', provider],
            ['Started', <Moment time={startedAt} />],
            ['Finished', finishedAt !== undefined && <Moment time={finishedAt} />],
            ['Goes on', nextAt !== undefined && <Moment time={nextAt} />],
          ]}
        />
      </section>
      {warnings.length > 0 && <p class="notice">{warnings.join('; ')}</p>}
      {openPods.length > 0 && (
        <>
          <h2>Open: {open.toLocaleString('en')}</h2>
          <Table<OpenPod>
            label="Open pods"
            columns={[
              { title: 'Pod', cell: ({ pod }) => <bdi>{`${pod.namespace}/${pod.name}`}</bdi> },
              { title: 'Phase', cell: ({ status }) => status?.phase },
              { title: 'How it stands', cell: ({ why: how }) => how },
              { title: 'Waits for', cell: ({ waitsFor }) => waitsFor || undefined },
              { title: 'Looked at again', cell: ({ nextAt: at }) => <Moment time={at} /> },
              { title: 'Retries', isNumber: true, cell: ({ retries }) => retries },
            ]}
            rows={openPods}
            idOf={({ pod }) => pod.uid}
            empty="None."
          />
          {open > openPods.length && <p class="soft">and {(open - openPods.length).toLocaleString('en')} more</p>}
        </>
      )}
      <h2>With an outcome: {results.length.toLocaleString('en')}</h2>
      <Table<Result>
        label="Pods"
        columns={[
          { title: 'Pod', cell: ({ pod }) => <bdi>{`${pod.namespace}/${pod.name}`}</bdi> },
          { title: 'Phase', cell: (result) => <StateWord word={result.status?.phase ?? (hasFailed(result) ? 'Failed' : 'Unknown')} /> },
          {
            title: 'Why',
            cell: ({ error, rejected, status }) =>
              [error, (rejected ?? status)?.reason, (rejected ?? status)?.message].filter((part) => part !== undefined).join(': ') ||
              undefined,
          },
          {
            title: 'Ended containers',
            cell: ({ containers }) =>
              containers
                .filter(({ exitCode }) => exitCode !== undefined)
                .map((each) => `${each.name}: exit code ${each.exitCode}`)
                .join(', ') || undefined,
          },
          { title: 'Retries', isNumber: true, cell: ({ retries }) => retries },
        ]}
        rows={sorted}
        idOf={({ pod }) => pod.uid}
        empty={open === 0 ? 'None.' : `${countText(open, 'pod')} without an outcome so far.`}
      />
    </>
  );
}

function NextStep({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  const { data, problem } = useAnswer<Answer<'GET /v1/runs/{runId}/plan'>>(isOpen ? `v1/runs/${encodeURIComponent(id)}/plan` : undefined);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>What its next step would do</summary>
      {problem !== undefined && <Trouble>{problem}</Trouble>}
      {data && (
        <>
          <p>
            {data.why}
            {data.at !== undefined && (
              <>
                {' '}
                <Moment time={data.at} />
              </>
            )}
          </p>
          <ul>
            {data.actions.map(({ verb, pod, why }) => (
              <li key={`${verb} ${pod?.uid ?? ''} ${why}`}>
                {verb} {pod && <bdi>{`${pod.namespace}/${pod.name}`}</bdi>} <span class="soft">{why}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </details>
  );
}
