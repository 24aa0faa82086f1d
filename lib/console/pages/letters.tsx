// Work for a person: parked workloads, and messages that could not be read.
import { useState } from 'preact/hooks';
import type { Answer } from '../../api/routes/route-table.ts';
import { Confirm } from '../parts/confirm.tsx';
import { failuresText, Loading, Trouble } from '../parts/notices.tsx';
import { countText } from '../parts/progress.tsx';
import { Table } from '../parts/table.tsx';
import { Moment } from '../parts/times.tsx';
import { address, hashOf, linkTo, titleOf } from '../state/address.ts';
import type { DeadLetterSummary, FromQueues, QueueFailure, QueueSummary, WorkloadSummary } from '../state/answers.ts';
import { post } from '../state/call.ts';
import { useMe } from '../state/me.ts';
import { askAgain, useAnswer } from '../state/resource.ts';
import { useWorkloads } from '../state/workload-list.ts';
import { MissingRight } from './actions/missing-right.tsx';

type Dropped = Answer<'POST /v1/dead-letters/drop'>;
type PlannedDrop = NonNullable<Dropped['planned']>;

const PARKED = new URLSearchParams({ state: 'Parked' });

export function Letters() {
  const queue = address.value.query.get('queue') ?? '';
  const letters = useAnswer<FromQueues<DeadLetterSummary>>(`v1/dead-letters${queue === '' ? '' : `?queue=${encodeURIComponent(queue)}`}`);
  const queues = useAnswer<FromQueues<QueueSummary>>('v1/queues');
  const parked = useWorkloads(PARKED);
  const [asked, setAsked] = useState<readonly DeadLetterSummary[]>();
  const [notice, setNotice] = useState('');
  const [dropping, setDropping] = useState<PlannedDrop>();
  const { data: me } = useMe();
  const [isExplained, setExplained] = useState(false);
  const planDrop = async (chosen: readonly DeadLetterSummary[]): Promise<void> => {
    if (me && !me.mayAct) {
      setExplained(true);
      return;
    }
    setNotice('');
    const messageIds = chosen.map(({ messageId }) => messageId);
    try {
      const { planned } = await post<Dropped>('v1/dead-letters/drop', { messageIds, dryRun: true });
      if (planned) setDropping(planned);
    } catch (error) {
      setNotice(error instanceof Error ? error.message : String(error));
    }
  };
  const drop = async ({ messageIds }: PlannedDrop): Promise<void> => {
    const answer = await post<Dropped>('v1/dead-letters/drop', { messageIds });
    if (answer.failed && answer.failed.length > 0) setNotice(`Not all dropped: ${failuresText(answer.failed)}`);
    askAgain();
  };
  const missing = me && !me.mayAct ? me.needs : undefined;
  const failed = [...(letters.data?.failed ?? []), ...(queues.data?.failed ?? [])];
  const shown = letters.data?.items ?? [];
  const redrive = async (chosen: readonly DeadLetterSummary[]): Promise<void> => {
    setNotice('');
    const answer = await post<{ failed?: readonly QueueFailure[] }>('v1/dead-letters/redrive', {
      messageIds: chosen.map(({ messageId }) => messageId),
    });
    if (answer.failed && answer.failed.length > 0) setNotice(`Not all redriven: ${failuresText(answer.failed)}`);
    askAgain();
  };
  return (
    <>
      <h1>Parked and dead letters</h1>
      {notice !== '' && <Trouble>{notice}</Trouble>}
      {failed.length > 0 && <Trouble>Not all queues are shown: {failuresText(failed)}</Trouble>}
      {[letters.problem, queues.problem, parked.problem].map(
        (problem, at) => problem !== undefined && <Trouble key={at}>{problem}</Trouble>,
      )}
      <h2>Parked workloads</h2>
      {parked.data ? (
        <Table<WorkloadSummary>
          label="Parked workloads"
          columns={[
            {
              title: 'Workload',
              cell: (row) => (
                <>
                  <a href={linkTo(row)}>{titleOf(row)}</a> on {row.cluster}
                </>
              ),
            },
            { title: 'Why', cell: ({ reason }) => reason },
            { title: 'Looked at again', cell: ({ nextWake }) => <Moment time={nextWake?.dueTime} /> },
          ]}
          rows={parked.data.items}
          idOf={({ cluster, uid }) => `${cluster}/${uid}`}
          empty={
            parked.data.hasMore
              ? 'None so far.'
              : 'None. A parked workload is looked at again by itself, and at once when its spec changes.'
          }
        />
      ) : (
        parked.problem === undefined && <Loading />
      )}
      <h2>Queues</h2>
      {queues.data && (
        <Table<QueueSummary>
          label="Queues"
          columns={[
            { title: 'Queue', cell: ({ name }) => name },
            { title: 'Visible', isNumber: true, cell: ({ visible }) => visible },
            { title: 'In flight', isNumber: true, cell: ({ inFlight }) => inFlight },
            { title: 'Delayed', isNumber: true, cell: ({ delayed }) => delayed },
            {
              title: 'Dead',
              isNumber: true,
              cell: ({ name, dead }) => (dead === 0 ? 0 : <a href={hashOf(['letters'], { queue: name })}>{dead}</a>),
            },
            { title: 'Oldest', cell: ({ oldestSentTime }) => <Moment time={oldestSentTime} /> },
          ]}
          rows={queues.data.items}
          idOf={({ name }) => name}
          empty="None."
        />
      )}
      <h2>
        Dead letters{queue !== '' && ` of ${queue}`} {queue !== '' && <a href="#/letters">all queues</a>}
      </h2>
      {shown.length > 0 && (
        <p>
          <button type="button" onClick={() => setAsked(shown)}>
            Redrive {shown.length} …
          </button>{' '}
          <button type="button" aria-disabled={missing === undefined ? undefined : 'true'} onClick={() => void planDrop(shown)}>
            Drop {shown.length} …
          </button>
          {missing !== undefined && <span class="soft"> needs {missing}</span>}
        </p>
      )}
      {letters.data && (
        <Table<DeadLetterSummary>
          label="Dead letters"
          columns={[
            { title: 'Queue', cell: (row) => row.queue },
            { title: 'Sent', cell: ({ sentTime }) => <Moment time={sentTime} /> },
            { title: 'Bytes', isNumber: true, cell: ({ bytes }) => bytes.toLocaleString('en') },
            { title: 'What is wrong', cell: ({ problem }) => problem },
            { title: 'Message', cell: ({ body }) => body !== '' && <pre class="message">{body}</pre> },
            {
              title: 'Action',
              cell: (row) => (
                <span class="actions">
                  <button type="button" aria-label={`Redrive ${row.messageId}`} onClick={() => setAsked([row])}>
                    Redrive …
                  </button>
                  <button
                    type="button"
                    aria-label={`Drop ${row.messageId}`}
                    aria-disabled={missing === undefined ? undefined : 'true'}
                    onClick={() => void planDrop([row])}
                  >
                    Drop …
                  </button>
                </span>
              ),
            },
          ]}
          rows={shown}
          idOf={({ queue: of, messageId }) => `${of}/${messageId}`}
          empty={failed.length > 0 ? 'None in the queues that are shown.' : 'None: every message could be read.'}
        />
      )}
      {isExplained && <MissingRight text={me?.text ?? ''} needs={me?.needs ?? ''} close={() => setExplained(false)} />}
      {dropping && (
        <Confirm
          title={`Drop ${countText(dropping.messageIds.length, 'message')}`}
          verb={dropping.button}
          act={async () => await drop(dropping)}
          close={() => setDropping(undefined)}
        >
          {dropping.text.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </Confirm>
      )}
      {asked && (
        <Confirm
          title={`Redrive ${countText(asked.length, 'message')}`}
          verb={`Redrive ${asked.length}`}
          act={async () => await redrive(asked)}
          close={() => setAsked(undefined)}
        >
          <p>
            {countText(asked.length, 'message')} {asked.length === 1 ? 'goes' : 'go'} back into{' '}
            {[...new Set(asked.map((letter) => letter.queue))].join(', ')}; what cannot be read comes back here.
          </p>
        </Confirm>
      )}
    </>
  );
}
