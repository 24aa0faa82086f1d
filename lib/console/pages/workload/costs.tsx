// What it has cost, at list prices.
import { AskedBar } from '../../parts/asked-bar.tsx';
import { Facts } from '../../parts/table.tsx';
import { Moment } from '../../parts/times.tsx';
import { address } from '../../state/address.ts';
import type { CostBy } from '../../state/answers.ts';
import { useAsked } from '../../state/asked.ts';
import { dollarsText, ScannedText } from '../../parts/scanned.tsx';
import { SpanLinks } from '../../parts/spans.tsx';
import type { TabProps } from './tab.ts';

const amountText = (amount: number): string => Number(amount.toFixed(1)).toLocaleString('en');

export function CostTab({ named }: TabProps) {
  const since = address.value.query.get('since') ?? '7d';
  // Once: on AWS each question is paid for.
  const asked = useAsked<CostBy>(`v1/cost?by=workload&since=${encodeURIComponent(since)}`);
  return (
    <section>
      <p class="counts">
        <SpanLinks since={since} />
      </p>
      <AskedBar asked={asked} thing="Its cost" />
      {asked.data && <Told cost={asked.data} of={named} />}
    </section>
  );
}

function Told({ cost, of }: { cost: CostBy; of: TabProps['named'] }) {
  if (!cost.counted)
    return (
      <p>
        On AWS each function counts for itself, and this stage does not sum up what they log: deploy it again with this version. Its
        dashboard has the cost by cluster.
      </p>
    );
  const own = cost.items.find(
    ({ cluster, kind, namespace, name }) => cluster === of.cluster && kind === of.kind && namespace === of.namespace && name === of.name,
  );
  if (!own)
    return (
      <p>
        {cost.leftOut > 0
          ? `It is not among the dearest ${cost.items.length.toLocaleString('en')} workloads: it cost less than ${dollarsText(cost.items.at(-1)?.dollars ?? 0)}.`
          : 'Nothing was counted for it in this time.'}
      </p>
    );
  return (
    <>
      <p>
        Since <Moment time={cost.since} /> it would have cost <strong>{dollarsText(own.dollars)}</strong> on AWS
        {cost.dollars > 0 && `, ${((100 * own.dollars) / cost.dollars).toFixed(1)} % of all that was counted`}, with its share of what
        workloads have in common.
      </p>
      <Facts
        pairs={[
          ['Passes', amountText(own.passes)],
          ['Writes to the cluster', amountText(own.writes)],
          ['Requests to table and queues', amountText(own.requests)],
          ['Write units', amountText(own.writeUnits)],
          ['Read units', amountText(own.readUnits)],
        ]}
      />
      <p class="soft">
        List prices of {cost.region}, {cost.asOf}; no free tier, no discount. <a href="#/cost">What everything cost</a>
      </p>
      <ScannedText cost={cost} />
    </>
  );
}
