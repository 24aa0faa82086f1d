// The cost of each cluster, namespace, kind or workload: asked for once, for on AWS each question is a query that is paid for.
import { AskedBar } from '../parts/asked-bar.tsx';
import { Table, type Column } from '../parts/table.tsx';
import { Moment } from '../parts/times.tsx';
import { address, withQuery } from '../state/address.ts';
import type { CostBy } from '../state/answers.ts';
import { useAsked } from '../state/asked.ts';
import { dollarsText, ScannedText } from '../parts/scanned.tsx';
import { SpanLinks, SPANS } from '../parts/spans.tsx';

const GROUPS = ['cluster', 'namespace', 'kind', 'workload'] as const satisfies readonly CostBy['by'][];
const amountText = (amount: number): string => Math.round(amount).toLocaleString('en');

const chosen = <Word extends string>(words: readonly Word[], name: string, usual: Word): Word =>
  words.find((word) => word === address.value.query.get(name)) ?? usual;

export function CostOfEach() {
  const by = chosen(GROUPS, 'by', 'namespace');
  const since = chosen(SPANS, 'since', '24h');
  const asked = useAsked<CostBy>(`v1/cost?by=${by}&since=${since}`);
  return (
    <section>
      <h2>Of each {by}</h2>
      <p class="counts">
        {GROUPS.map((group) => (
          <a key={group} href={withQuery({ by: group })} aria-current={group === by ? 'true' : undefined}>
            by {group}
          </a>
        ))}
        <SpanLinks since={since} />
      </p>
      <AskedBar asked={asked} thing="The cost of each" />
      {asked.data?.counted === true && <Told cost={asked.data} />}
    </section>
  );
}

type Item = CostBy['items'][number];

const TITLES = { cluster: 'Cluster', kind: 'Kind', namespace: 'Namespace', name: 'Name' } as const;

function Told({ cost }: { cost: CostBy }) {
  const { items, leftOut, isCut, since, dollars } = cost;
  const names = (Object.keys(TITLES) as (keyof typeof TITLES)[]).filter((name) => items.some((item) => item[name] !== undefined));
  const number = (title: string, of: (item: Item) => number): Column<Item> => ({
    title,
    isNumber: true,
    cell: (item: Item) => amountText(of(item)),
  });
  return (
    <>
      <p>
        <strong>{dollarsText(dollars)}</strong> since <Moment time={since} />, with the share that each has of common cost.
      </p>
      <Table
        label={`Cost of each ${cost.by}`}
        columns={[
          ...names.map((name) => ({ title: TITLES[name], cell: (item: Item) => item[name] || '–' })),
          number('Passes', ({ passes }) => passes),
          number('Writes', ({ writes }) => writes),
          number('Requests', ({ requests }) => requests),
          number('Write units', ({ writeUnits }) => writeUnits),
          number('Read units', ({ readUnits }) => readUnits),
          { title: '$', isNumber: true, cell: (item: Item) => item.dollars.toFixed(6) },
        ]}
        rows={items}
        idOf={({ cluster, kind, namespace, name }) => [cluster, kind, namespace, name].join('/')}
        empty="Nothing was counted in this time."
      />
      {leftOut > 0 && <p>And {leftOut.toLocaleString('en')} that cost less.</p>}
      {isCut && <p>There are more than one query tells apart: what they cost is shared among these.</p>}
      <ScannedText cost={cost} />
    </>
  );
}
