// The queue contract on ElasticMQ.
import { afterAll, beforeAll } from '@jest/globals';
import { queueContract } from '../contracts/queue.ts';
import { startElasticMq, type Peer } from './peer.ts';
import { openSqsQueue } from './queues.ts';

let peer: Peer | undefined;
beforeAll(async () => {
  peer = await startElasticMq();
}, 180_000);
afterAll(() => peer?.stop());

queueContract('SqsQueue on ElasticMQ', () => openSqsQueue(peer?.endpoint ?? '', '127.0.0.1', {}), {
  deduplicationAcrossGroups: 'it knows no DeduplicationScope: one id in two groups is one message; asserted per group on ministack',
  realTime: 'that an id is forgotten after five minutes is asserted on the embedded queue',
});
