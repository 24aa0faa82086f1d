// Clusters: every state that holds, since when and why; watches are folded where all is well.
import { Loading, Trouble } from '../parts/notices.tsx';
import { Facts } from '../parts/table.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { Moment, spanText } from '../parts/times.tsx';
import { address, hashOf } from '../state/address.ts';
import type { ClusterSummary, Items } from '../state/answers.ts';
import { useAnswer } from '../state/resource.ts';

/** A watch that has proved nothing for so long is worth a look. */
const OLD_SECONDS = 120;

export function Clusters() {
  const { data, problem } = useAnswer<Items<ClusterSummary>>('v1/clusters');
  const [, name] = address.value.path;
  const shown = (data?.items ?? []).filter((cluster) => name === undefined || cluster.name === name);
  return (
    <>
      <h1>{name === undefined ? 'Clusters' : `Cluster ${name}`}</h1>
      {problem !== undefined && <Trouble>{problem}</Trouble>}
      {!data && problem === undefined && <Loading />}
      {data && shown.length === 0 && (
        <p class="notice">{name === undefined ? 'No cluster is registered.' : `There is no cluster ${name}.`}</p>
      )}
      {shown.map((cluster) => (
        <Cluster key={cluster.name} cluster={cluster} isAlone={name !== undefined} />
      ))}
      {name !== undefined && (
        <p>
          <a href="#/clusters">All clusters</a>
        </p>
      )}
    </>
  );
}

function Cluster({ cluster, isAlone }: { cluster: ClusterSummary; isAlone: boolean }) {
  const { name, states, relay, manages, namespaces, era, backlog, left, budget, access } = cluster;
  const isWell = cluster.state === 'Watching';
  return (
    <section class="card" aria-label={`Cluster ${name}`}>
      <h2>
        <a href={hashOf(['clusters', name])}>{name}</a>
      </h2>
      <ul class="plain">
        {states.map(({ state, sinceTime, reason }) => (
          <li key={state}>
            <StateWord word={state} />
            {state !== 'Watching' && (
              <>
                {sinceTime !== undefined && (
                  <>
                    , <Moment time={sinceTime} />
                  </>
                )}
                : {reason}
              </>
            )}
          </li>
        ))}
      </ul>
      <Facts
        pairs={[
          ['Workloads', <a href={hashOf(['workloads'], { cluster: name })}>show</a>],
          [
            'Virtual nodes',
            <>
              <a href={hashOf(['workloads'], { cluster: name, kind: 'VirtualNode' })}>show</a>,{' '}
              <a href={hashOf(['workloads'], { cluster: name, kind: 'VirtualPod' })}>their pods</a>
            </>,
          ],
          ['Heard', relay && <Moment time={relay.heardTime} />],
          ['Manages', manages.join(', ')],
          ['Namespaces', namespaces.length === 0 ? 'all' : namespaces.join(', ')],
          ['Passes under way or waiting', backlog],
          ['Writes left', `${left.writes} of ${budget.burst}${left.closedForSeconds > 0 ? `, closed for ${left.closedForSeconds} s` : ''}`],
          ['Access', access],
          ['Era', era],
          ['Clock', relay && `${relay.clockOffsetMs} ms ahead of ours`],
        ]}
      />
      {relay && (
        <details open={isAlone || !isWell}>
          <summary>
            Watches: {relay.watches.length}
            {relay.watches.some(({ ageSeconds }) => ageSeconds > OLD_SECONDS) && ', some old'}
          </summary>
          <ul class="plain columns">
            {relay.watches.map(({ resource, ageSeconds }) => (
              <li key={resource}>
                {resource} {spanText(ageSeconds)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
