// What belongs to it, of every kind: services, config maps and roles, and its pods down to the container.
import { Loading, Trouble } from '../../parts/notices.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { Table } from '../../parts/table.tsx';
import { apiPathOf, linkTo, type Named } from '../../state/address.ts';
import type { ChildPage, PodPage, PodSummary } from '../../state/answers.ts';
import { useAnswer } from '../../state/resource.ts';
import { LogLinks } from './pods/pod-links.tsx';
import { containerText, hasPreviousRun, linkToPod, podReasonText } from './pods/pod-table.tsx';
import type { TabProps } from './tab.ts';

const MOST_PODS = 100;

type Child = ChildPage['items'][number];

const labelsText = ({ labels = {} }: Child): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

const reasonText = ({ reason, message }: { reason: string; message?: string }): string =>
  podReasonText({ reason, ...(message !== undefined && { message }) });

export function ChildrenTab({ named, workload }: TabProps) {
  const { data, problem } = useAnswer<ChildPage>(`${apiPathOf(named)}/children`);
  return (
    <section>
      {problem !== undefined && <Trouble>{problem}</Trouble>}
      {!data && problem === undefined && <Loading />}
      {data && (
        <>
          <h2>Other than pods</h2>
          <p class="counts">
            {Object.entries(data.counts).map(([resource, count]) => (
              <span key={resource}>
                {resource} {count.toLocaleString('en')}
              </span>
            ))}
          </p>
          <Table<Child>
            label="Children other than pods"
            columns={[
              { title: 'Kind', cell: ({ kind, resource }) => <span title={resource}>{kind}</span> },
              { title: 'Name', cell: ({ name }) => <bdi>{name}</bdi> },
              {
                title: 'Standing',
                cell: ({ terminating, orphaned }) =>
                  terminating ? 'is being deleted' : orphaned ? 'nobody controls it: it may be adopted' : 'there',
              },
              { title: 'Labels', cell: (child) => labelsText(child) || undefined },
              { title: 'uid', cell: ({ uid }) => uid },
            ]}
            rows={data.items}
            idOf={({ uid }) => uid}
            empty="None."
          />
          {data.leftOut > 0 && <p class="soft">and {data.leftOut.toLocaleString('en')} more</p>}
        </>
      )}
      {workload.hasPods && <PodTree named={named} />}
    </section>
  );
}

function PodTree({ named }: { named: Named }) {
  const { data, problem } = useAnswer<PodPage>(`${apiPathOf(named)}/pods?limit=${MOST_PODS}`);
  return (
    <>
      <h2>Pods</h2>
      {problem !== undefined && <Trouble>{problem}</Trouble>}
      <ul class="tree">
        {(data?.items ?? []).map((pod) => (
          <li key={pod.uid}>
            <a href={linkToPod(named, pod)}>
              <bdi>{pod.name}</bdi>
            </a>{' '}
            <StateWord word={pod.state} isPart={false} trouble={pod.reason} />
            <Containers named={named} pod={pod} />
          </li>
        ))}
      </ul>
      {data?.total === 0 && <p class="soft">None.</p>}
      {data && data.total > data.items.length && (
        <p class="soft">
          {data.items.length} of <a href={linkTo(named, ['pods'])}>{data.total.toLocaleString('en')} pods</a>
        </p>
      )}
    </>
  );
}

function Containers({ named, pod }: { named: Named; pod: PodSummary }) {
  const reasons = pod.reasons ?? [];
  return (
    <ul>
      {pod.containers.map((container) => (
        <li key={`${container.role} ${container.name}`}>
          {[
            containerText(container) ?? `${container.role === 'container' ? '' : `${container.role} `}${container.name}`,
            ...reasons.filter((each) => each.container === container.name).map((each) => reasonText(each)),
          ].join(': ')}{' '}
          <LogLinks named={named} pod={pod.name} container={container.name} hasPrevious={container.restarts > 0} />
        </li>
      ))}
      {pod.containers.length === 0 && <li class="soft">no container is told of yet {hasPreviousRun(pod) && '(it has run before)'}</li>}
    </ul>
  );
}
