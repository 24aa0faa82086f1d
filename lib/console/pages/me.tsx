// Who has signed in and what they may do; what this browser keeps; what this tab asks of the network.
import { Loading, Trouble } from '../parts/notices.tsx';
import { Facts, Table } from '../parts/table.tsx';
import { clockText, spanText } from '../parts/times.tsx';
import { answeredAtMs, isStreaming, serverAheadMs } from '../state/freshness.ts';
import { hasLetterKeys } from '../state/keys.ts';
import { useMe, type Me } from '../state/me.ts';
import { POLL_MS } from '../state/resource.ts';
import { keepToken } from '../state/token.ts';
import { bytesText, lastMinute } from '../state/traffic.ts';

const ACTIONS = ['suspend', 'resume', 'scale', 'retry', 'drain', 'delete'] as const;

export function MePage() {
  const { data: me, problem } = useMe();
  return (
    <>
      <h1>{me ? <bdi>{me.name}</bdi> : 'Who am I'}</h1>
      {problem !== undefined && <Trouble>{problem}</Trouble>}
      {!me && problem === undefined && <Loading />}
      {me && <Rights me={me} />}
      <h2>This browser</h2>
      <p>
        <label class="check">
          <input type="checkbox" checked={hasLetterKeys.value} onChange={(event) => (hasLetterKeys.value = event.currentTarget.checked)} />
          letters are keys
        </label>
      </p>
      <p>
        <button type="button" onClick={() => keepToken('')}>
          Sign out
        </button>{' '}
        <span class="soft">The browser forgets its token for this address.</span>
      </p>
      <h2>This tab</h2>
      <Traffic />
    </>
  );
}

function Rights({ me }: { me: Me }) {
  const inert = me.kinds.filter(({ actions }) => actions.length === 0);
  return (
    <>
      <p>
        Reads everything.{' '}
        {me.mayAct ? 'May act on workloads of the clusters below; it is noted under this name.' : `May not act: ${me.text ?? ''}.`}
      </p>
      <Table<Me['clusters'][number]>
        label="Rights by cluster"
        columns={[
          { title: 'Cluster', cell: ({ cluster }) => <a href={`#/clusters/${encodeURIComponent(cluster)}`}>{cluster}</a> },
          { title: 'Read', cell: () => 'yes' },
          ...ACTIONS.map((action) => ({
            title: `${action.slice(0, 1).toUpperCase()}${action.slice(1)}`,
            cell: ({ mayAct, needs }: Me['clusters'][number]) => (mayAct ? 'yes' : `needs ${needs ?? ''}`),
          })),
          { title: 'How', cell: ({ text }) => text },
        ]}
        rows={me.clusters}
        idOf={({ cluster }) => cluster}
        empty="No cluster is registered."
      />
      <p class="soft">
        {inert.length > 0 && `Of these kinds nothing can be done here: ${inert.map(({ kind }) => kind).join(', ')}. `}A gateway, or the
        cluster itself, may refuse what is allowed here.
      </p>
    </>
  );
}

function Traffic() {
  const { bytes, answers, unchanged } = lastMinute.value;
  return (
    <Facts
      pairs={[
        ['Changes', isStreaming.value ? 'streamed by the server' : `asked for each ${POLL_MS / 1_000} s`],
        ['Last heard', answeredAtMs.value === undefined ? 'never' : clockText(answeredAtMs.value)],
        [
          'Clock',
          serverAheadMs.value !== 0 &&
            `${spanText(Math.abs(serverAheadMs.value) / 1_000)} ${serverAheadMs.value > 0 ? 'behind' : 'ahead of'} the server's, by which ages are told`,
        ],
        [
          'In the last minute',
          `${bytesText(bytes)}, ${answers.toLocaleString('en')} answers, ${unchanged.toLocaleString('en')} of them unchanged`,
        ],
      ]}
    />
  );
}
