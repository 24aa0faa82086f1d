// One pod, down to its containers: how each ended, why it waits, and its logs.
import { Loading, Trouble } from '../../../parts/notices.tsx';
import { countText } from '../../../parts/progress.tsx';
import { StateWord } from '../../../parts/state-word.tsx';
import { Facts, Table } from '../../../parts/table.tsx';
import { Moment, spanText } from '../../../parts/times.tsx';
import { Command, quoted } from '../../../parts/command.tsx';
import { address, apiPathOf, linkTo, type Named } from '../../../state/address.ts';
import type { ContainerSummary, PodPage, PodSummary, WorkloadDetail } from '../../../state/answers.ts';
import { useAnswer } from '../../../state/resource.ts';
import { LogLinks } from './pod-links.tsx';
import { hasPreviousRun, podReasonText } from './pod-table.tsx';

export function Pod({ named, workload, name }: { named: Named; workload: WorkloadDetail; name: string }) {
  const { query } = address.value;
  const first = workload.pods.find((each) => each.name === name);
  // Its place finds it among any number; the workload itself names the first of them.
  const place = new URLSearchParams({ limit: '1000' });
  for (const part of ['index', 'type']) if (query.has(part)) place.set(part, query.get(part) ?? '');
  // Events know its name alone, which ends with its index and five characters.
  const [, index] = (workload.map === 'indexes' && /-(\d+)-\w+$/.exec(name)) || [];
  if (!first && place.size === 1 && index !== undefined) place.set('index', index);
  const asked = useAnswer<PodPage>(place.size > 1 ? `${apiPathOf(named)}/pods?${place.toString()}` : undefined);
  const pod = asked.data?.items.find((each) => each.name === name) ?? first;
  const isLoading = place.size > 1 && !asked.data && asked.problem === undefined;
  return (
    <section aria-label={`Pod ${name}`}>
      <h2>
        Pod <bdi>{name}</bdi> <a href={linkTo(named, ['pods'])}>all pods</a>
      </h2>
      {asked.problem !== undefined && <Trouble>{asked.problem}</Trouble>}
      {!pod && isLoading && <Loading />}
      {!pod && !isLoading && (
        <p class="notice">
          There is no pod of that name any more
          {workload.podsLeftOut > 0 && ', or it is not among the first 500: look for it by its index'}. Its log may still be kept:{' '}
          <LogLinks named={named} pod={name} />
        </p>
      )}
      {pod && <Known named={named} pod={pod} />}
    </section>
  );
}

function Known({ named, pod }: { named: Named; pod: PodSummary }) {
  const { name, state, reason, type, index, ready, creationTime, startTime, ranSeconds, uid, terminating, tracked, reasons = [] } = pod;
  return (
    <>
      <p class="standing">
        <StateWord word={state} isPart={false} trouble={reason} />
        {terminating && state !== 'Terminating' && <span> is being deleted</span>}
        <LogLinks named={named} pod={name} hasPrevious={hasPreviousRun(pod)} />
      </p>
      {reasons.map((each) => (
        <p key={podReasonText(each)} class="reason">
          {podReasonText(each)}
        </p>
      ))}
      <Facts
        pairs={[
          ['Type', type],
          ['Index', index],
          ['Ready', ready],
          ['Created', <Moment time={creationTime} />],
          ['Started', startTime !== undefined && <Moment time={startTime} />],
          ['Ran', ranSeconds !== undefined && spanText(ranSeconds)],
          ['Counted', tracked ? 'not yet' : 'yes'],
          ['uid', uid],
        ]}
      />
      <Table<ContainerSummary>
        label="Containers"
        columns={[
          { title: 'Container', cell: (container) => <bdi>{container.name}</bdi> },
          { title: 'Role', cell: ({ role }) => role },
          { title: 'State', cell: (container) => <ContainerState pod={pod} container={container} /> },
          { title: 'Restarts', isNumber: true, cell: ({ restarts }) => restarts },
          { title: 'Exit code', isNumber: true, cell: ({ exitCode }) => exitCode },
          { title: 'Last exit code', isNumber: true, cell: ({ lastExitCode }) => lastExitCode },
          { title: 'Ended', cell: ({ finishedTime, lastFinishedTime }) => <Moment time={finishedTime ?? lastFinishedTime} /> },
          {
            title: 'Log',
            cell: ({ name: container, restarts }) => <LogLinks named={named} pod={name} container={container} hasPrevious={restarts > 0} />,
          },
        ]}
        rows={pod.containers}
        idOf={({ name: container, role }) => `${role} ${container}`}
        empty="The cluster has told of no container yet."
      />
      <h2>kubectl, with the kubeconfig of {named.cluster}</h2>
      <Command text={`kubectl describe pod/${quoted(name)}${named.namespace === '' ? '' : ` -n ${quoted(named.namespace)}`}`} />
    </>
  );
}

/** Ended, waiting for what, or at work. */
function ContainerState({ pod: { reasons = [], phase, state }, container }: { pod: PodSummary; container: ContainerSummary }) {
  const { exitCode, reason, name, restarts } = container;
  if (exitCode !== undefined)
    return <span class={`tag ${exitCode === 0 ? 'good' : 'bad'}`}>ended{reason !== undefined && `: ${reason}`}</span>;
  const waits = reasons.filter((each) => each.container === name);
  if (waits.length > 0) return <span class="tag warn">waits: {waits.map((each) => each.reason).join(', ')}</span>;
  if (phase === 'Running' && state !== 'BackingOff') return <>runs{restarts > 0 && `, after ${countText(restarts, 'restart')}`}</>;
  return <span class="soft">has not started</span>;
}
