// Runs of run-once: what ran, how it ended.
import { Loading, Trouble } from '../parts/notices.tsx';
import { countText } from '../parts/progress.tsx';
import { Facts, Table } from '../parts/table.tsx';
import { Moment } from '../parts/times.tsx';
import { address, hashOf } from '../state/address.ts';
import type { Items, RunSummary } from '../state/answers.ts';
import { useAnswer } from '../state/resource.ts';

export function Runs() {
  const [, id] = address.value.path;
  return id === undefined ? <AllRuns /> : <Run id={id} />;
}

const problemOf = ({ error, cause }: RunSummary): string => [error, cause].filter((part) => part !== undefined).join(': ');
const doneText = ({ results, open }: RunSummary): string => `${results.length} of ${results.length + open}`;

function AllRuns() {
  const { data, problem, status } = useAnswer<Items<RunSummary>>('v1/runs?limit=200');
  return (
    <>
      <h1>Runs</h1>
      {problem !== undefined && (status === 501 ? <p class="notice">{problem}</p> : <Trouble>{problem}</Trouble>)}
      {!data && problem === undefined && <Loading />}
      {data && (
        <Table<RunSummary>
          label="Runs"
          columns={[
            { title: 'Run', cell: ({ runId }) => <a href={hashOf(['runs', runId])}>{runId}</a> },
            { title: 'State', cell: ({ state }) => state },
            { title: 'Pods with an outcome', isNumber: true, cell: doneText },
            { title: 'Provider', cell: ({ provider }) => provider },
            { title: 'Why', cell: (run) => problemOf(run) || undefined },
            { title: 'Started', cell: ({ startedAt }) => <Moment time={startedAt} /> },
          ]}
          rows={data.items}
          idOf={({ runId }) => runId}
          empty="No run yet. Try: farloop run-once -f examples/run-once/pods.yaml"
        />
      )}
    </>
  );
}

function Run({ id }: { id: string }) {
  const { data, problem } = useAnswer<RunSummary>(`v1/runs/${encodeURIComponent(id)}`);
  return (
    <>
      <nav class="crumbs" aria-label="Where">
        <a href="#/runs">Runs</a> ›
      </nav>
      <h1>{id}</h1>
      {problem !== undefined && <Trouble>{problem}</Trouble>}
      {!data && problem === undefined && <Loading />}
      {data && (
        <>
          <Facts
            pairs={[
              ['State', data.state],
              ['Why', problemOf(data)],
              ['Node', data.node],
              ['Provider', data.provider],
              ['Started', <Moment time={data.startedAt} />],
              ['Finished', data.finishedAt !== undefined && <Moment time={data.finishedAt} />],
              ['Pods with an outcome', doneText(data)],
            ]}
          />
          {data.warnings.length > 0 && <p class="notice">{data.warnings.join('; ')}</p>}
          <Table
            label="Pods"
            columns={[
              { title: 'Pod', cell: ({ pod }) => `${pod.namespace}/${pod.name}` },
              { title: 'Phase', cell: ({ status }) => status?.phase },
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
            ]}
            rows={data.results}
            idOf={({ pod }) => pod.uid}
            empty={data.open === 0 ? 'None.' : `${countText(data.open, 'pod')} without an outcome so far.`}
          />
        </>
      )}
    </>
  );
}
