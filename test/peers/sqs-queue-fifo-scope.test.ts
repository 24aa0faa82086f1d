// The queue contract on ministack, which knows DeduplicationScope.
import { afterAll, beforeAll } from '@jest/globals';
import { queueContract } from '../contracts/queue.ts';
import { startMinistack, type Peer } from './peer.ts';
import { openSqsQueue } from './queues.ts';

let peer: Peer | undefined;
beforeAll(async () => {
  peer = await startMinistack();
}, 900_000);
afterAll(() => peer?.stop());

queueContract(
  'SqsQueue on ministack',
  () =>
    openSqsQueue(peer?.endpoint ?? '', '000000000000', { DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' }),
  {
    noMoveTask: 'StartMessageMoveTask answers InvalidAction: dead letters go back one by one; asserted as a task on ElasticMQ',
    realTime: 'that an id is forgotten after five minutes is asserted on the embedded queue',
  },
);
