// Is it well? What needs a person first, worst first and grouped by cause; then counts, clusters and queues.
import { Fragment } from 'preact';
import { Boundary } from '../parts/boundary.tsx';
import { Loading, Trouble } from '../parts/notices.tsx';
import { countText } from '../parts/progress.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { Age, Moment } from '../parts/times.tsx';
import { hashOf, linkTo, titleOf } from '../state/address.ts';
import type { ClusterSummary, FromQueues, Items, QueueSummary, WorkloadSummary } from '../state/answers.ts';
import { useAnswer } from '../state/resource.ts';
import { BY_URGENCY, countsOf } from '../state/standing.ts';
import { useWorkloads, type Totals } from '../state/workload-list.ts';
import { noWorkloadText } from './first-run.ts';
import { LastHour } from './rates.tsx';

const MOST_LOOKED_AT = 2_000;
const NEEDS_PERSON = new URLSearchParams({ needs: 'person', sort: 'need' });
const MOST_CAUSES = 8;
const MOST_NAMED = 3;
const WELL = new Set(['Watching', 'Draining']);

/** Workloads of one state and one reason. */
interface Cause {
  state: string;
  reason: string;
  workloads: WorkloadSummary[];
}

function causesOf(items: readonly WorkloadSummary[]): Cause[] {
  const causes = new Map<string, Cause>();
  for (const workload of items) {
    const { state, reason = '' } = workload;
    const key = `${state} ${reason}`;
    const cause = causes.get(key) ?? { state, reason, workloads: [] };
    cause.workloads.push(workload);
    causes.set(key, cause);
  }
  const rankOf = ({ state }: Cause): number => BY_URGENCY.findIndex((each) => each === state);
  return [...causes.values()].toSorted((one, other) => rankOf(one) - rankOf(other) || other.workloads.length - one.workloads.length);
}

const youngestOf = ({ workloads }: Cause): string | undefined =>
  workloads.reduce<string | undefined>(
    (latest, { creationTime }) => ((creationTime ?? '') > (latest ?? '') ? creationTime : latest),
    undefined,
  );

export function Overview() {
  const workloads = useWorkloads(NEEDS_PERSON, MOST_LOOKED_AT);
  const all = useAnswer<Totals>('v1/workloads?limit=1');
  const clusters = useAnswer<Items<ClusterSummary>>('v1/clusters');
  const queues = useAnswer<FromQueues<QueueSummary>>('v1/queues');
  const items = workloads.data?.items ?? [];
  const unwell = (clusters.data?.items ?? []).filter(({ state }) => !WELL.has(state));
  const dead = (queues.data?.items ?? []).filter((queue) => queue.dead > 0);
  const causes = causesOf(items);
  const things = (workloads.data?.total ?? 0) + unwell.length + dead.reduce((sum, queue) => sum + queue.dead, 0);
  const causeCount = causes.length + unwell.length + dead.length;
  const isLoaded = workloads.data !== undefined && clusters.data !== undefined;
  return (
    <>
      <h1>
        {!isLoaded
          ? 'Overview'
          : things === 0
            ? 'Nothing needs a person'
            : `${countText(things, 'thing')} ${things === 1 ? 'needs' : 'need'} a person, of ${countText(causeCount, 'cause')}`}
      </h1>
      {[workloads.problem, clusters.problem, queues.problem].map(
        (problem, at) => problem !== undefined && <Trouble key={at}>{problem}</Trouble>,
      )}
      {!isLoaded && workloads.problem === undefined && clusters.problem === undefined && <Loading />}
      <ul class="causes">
        {causes.slice(0, MOST_CAUSES).map((cause) => (
          <CauseLine key={`${cause.state} ${cause.reason}`} cause={cause} />
        ))}
        {unwell.map((cluster) => (
          <li key={cluster.name}>
            <a href={hashOf(['clusters', cluster.name])}>
              <span class="count">
                <StateWord word={cluster.state} />
              </span>
              <span>
                cluster {cluster.name}: {cluster.states[0]?.reason}
              </span>
              <span class="soft">
                <Moment time={cluster.states[0]?.sinceTime} />
              </span>
            </a>
          </li>
        ))}
        {dead.map(({ name, dead: count }) => (
          <li key={name}>
            <a href={hashOf(['letters'], { queue: name })}>
              <span class="count state bad">{countText(count, 'dead letter')}</span>
              <span>of the queue {name}</span>
              <span />
            </a>
          </li>
        ))}
      </ul>
      {causes.length > MOST_CAUSES && (
        <p>
          <a href="#/workloads?needs=person">All {countText(things, 'thing')} that need a person</a>
        </p>
      )}
      {all.data && (
        <>
          <h2>Workloads</h2>
          {all.data.of === 0 && <p class="notice">{noWorkloadText(clusters.data?.items ?? [])}</p>}
          <p class="counts large">
            {countsOf(all.data.totals).map(([state, count]) => (
              <a key={state} href={hashOf(['workloads'], { state })}>
                <strong>{count.toLocaleString('en')}</strong> <StateWord word={state} />
              </a>
            ))}
          </p>
        </>
      )}
      {clusters.data && <ClusterLine clusters={clusters.data.items} />}
      <Boundary of="rates">
        <LastHour />
      </Boundary>
      {queues.data && <QueueLine queues={queues.data.items} />}
    </>
  );
}

function CauseLine({ cause }: { cause: Cause }) {
  const { state, reason, workloads } = cause;
  const [first] = workloads;
  const isOne = workloads.length === 1 && first !== undefined;
  const names = workloads.slice(0, MOST_NAMED).map((workload) => titleOf(workload));
  const others = workloads.length - names.length;
  return (
    <li>
      <a href={isOne ? linkTo(first) : hashOf(['workloads'], { needs: 'person', state, ...(reason !== '' && { text: reason }) })}>
        <span class="count">
          {workloads.length.toLocaleString('en')} <StateWord word={state} trouble={state === 'Running' ? 'in part' : undefined} />
        </span>
        <span>
          <bdi>{names.join(', ')}</bdi>
          {others > 0 && ` and ${others.toLocaleString('en')} more`}
          {reason !== '' && `: ${reason}`}
        </span>
        <span class="soft">
          <Age time={youngestOf(cause)} />
        </span>
      </a>
    </li>
  );
}

function ClusterLine({ clusters }: { clusters: readonly ClusterSummary[] }) {
  return (
    <>
      <h2>Clusters</h2>
      {clusters.length === 0 && <p class="soft">No cluster is registered.</p>}
      <p class="counts">
        {clusters.map(({ name, state, states }) => (
          <a key={name} href={hashOf(['clusters', name])}>
            {name} <StateWord word={state} />
            {states[0]?.sinceTime !== undefined && (
              <span class="soft">
                {' '}
                <Age time={states[0].sinceTime} />
              </span>
            )}
          </a>
        ))}
      </p>
    </>
  );
}

function QueueLine({ queues }: { queues: readonly QueueSummary[] }) {
  return (
    <>
      <h2>Queues</h2>
      <p class="soft">
        {queues.map(({ name, visible, inFlight, delayed }, at) => (
          <Fragment key={name}>
            {at > 0 && ' · '}
            {name} {visible + inFlight} under way{delayed > 0 && `, ${delayed} later`}
          </Fragment>
        ))}
      </p>
    </>
  );
}
