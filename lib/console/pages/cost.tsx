// What it cost, by the counts of this instance at list prices.
import { Loading, Trouble } from '../parts/notices.tsx';
import { Table } from '../parts/table.tsx';
import { Moment } from '../parts/times.tsx';
import type { Cost } from '../state/answers.ts';
import { useAnswer } from '../state/resource.ts';
import { CostOfEach } from './cost-by.tsx';
import { dollarsText } from '../parts/scanned.tsx';

const amountText = (amount: number): string => (Number.isInteger(amount) ? amount.toLocaleString('en') : amount.toFixed(3));

export function CostPage() {
  const { data, problem } = useAnswer<Cost>('v1/cost');
  return (
    <>
      <h1>Cost</h1>
      {problem !== undefined && <Trouble>{problem}</Trouble>}
      {!data && problem === undefined && <Loading />}
      {data && !data.counted && (
        <>
          <p>
            On AWS each function counts for itself: the dashboard of the stage sums it up in CloudWatch, under "Estimated cost". What each
            had of it, a query of the functions' logs says here.
          </p>
          <p class="soft">
            List prices of {data.region}, {data.asOf}; no free tier, no discount
          </p>
        </>
      )}
      {data?.counted === true && <Counted cost={data} />}
      {data && <CostOfEach />}
    </>
  );
}

function Counted({ cost }: { cost: Cost }) {
  return (
    <>
      <p>
        What this instance did would have cost <strong>{dollarsText(cost.dollars)}</strong> on AWS since it began,{' '}
        <Moment time={cost.since} />.
      </p>
      <p class="soft">
        List prices of {cost.region}, {cost.asOf}; no free tier, no discount. Without logs, metrics and storage.
      </p>
      <Table
        label="Cost by part"
        columns={[
          { title: 'Counted', cell: ({ part }) => part },
          { title: 'Amount', isNumber: true, cell: ({ amount }) => amountText(amount) },
          { title: '$ a million', isNumber: true, cell: ({ unitDollars }) => (unitDollars * 1e6).toFixed(3) },
          { title: '$', isNumber: true, cell: ({ dollars }) => dollars.toFixed(6) },
        ]}
        rows={cost.parts}
        idOf={({ part }) => part}
        empty="Nothing yet."
      />
      <h2>By cluster</h2>
      <Table
        label="Cost by cluster"
        columns={[
          { title: 'Cluster', cell: ({ name }) => name },
          { title: 'Passes', isNumber: true, cell: ({ passes }) => passes.toLocaleString('en') },
          { title: 'Writes', isNumber: true, cell: ({ writes }) => writes.toLocaleString('en') },
          { title: '$', isNumber: true, cell: ({ dollars }) => dollars.toFixed(6) },
        ]}
        rows={cost.clusters}
        idOf={({ name }) => name}
        empty="No cluster is registered."
      />
    </>
  );
}
