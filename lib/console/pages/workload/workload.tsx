// One workload: in its head where it stands, why, and what comes next; below it a tab for each closer look.
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { Boundary } from '../../parts/boundary.tsx';
import { later } from '../../parts/later.tsx';
import { Loading, Trouble } from '../../parts/notices.tsx';
import { figureText, Progress, titled } from '../../parts/progress.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { Facts } from '../../parts/table.tsx';
import { Moment } from '../../parts/times.tsx';
import { address, apiPathOf, hashOf, linkTo, titleOf, type Named } from '../../state/address.ts';
import type { Items, ToldPass, WorkloadDetail } from '../../state/answers.ts';
import { useAnswer } from '../../state/resource.ts';
import { troubleOf } from '../../state/standing.ts';
import { ActButtons } from '../actions/act-buttons.tsx';
import { Commands } from './commands.tsx';
import { Conditions } from './conditions.tsx';
import { evidenceText } from './evidence.ts';
import { Logs } from './logs.tsx';
import { Pods } from './pods.tsx';
import { hasLogs, type TabProps } from './tab.ts';
import { Timeline } from './timeline.tsx';

interface Tab {
  word: string;
  title: string | ((workload: WorkloadDetail) => string);
  show: FunctionComponent<TabProps>;
  isFor?: (workload: WorkloadDetail) => boolean;
}

const hasPods = (workload: WorkloadDetail): boolean => workload.hasPods;
const more = async () => await import('./more.ts');
/** Views that need no program beyond the page's own. */
const AT_HAND = new Set(['pods', 'logs', 'timeline', 'conditions', 'commands']);

/** The first is the one that a workload opens with. */
const TABS: readonly Tab[] = [
  {
    word: 'map',
    title: ({ map }) => (map === 'replicas' ? 'Replicas' : 'Map'),
    show: later(async () => (await more()).MapTab),
    isFor: ({ map }) => map !== undefined,
  },
  {
    word: 'pods',
    title: ({ pods, podsLeftOut }) => `Pods ${(pods.length + podsLeftOut).toLocaleString('en')}`,
    show: Pods,
    isFor: hasPods,
  },
  {
    word: 'pods',
    title: 'Pods',
    show: later(async () => (await more()).NodePodsTab),
    isFor: ({ kind }) => kind === 'VirtualNode',
  },
  { word: 'logs', title: 'Logs', show: Logs, isFor: hasLogs },
  { word: 'events', title: 'Events', show: later(async () => (await more()).EventsTab) },
  { word: 'timeline', title: 'Timeline', show: Timeline },
  { word: 'manifest', title: 'Manifest', show: later(async () => (await more()).ManifestTab) },
  { word: 'plan', title: 'What would be done now', show: later(async () => (await more()).PlanTab) },
  { word: 'children', title: 'Children', show: later(async () => (await more()).ChildrenTab) },
  { word: 'conditions', title: 'Conditions', show: Conditions },
  { word: 'cost', title: 'Cost', show: later(async () => (await more()).CostTab) },
  { word: 'commands', title: 'Commands', show: Commands },
];

export function Workload() {
  const { path, query } = address.value;
  const [, cluster = '', kind = '', namespace = '', name = ''] = path;
  const named: Named = { cluster, kind, namespace: namespace === '-' ? '' : namespace, name };
  const { data, problem, status } = useAnswer<Items<WorkloadDetail>>(apiPathOf(named));
  // Meanwhile, rather than after the answer; a view that needs it says what went wrong.
  useEffect(() => {
    if (!AT_HAND.has(path[5] ?? '')) more().catch(() => undefined);
  }, []);
  const uid = query.get('uid');
  const current = data?.items.find((each) => each.uid === uid) ?? data?.items[0];
  return (
    <>
      <nav class="crumbs" aria-label="Where">
        <a href="#/workloads">Workloads</a> › <a href={hashOf(['workloads'], { cluster })}>{cluster}</a>
        {named.namespace !== '' && (
          <>
            {' '}
            › <a href={hashOf(['workloads'], { cluster, namespace: named.namespace })}>{named.namespace}</a>
          </>
        )}{' '}
        ›
      </nav>
      <h1>
        <bdi>{titleOf(named)}</bdi>
      </h1>
      {problem !== undefined && <Trouble>{problem}</Trouble>}
      {status === 404 && (
        <p>
          <a href={hashOf(['workloads'], { text: name })}>Search for “{name}”</a>
        </p>
      )}
      {!current && problem === undefined && <Loading />}
      {current && uid !== null && current.uid !== uid && (
        <p class="notice">The workload of the uid {uid} is gone; this one has its name.</p>
      )}
      {current && <Known named={named} workload={current} />}
    </>
  );
}

function Known({ named, workload }: TabProps) {
  const tabs = TABS.filter(({ isFor }) => isFor?.(workload) ?? true);
  const word = address.value.path[5];
  const chosen = tabs.find((tab) => tab.word === word) ?? tabs[0];
  return (
    <>
      <ActButtons workloads={[workload]} />
      <Head named={named} workload={workload} />
      <nav class="tabs" aria-label="Views of the workload">
        {tabs.map((tab) => (
          <a key={tab.word} href={linkTo(named, [tab.word])} aria-current={tab === chosen ? 'page' : undefined}>
            {typeof tab.title === 'string' ? tab.title : tab.title(workload)}
          </a>
        ))}
      </nav>
      {/* Of a namesake that comes after it nothing is the same: its log begins anew. */}
      {chosen && (
        <Boundary of={chosen.word}>
          <chosen.show key={`${chosen.word} ${workload.uid}`} named={named} workload={workload} />
        </Boundary>
      )}
    </>
  );
}

function Head({ named, workload }: TabProps) {
  const { state, cluster, uid, reason, cause, reasons, figures, creationTime, startTime, completionTime, queued, nextWake } =
    workload as WorkloadDetail & { startTime?: string; completionTime?: string };
  const recorded = useAnswer<Items<ToldPass>>(`${apiPathOf(named)}/passes?limit=200`);
  // Passes are found by name, so some may belong to a former uid.
  const latest = recorded.data?.items.find(({ key }) => key.uid === uid);
  return (
    <section class="head" aria-label="Where it stands">
      <p class="standing">
        <StateWord word={state} trouble={troubleOf(workload)} />
        {state !== 'Parked' && state !== 'Running' && <span class="soft"> {reason}</span>} on {cluster} <Progress figures={figures} />{' '}
        <span class="soft uid">uid {uid}</span>
      </p>
      {state === 'Parked' && reason !== undefined && <p class="notice">Parked: {reason}</p>}
      {cause !== undefined && !reasons.some(({ text }) => text === cause) && <p class="cause">{cause}</p>}
      {reasons.map((each) => (
        <p key={`${each.code} ${each.text}`} class="reason">
          <strong>{each.code}: </strong>
          {each.text}
          <span class="soft">{evidenceText(each)}</span>
        </p>
      ))}
      {latest && latest.why.length > 0 && (
        <p>
          <strong>Latest: </strong>
          {latest.why.join('; ')}
        </p>
      )}
      <Facts
        pairs={[
          ...figures.map((figure) => [titled(figure.name), figureText(figure)] as const),
          ['Created', creationTime !== undefined && <Moment time={creationTime} />],
          ['Started', startTime !== undefined && <Moment time={startTime} />],
          ['Completed', completionTime !== undefined && <Moment time={completionTime} />],
          ['Next look', queued ? 'queued' : nextWake ? <Moment time={nextWake.dueTime} /> : 'when something happens'],
        ]}
      />
    </section>
  );
}
