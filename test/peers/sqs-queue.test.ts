// The queue contract on ElasticMQ.
import { afterAll, beforeAll } from '@jest/globals';
import { queueContract } from '../contracts/queue.ts';
import { startElasticMq, type Peer } from './peer.ts';
import { openSqsQueue } from './queues.ts';

let peer: Peer | undefined;
beforeAll(async () => {
  peer = await startElasticMq();
}, 900_000);
afterAll(() => peer?.stop());

queueContract('SqsQueue on ElasticMQ', () => openSqsQueue(peer?.endpoint ?? '', '127.0.0.1', {}), {
  deduplicationAcrossGroups: 'it knows no DeduplicationScope: one id in two groups is one message; asserted per group on ministack',
  noFifoMoveTask:
    'a move task completes without having moved anything of a FIFO queue; asserted that the adapter moves the rest one by one',
  movesDeletedLetters: 'a move task also brings back dead letters that were deleted one by one; asserted where none was deleted before',
  realTime: 'that an id is forgotten after five minutes is asserted on the embedded queue',
});
