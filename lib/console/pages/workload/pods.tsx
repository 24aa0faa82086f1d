// Its pods: what does not run first, each with its containers' ends and a link to its log.
import { useMemo } from 'preact/hooks';
import { countText } from '../../parts/progress.tsx';
import { Table } from '../../parts/table.tsx';
import { Age } from '../../parts/times.tsx';
import { TypedText } from '../../parts/typed-text.tsx';
import { address, go, linkTo, withQuery } from '../../state/address.ts';
import type { ContainerSummary, PodSummary, WorkloadDetail } from '../../state/answers.ts';
import type { TabProps } from './tab.ts';

const MOST_SHOWN = 200;
const RANKS: readonly string[] = ['Failed', 'Unknown', 'Pending', 'Running', 'Succeeded'];

const hasTrouble = ({ reasons = [] }: PodSummary): boolean => reasons.length > 0;
const rankOf = (pod: PodSummary): number => (hasTrouble(pod) && pod.phase !== 'Succeeded' ? -1 : RANKS.indexOf(pod.phase));

type PodReason = NonNullable<PodSummary['reasons']>[number];

const podReasonText = ({ reason, message, container }: PodReason): string =>
  `${reason}${container === undefined ? '' : ` (container ${container})`}${message === undefined ? '' : `: ${message}`}`;

/** Nothing of a container that runs and never ended. */
export function containerText({ name, role, restarts, exitCode, lastExitCode, reason }: ContainerSummary): string | undefined {
  const code = exitCode ?? lastExitCode;
  if (code === undefined && restarts === 0) return undefined;
  const ended =
    code === undefined ? [] : [`${exitCode === undefined ? 'last ' : ''}exit code ${code}${reason === undefined ? '' : ` (${reason})`}`];
  const again = restarts === 0 ? [] : [countText(restarts, 'restart')];
  return `${role === 'container' ? '' : `${role} `}${name}: ${[...ended, ...again].join(', ')}`;
}

function chosenOf(workload: WorkloadDetail, phase: string, text: string): PodSummary[] {
  return workload.pods
    .filter((pod) => phase === '' || pod.phase === phase)
    .filter((pod) => text === '' || pod.name.includes(text) || pod.index === text)
    .toSorted((one, other) => rankOf(one) - rankOf(other));
}

export function Pods({ named, workload }: TabProps) {
  const { query } = address.value;
  const [phase, text] = [query.get('state') ?? '', query.get('index') ?? query.get('text') ?? ''];
  const chosen = useMemo(() => chosenOf(workload, phase, text), [workload, phase, text]);
  const shown = chosen.slice(0, MOST_SHOWN);
  const phases = [...Map.groupBy(workload.pods, (pod) => pod.phase)].map(([word, pods]) => [word, pods.length] as const);
  const leftOut = chosen.length - shown.length + workload.podsLeftOut;
  return (
    <>
      <div class="filters">
        <p class="counts">
          {phases.map(([word, count]) => (
            <a key={word} href={withQuery({ state: phase === word ? undefined : word })} aria-current={phase === word ? 'true' : undefined}>
              {word} {count.toLocaleString('en')}
            </a>
          ))}
        </p>
        <label>
          <span>Name or index</span>
          <TypedText value={text} hint="4711" take={(value) => go(withQuery({ text: value, index: undefined }), { isReplaced: true })} />
        </label>
      </div>
      <Table<PodSummary>
        label="Pods"
        columns={[
          {
            title: 'Pod',
            cell: ({ name }) => (
              <a href={linkTo(named, ['logs'], { pod: name })}>
                <bdi>{name}</bdi>
              </a>
            ),
          },
          { title: 'Index', isNumber: true, cell: ({ index }) => index },
          {
            title: 'Phase',
            cell: (pod) =>
              pod.terminating ? (
                `${pod.phase}, terminating`
              ) : (
                <span class={`tag ${pod.phase === 'Failed' ? 'bad' : pod.phase === 'Succeeded' ? 'good' : ''}`}>{pod.phase}</span>
              ),
          },
          { title: 'Ready', cell: ({ ready }) => ready },
          {
            title: 'Containers',
            cell: ({ containers }) => containers.flatMap((each) => containerText(each) ?? []).join('; ') || undefined,
          },
          { title: 'Why', cell: ({ reasons = [] }) => reasons.map(podReasonText).join('; ') || undefined },
          { title: 'Counted', cell: ({ tracked }) => (tracked ? 'not yet' : 'yes') },
          { title: 'Age', cell: ({ creationTime }) => <Age time={creationTime} /> },
        ]}
        rows={shown}
        idOf={({ uid }) => uid}
        empty={workload.pods.length === 0 ? 'None.' : 'No pod matches.'}
      />
      {leftOut > 0 && <p class="soft">and {leftOut.toLocaleString('en')} more</p>}
    </>
  );
}
