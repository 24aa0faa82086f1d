// The cluster's events about it and its pods, the newest first.
import { AskedBar } from '../../parts/asked-bar.tsx';
import { countText } from '../../parts/progress.tsx';
import { Table } from '../../parts/table.tsx';
import { Moment } from '../../parts/times.tsx';
import { address, apiPathOf, linkTo, withQuery } from '../../state/address.ts';
import type { WorkloadEvents } from '../../state/answers.ts';
import { useAsked } from '../../state/asked.ts';
import type { TabProps } from './tab.ts';

/** Each look is a question to the cluster. */
const EVERY_MS = 30_000;

type Told = WorkloadEvents['items'][number];

export function EventsTab({ named }: TabProps) {
  const asked = useAsked<WorkloadEvents>(`${apiPathOf(named)}/events`, { everyMs: EVERY_MS });
  const isWarningsOnly = address.value.query.get('type') === 'Warning';
  const items = (asked.data?.items ?? []).filter(({ type }) => !isWarningsOnly || type === 'Warning').toReversed();
  const warnings = (asked.data?.items ?? []).filter(({ type }) => type === 'Warning').length;
  return (
    <section>
      <AskedBar asked={asked} thing="Its events" />
      {asked.data && (
        <>
          <p class="counts">
            {(warnings > 0 || isWarningsOnly) && (
              <a href={withQuery({ type: isWarningsOnly ? undefined : 'Warning' })} aria-current={isWarningsOnly ? 'true' : undefined}>
                {countText(warnings, 'warning')}
              </a>
            )}
          </p>
          <Table<Told>
            label="Events"
            columns={[
              { title: 'Last', cell: ({ lastTime }) => <Moment time={lastTime} /> },
              { title: 'Type', cell: ({ type }) => <span class={type === 'Normal' ? undefined : 'tag warn'}>{type}</span> },
              { title: 'Reason', cell: ({ reason }) => reason },
              {
                title: 'Object',
                cell: ({ object: { kind, name } }) =>
                  kind === 'Pod' ? (
                    <a href={linkTo(named, ['pods', name])}>
                      <bdi>Pod {name}</bdi>
                    </a>
                  ) : (
                    <bdi>
                      {kind} {name}
                    </bdi>
                  ),
              },
              { title: 'Text', cell: ({ text }) => text },
              { title: 'Times', isNumber: true, cell: ({ count }) => count.toLocaleString('en') },
              { title: 'First', cell: ({ firstTime }) => <Moment time={firstTime} /> },
              { title: 'Source', cell: ({ source }) => source },
            ]}
            rows={items}
            idOf={({ reason, object, firstTime, text, type }) => JSON.stringify([type, reason, object.kind, object.name, firstTime, text])}
            empty={isWarningsOnly ? 'No warning.' : 'The cluster keeps no event of it: most clusters forget them after an hour.'}
          />
          {asked.data.leftOut > 0 && <p class="soft">and {asked.data.leftOut.toLocaleString('en')} older ones</p>}
        </>
      )}
    </section>
  );
}
