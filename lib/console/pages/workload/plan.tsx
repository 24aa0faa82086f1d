// What Farloop would do now, and why: the planner on what is known, without any effect.
import { AskedBar } from '../../parts/asked-bar.tsx';
import { countText } from '../../parts/progress.tsx';
import { Tag } from '../../parts/state-word.tsx';
import { Table } from '../../parts/table.tsx';
import { spanText } from '../../parts/times.tsx';
import { yamlText } from '../../parts/yaml-text.ts';
import { apiPathOf } from '../../state/address.ts';
import type { PlanNow } from '../../state/answers.ts';
import { useAsked } from '../../state/asked.ts';
import type { TabProps } from './tab.ts';

const EVERY_MS = 10_000;
const MOST_SHOWN = 200;

const OUTCOMES: Readonly<Record<PlanNow['outcome'], string>> = {
  acted: 'it would act',
  waiting: 'it would wait',
  converged: 'nothing is to be done',
  parked: 'it would leave it to a person',
  notOurs: 'it is not its to manage',
};

export function PlanTab({ named }: TabProps) {
  const asked = useAsked<PlanNow>(`${apiPathOf(named)}/plan`, { everyMs: EVERY_MS });
  return (
    <section>
      <p>What a pass would do if it ran now, and why. Nothing is done by looking at it.</p>
      <AskedBar asked={asked} thing="What would be done now" />
      {asked.data && <Told plan={asked.data} />}
    </section>
  );
}

function Told({ plan: { outcome, why, actions, reads, requeueAfterSeconds, status } }: { plan: PlanNow }) {
  const shown = actions.slice(0, MOST_SHOWN);
  return (
    <>
      <p>
        <Tag word={outcome} />: {OUTCOMES[outcome] ?? 'an outcome that this page does not know'}
        {actions.length > 0 && `, in ${countText(actions.length, 'step')}`}
        {requeueAfterSeconds !== undefined && `; it would look again in ${spanText(requeueAfterSeconds)}`}
      </p>
      {why.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
      {reads.length > 0 && <p class="soft">It would read live first, and might then decide otherwise: {reads.join(', ')}</p>}
      <Table<PlanNow['actions'][number]>
        label="What it would do"
        columns={[
          { title: 'Step', cell: ({ verb, target }) => (verb === target ? `write ${target}` : `${verb} ${target}`) },
          { title: 'Why', cell: ({ why: reason }) => reason },
        ]}
        rows={shown}
        idOf={({ verb, target, why: reason }) => `${verb} ${target} ${reason}`}
        empty="No step."
      />
      {actions.length > shown.length && <p class="soft">and {(actions.length - shown.length).toLocaleString('en')} more</p>}
      <details>
        <summary>The status as it would be after it</summary>
        <pre class="manifest" tabIndex={0} role="region" aria-label="Status">
          {yamlText(status)}
        </pre>
      </details>
    </>
  );
}
