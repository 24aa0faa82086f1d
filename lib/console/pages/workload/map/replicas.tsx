// A training job's replicas by type, in the order in which they start, each with the rank by which its framework's logs speak of it.
import { StateWord } from '../../../parts/state-word.tsx';
import { Table } from '../../../parts/table.tsx';
import { address, linkTo, withQuery, type Named } from '../../../state/address.ts';
import type { ReplicaMap } from '../../../state/answers.ts';
import { LogLinks } from '../pods/pod-links.tsx';

type ReplicaType = ReplicaMap['types'][number];
type Replica = ReplicaType['replicas'][number];

/** So many of one type have their words; of more only those that are out of the ordinary. */
const MOST_WORDED = 16;
const PER_WINDOW = 100;

const wordOf = (state: string): string => (state === 'NotStarted' ? 'not started' : state);
const isOdd = ({ state, restarts = 0, fellFirst }: Replica): boolean =>
  ['Failed', 'BackingOff', 'Waiting', 'Unknown'].includes(state) || restarts > 0 || fellFirst === true;

export function Replicas({ named, map: { types } }: { named: Named; map: ReplicaMap }) {
  const from = Number(address.value.query.get('from') ?? 0) || 0;
  const most = Math.max(0, ...types.map(({ wanted }) => wanted));
  const odd = types.flatMap(({ type, replicas }) => replicas.filter(isOdd).map((replica) => ({ type, ...replica })));
  return (
    <>
      {types.length === 0 && <p class="soft">Its spec names no replicas.</p>}
      {types.map((type) => (
        <Type key={type.type} named={named} type={type} />
      ))}
      {most > PER_WINDOW && (
        <p>
          Replicas from {from.toLocaleString('en')} on are shown, {PER_WINDOW} of each type.{' '}
          {from > 0 && <a href={withQuery({ from: String(Math.max(from - PER_WINDOW, 0)) })}>The {PER_WINDOW} before</a>}{' '}
          {from + PER_WINDOW < most && <a href={withQuery({ from: String(from + PER_WINDOW) })}>The next {PER_WINDOW}</a>}
        </p>
      )}
      <h2>Out of the ordinary</h2>
      <Table<Replica & { type: string }>
        label="Replicas out of the ordinary"
        columns={[
          {
            title: 'Replica',
            cell: ({ type, index, fellFirst }) => (
              <>
                {type} {index}
                {fellFirst === true && <strong> fell first</strong>}
              </>
            ),
          },
          { title: 'Rank', isNumber: true, cell: ({ rank }) => rank },
          { title: 'State', cell: ({ state, reason }) => <StateWord word={wordOf(state)} isPart={false} trouble={reason} /> },
          { title: 'Restarts', isNumber: true, cell: ({ restarts }) => restarts },
          { title: 'Exit code', isNumber: true, cell: ({ exitCode }) => exitCode },
          {
            title: 'Pod',
            cell: ({ pod, type, index }) =>
              pod !== undefined && (
                <a href={linkTo(named, ['pods', pod], { type, index: String(index) })}>
                  <bdi>{pod}</bdi>
                </a>
              ),
          },
          {
            title: 'Log',
            cell: ({ pod, restarts = 0 }) => pod !== undefined && <LogLinks named={named} pod={pod} hasPrevious={restarts > 0} />,
          },
        ]}
        rows={odd}
        idOf={({ type, index }) => `${type} ${index}`}
        empty="None: nothing failed, waits or has restarted."
      />
    </>
  );
}

function Type({ named, type: { type, wanted, counts, replicas, replicasLeftOut } }: { named: Named; type: ReplicaType }) {
  const isWorded = replicas.length <= MOST_WORDED;
  const hasRanks = replicas.some(({ rank }) => rank !== undefined);
  return (
    <section aria-label={type}>
      <h2>
        {type} {wanted.toLocaleString('en')}
        <span class="soft"> {hasRanks ? 'number: rank' : 'number: index; ranks are not known before they run'}</span>
      </h2>
      <p class="counts">
        {Object.entries(counts).map(([state, count]) => (
          <a key={state} href={linkTo(named, ['pods'], { type, ...(state !== 'NotStarted' && { state }) })}>
            <StateWord word={wordOf(state)} /> {count.toLocaleString('en')}
          </a>
        ))}
      </p>
      <ul class="replicas">
        {replicas.map((replica) => (
          <li key={replica.index}>
            <Chip named={named} type={type} replica={replica} isWorded={isWorded || replica.fellFirst === true} />
          </li>
        ))}
      </ul>
      {replicasLeftOut > 0 && <p class="soft">and {replicasLeftOut.toLocaleString('en')} more</p>}
    </section>
  );
}

function Chip({ named, type, replica, isWorded }: { named: Named; type: string; replica: Replica; isWorded: boolean }) {
  const { index, rank, state, reason, pod, fellFirst } = replica;
  const number = rank ?? index;
  const text = `${type} ${index}${rank === undefined ? '' : `, rank ${rank}`}: ${wordOf(state)}${reason === undefined ? '' : ` (${reason})`}${fellFirst === true ? ', fell first' : ''}`;
  const inside = (
    <>
      <StateWord word={wordOf(state)} isBare />
      {number}
      {isWorded && (
        <span class="soft">
          {' '}
          {wordOf(state)}
          {fellFirst === true && ', fell first'}
        </span>
      )}
    </>
  );
  return pod === undefined ? (
    <span class="chip" title={text}>
      {inside}
    </span>
  ) : (
    <a class="chip" href={linkTo(named, ['pods', pod], { type, index: String(index) })} title={text} aria-label={text}>
      {inside}
    </a>
  );
}
