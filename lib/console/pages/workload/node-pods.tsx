// The pods of a virtual node. Each is a workload of its own here, with its own page and passes.
import { formatQuantity, parseQuantity } from '../../../objects/values/quantity.ts';
import { fieldsOf, listOf, textOf, type Fields } from '../../../objects/values/untyped-fields.ts';
import { Loading, Trouble } from '../../parts/notices.tsx';
import { figureText } from '../../parts/progress.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { Facts, Table } from '../../parts/table.tsx';
import { Age } from '../../parts/times.tsx';
import { address, hashOf, linkTo, withQuery } from '../../state/address.ts';
import type { ListedWorkload } from '../../state/answers.ts';
import { countsOf, troubleOf } from '../../state/standing.ts';
import { useWorkloads } from '../../state/workload-list.ts';
import type { TabProps } from './tab.ts';

/** The list itself has no such bound. */
const MOST_SHOWN = 200;

export function NodePodsTab({ named: { cluster, name }, workload }: TabProps) {
  const query = { kind: 'VirtualPod', cluster, node: name };
  const state = address.value.query.get('state') ?? '';
  const { data, problem } = useWorkloads(new URLSearchParams({ ...query, sort: 'need', ...(state !== '' && { state }) }), MOST_SHOWN);
  const decided = decidedIn(workload.passes);
  const rooms = new Map(decided.map((pod) => [textOf(pod['uid']), roomOf(pod)]));
  const figure = ({ figures }: ListedWorkload, wanted: string) => {
    const found = figures.find((each) => each.name === wanted);
    return found && figureText(found);
  };
  return (
    <section>
      <Facts pairs={usedOf(decided, fieldsOf(fieldsOf(workload.status)['allocatable']))} />
      <p class="counts">
        {countsOf(data?.totals ?? {}).map(([word, count]) => (
          <a key={word} href={withQuery({ state: state === word ? undefined : word })} aria-current={state === word ? 'true' : undefined}>
            <StateWord word={word} /> {count.toLocaleString('en')}
          </a>
        ))}
        {state !== '' && <a href={withQuery({ state: undefined })}>All pods</a>}
        <a href={hashOf(['workloads'], query)}>In the list</a>
      </p>
      {problem !== undefined && <Trouble>{problem}</Trouble>}
      {!data && problem === undefined && <Loading />}
      {data && (
        <>
          <Table<ListedWorkload>
            label="Pods of the node"
            columns={[
              {
                title: 'Name',
                cell: (pod) => (
                  <a href={linkTo(pod)}>
                    <bdi>
                      {pod.namespace}/{pod.name}
                    </bdi>
                  </a>
                ),
              },
              { title: 'State', cell: (pod) => <StateWord word={pod.state} trouble={troubleOf(pod)} /> },
              { title: 'Why', cell: ({ reason, why }) => why ?? reason },
              { title: 'Asks for', cell: ({ uid }) => quantitiesText(rooms.get(uid)) },
              { title: 'Ready', isNumber: true, cell: (pod) => figure(pod, 'ready') },
              { title: 'Restarts', isNumber: true, cell: (pod) => figure(pod, 'restarts') },
              { title: 'Age', cell: ({ creationTime }) => <Age time={creationTime} /> },
            ]}
            rows={data.items.slice(0, MOST_SHOWN)}
            idOf={({ uid }) => uid}
            empty={state === '' ? 'No pod is bound to it.' : 'No pod matches.'}
          />
          {data.total > MOST_SHOWN && <p class="soft">and {(data.total - MOST_SHOWN).toLocaleString('en')} more, in the list</p>}
        </>
      )}
    </section>
  );
}

/** As its passes keep them: of pods that hold room, and have not ended. */
const decidedIn = (passes: unknown): Fields[] =>
  listOf(fieldsOf(fieldsOf(fieldsOf(passes)['kept'])['decision'])['pods']).filter(
    (pod) => pod['hasEnded'] !== true && pod['room'] !== undefined,
  );

const roomOf = (pod: Fields): Fields => fieldsOf(fieldsOf(pod['room'])['requests']);

const quantitiesText = (quantities: Fields = {}): string | undefined =>
  Object.entries(quantities)
    .filter(([, amount]) => amount !== '0')
    .map(([resource, amount]) => `${resource} ${String(amount)}`)
    .join(', ') || undefined;

/** Of each resource that the node has: what its pods ask for, of how much. */
function usedOf(decided: readonly Fields[], allocatable: Fields): (readonly [string, string])[] {
  return Object.entries(allocatable).map(([resource, all]) => {
    if (resource === 'pods') return [resource, `${decided.length} of ${String(all)}`];
    const amounts = decided.map((pod) => textOf(roomOf(pod)[resource])).filter((amount) => amount !== '');
    return [resource, `${sumText(amounts)} of ${String(all)}`];
  });
}

function sumText(amounts: readonly string[]): string {
  try {
    const [first, ...others] = amounts.map((amount) => parseQuantity(amount));
    if (!first) return '0';
    return formatQuantity({ ...first, nanos: others.reduce((sum, { nanos }) => sum + nanos, first.nanos) });
  } catch {
    // A cluster may name an amount that this build cannot read.
    return '?';
  }
}
