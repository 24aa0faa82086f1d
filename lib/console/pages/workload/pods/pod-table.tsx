// Pods as rows: how each stands, its containers' ends, and links to its logs.
import type { ComponentChildren } from 'preact';
import { countText } from '../../../parts/progress.tsx';
import { StateWord } from '../../../parts/state-word.tsx';
import { Table, type Column } from '../../../parts/table.tsx';
import { Age } from '../../../parts/times.tsx';
import { linkTo, type Named } from '../../../state/address.ts';
import type { ContainerSummary, PodSummary } from '../../../state/answers.ts';
import { LogLinks } from './pod-links.tsx';

type PodReason = NonNullable<PodSummary['reasons']>[number];

export const podReasonText = ({ reason, message, container }: PodReason): string =>
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

export const hasPreviousRun = ({ containers }: PodSummary): boolean => containers.some(({ restarts }) => restarts > 0);

/** The page of a pod. Its place leads there also from among a hundred thousand. */
export const linkToPod = (named: Named, { name, index, type }: Pick<PodSummary, 'name' | 'index' | 'type'>): string =>
  linkTo(named, ['pods', name], { ...(type !== undefined && { type }), ...(index !== undefined && { index }) });

interface PodTableProps {
  named: Named;
  pods: readonly PodSummary[];
  label: string;
  empty: ComponentChildren;
}

export function PodTable({ named, pods, label, empty }: PodTableProps) {
  const columns: (Column<PodSummary> | false)[] = [
    {
      title: 'Pod',
      cell: (pod) => (
        <a href={linkToPod(named, pod)}>
          <bdi>{pod.name}</bdi>
        </a>
      ),
    },
    pods.some(({ type }) => type !== undefined) && { title: 'Type', cell: ({ type }) => type },
    pods.some(({ index }) => index !== undefined) && { title: 'Index', isNumber: true, cell: ({ index }) => index },
    {
      title: 'State',
      cell: ({ state, reason, terminating }) => (
        <StateWord
          word={state}
          isPart={false}
          trouble={
            [reason ?? '', terminating && state !== 'Terminating' ? 'terminating' : ''].filter((word) => word !== '').join(', ') ||
            undefined
          }
        />
      ),
    },
    { title: 'Ready', cell: ({ ready }) => ready },
    { title: 'Containers', cell: ({ containers }) => containers.flatMap((each) => containerText(each) ?? []).join('; ') || undefined },
    { title: 'Why', cell: ({ reasons = [] }) => reasons.map(podReasonText).join('; ') || undefined },
    { title: 'Counted', cell: ({ tracked }) => (tracked ? 'not yet' : 'yes') },
    { title: 'Age', cell: ({ creationTime }) => <Age time={creationTime} /> },
    { title: 'Log', cell: (pod) => <LogLinks named={named} pod={pod.name} hasPrevious={hasPreviousRun(pod)} /> },
  ];
  return (
    <Table<PodSummary>
      label={label}
      columns={columns.filter((column) => column !== false)}
      rows={pods}
      idOf={({ uid }) => uid}
      empty={empty}
    />
  );
}
