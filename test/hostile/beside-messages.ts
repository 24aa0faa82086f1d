// Random bytes and costly messages in each queue, through the functions' handlers, and in views that lie in the table.
import { join } from 'node:path';
import { seededRandom } from '../../lib/adapters/embedded/seeded-chance.ts';
import { formatKey, type WorkloadKey } from '../../lib/objects/workload.ts';
import type { QueueName } from '../../lib/ports/queue.ts';
import { ingestBatch } from '../../lib/reconciler/ingest.ts';
import { encodeEvents } from '../../lib/wire/events.ts';
import { encodeAsk, encodeTimer, encodeWake } from '../../lib/wire/messages.ts';
import { embeddedPorts } from '../api/embedded-ports.ts';
import { check } from '../claims.ts';
import { sound } from './ingest-inputs.ts';
import { Instance } from './instance.ts';
import { LARGE_MESSAGES } from './large-messages.ts';
import { bytesOf, oddMessage } from './odd-messages.ts';
import { judgeRounds, OrdinaryJobs } from './ordinary-jobs.ts';

const ODD_MESSAGES = 150;
const ODD_PER_ROUND = 30;
const DAMAGED_VIEWS = 20;
/** Of processor time that a message may cost ingest: 300 ms, and twice that on a machine half as fast. */
const MESSAGE_MS = 600;

export async function besideMessages(folder: string, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const farloop = await Instance.start({ state: join(folder, 'functions-state') });
  try {
    const cluster = await farloop.ask('cluster', {});
    const key: WorkloadKey = { cluster: cluster.name, kind: 'Job', namespace: 'default', name: 'demo', uid: 'uid-of-demo' };
    for (let at = 0; at < DAMAGED_VIEWS; at++)
      await farloop.ask('damage', {
        key: { ...key, name: `damaged-${at}`, uid: `uid-of-damaged-${at}` },
        view: bytesOf(random, 500).toString('base64'),
        state: bytesOf(random, 60).toString('latin1'),
      });
    const messages = {
      events: encodeEvents(sound({ cluster: cluster.name, kubeSystemUid: cluster.kubeSystemUid })),
      wake: encodeWake({ key: formatKey(key), follows: 'fence' }),
      timer: encodeTimer({ key: formatKey(key), follows: 'fence', dueAtMs: 0, attempt: 1 }),
      ask: encodeAsk({ ask: 'everything', era: 0 }),
    };
    const relayQueue: QueueName = `relay-${cluster.name}`;
    // Made before: packing them takes longer than reading them.
    const odd = Array.from({ length: ODD_MESSAGES }, () => oddMessage(random, messages, relayQueue));
    const { ordinary, usualMs } = await OrdinaryJobs.measured(farloop, 'beside');
    const rounds: number[][] = [];
    for (let at = 0; at < odd.length; at += ODD_PER_ROUND) {
      const running = ordinary.round();
      running.catch(() => {});
      for (const [nth, { queue, body }] of odd.slice(at, at + ODD_PER_ROUND).entries())
        await farloop.ask('send', { queue, body, groupId: `odd-${at + nth}` });
      rounds.push(await running);
    }
    rounds.push(await ordinary.round());
    const where = `functions, ${ODD_MESSAGES} odd messages and ${DAMAGED_VIEWS} damaged views`;
    judgeRounds(where, usualMs, rounds);
    farloop.judgeMemory(where);
    check(
      (await farloop.ask('workloads', {})).some(({ state }) => state === 'Succeeded'),
      'functions: the list shows the ordinary Jobs',
    );
    await farloop.stop();
  } finally {
    farloop.kill();
  }
}

/** Messages about thousands of workloads: each workload is kept in a step of its own, and `bench decode` bounds their reading. */
const MANY_WORKLOADS = new Set(['as many reports of Jobs as are read', '10,000 digests']);

/** Each costly message by itself, from the queue's bytes to the view: what it takes of the processor, in the fastest of three times. */
export async function costlyMessages(): Promise<void> {
  let worst = { name: '', ms: 0 };
  for (const [name, make] of Object.entries(LARGE_MESSAGES)) {
    if (MANY_WORKLOADS.has(name)) continue;
    const body = make();
    let fastestMs = Infinity;
    for (let time = 0; time < 3; time++) {
      const ports = await embeddedPorts('local');
      const began = process.cpuUsage();
      await ingestBatch([{ messageId: 'it', receiptHandle: 'it', receiveCount: 1, sentAtMs: Date.now(), body, senderId: 'local' }], ports);
      const { user, system } = process.cpuUsage(began);
      ports.close();
      fastestMs = Math.min(fastestMs, (user + system) / 1_000);
    }
    check(fastestMs <= MESSAGE_MS, `messages: ${name} cost ingest ${fastestMs.toFixed(0)} ms, at most ${MESSAGE_MS} may be`);
    if (fastestMs > worst.ms) worst = { name, ms: fastestMs };
  }
  console.log(`hostile: messages: the costliest for ingest was ${worst.name}, ${worst.ms.toFixed(0)} ms`);
}
