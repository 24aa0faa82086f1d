// Work for a person: parked workloads, and messages that could not be read.
import { useState } from 'preact/hooks';
import { Confirm } from '../parts/confirm.tsx';
import { failuresText, Loading, Trouble } from '../parts/notices.tsx';
import { countText } from '../parts/progress.tsx';
import { Table } from '../parts/table.tsx';
import { Moment } from '../parts/times.tsx';
import { address, hashOf, linkTo, titleOf } from '../state/address.ts';
import type { DeadLetterSummary, FromQueues, QueueFailure, QueueSummary, WorkloadSummary } from '../state/answers.ts';
import { post } from '../state/call.ts';
import { askAgain, useAnswer } from '../state/resource.ts';
import { useWorkloads } from '../state/workload-list.ts';

const PARKED = new URLSearchParams({ state: 'Parked' });

export function Letters() {
  const queue = address.value.query.get('queue') ?? '';
  const letters = useAnswer<FromQueues<DeadLetterSummary>>(`v1/dead-letters${queue === '' ? '' : `?queue=${encodeURIComponent(queue)}`}`);
  const queues = useAnswer<FromQueues<QueueSummary>>('v1/queues');
  const parked = useWorkloads(PARKED);
  const [asked, setAsked] = useState<readonly DeadLetterSummary[]>();
  const [notice, setNotice] = useState('');
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
          </button>
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
                <button type="button" aria-label={`Redrive ${row.messageId}`} onClick={() => setAsked([row])}>
                  Redrive …
                </button>
              ),
            },
          ]}
          rows={shown}
          idOf={({ queue: of, messageId }) => `${of}/${messageId}`}
          empty={failed.length > 0 ? 'None in the queues that are shown.' : 'None: every message could be read.'}
        />
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
