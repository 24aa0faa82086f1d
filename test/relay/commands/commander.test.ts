// R15: whose commands a relay carries out. Emulators of SQS give all senders one identity, so senders here are made up, as SQS tells them.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { RecordingTelemetry } from '../../world/recording-telemetry.ts';
import { VirtualClock } from '../../world/virtual-clock.ts';
import { SqsQueue } from '../../../lib/adapters/sqs/sqs-queue.ts';
import type { Cluster } from '../../../lib/ports/cluster.ts';
import { answerAsks } from '../../../lib/relay/commands/asks.ts';
import { Commands } from '../../../lib/relay/commands/commands.ts';
import type { Command } from '../../../lib/wire/commands.ts';
import { encodeCommands, LEFT_MS_MAX } from '../../../lib/wire/commands.ts';
import { encodeAsk } from '../../../lib/wire/messages.ts';
import type { RelayAsk } from '../../../lib/wire/words/observations.ts';
import { wirelessSqs } from '../../adapters/wireless-sqs.ts';

const RECONCILE = 'AROARECONCILE';
const OTHERS = ['AROAINGEST:farloop-prod-ingest', 'AROATIMERS:farloop-prod-timers', 'AROASWEEP:s', 'AROAAPI:a', 'AIDASOMEBODY', undefined];

const clock = new VirtualClock();
const pod = { metadata: { name: 'a', namespace: 'work' }, spec: { containers: [] } };
const aim = { apiVersion: 'v1', plural: 'pods', namespace: 'work', name: 'a', untilMs: clock.nowMs() + 20_000, leftMs: LEFT_MS_MAX };
const COMMANDS: Command[] = [
  { ...aim, verb: 'create', body: pod },
  { ...aim, verb: 'delete', uid: 'u' },
  { ...aim, verb: 'patch', uid: 'u', patchType: 'merge', body: {} },
  { ...aim, verb: 'get' },
];

interface Relay {
  carriedOut: string[];
  asked: RelayAsk[];
  answers: string[];
  deleted: string[];
  telemetry: RecordingTelemetry;
}

/** What a relay does with messages of these senders: an ask and all commands of each, as SQS hands them out. */
async function received(senders: readonly (string | undefined)[], commander: string | undefined): Promise<Relay> {
  const ending = new AbortController();
  const relay: Relay = { carriedOut: [], asked: [], answers: [], deleted: [], telemetry: new RecordingTelemetry() };
  const bodies = (): string[] => [
    encodeCommands({ cluster: 'far', id: clock.randomId(), secret: clock.randomId(), commands: COMMANDS }),
    encodeAsk({ ask: 'everything', era: 0 }),
  ];
  const pages = senders.map((sender) =>
    bodies().map((Body, at) => ({
      MessageId: `${sender}-${at}`,
      ReceiptHandle: `${sender}-${at}`,
      Body,
      Attributes: { ApproximateReceiveCount: '1', SentTimestamp: String(clock.nowMs()), ...(sender !== undefined && { SenderId: sender }) },
    })),
  );
  const client = wirelessSqs((name, input) => {
    if (name === 'DeleteMessageBatchCommand')
      for (const { ReceiptHandle } of (input as { Entries: { ReceiptHandle: string }[] }).Entries) relay.deleted.push(ReceiptHandle);
    if (name === 'SendMessageBatchCommand')
      for (const { MessageBody } of (input as { Entries: { MessageBody: string }[] }).Entries) relay.answers.push(MessageBody);
    if (name !== 'ReceiveMessageCommand') return {};
    const Messages = pages.shift();
    if (!Messages) ending.abort();
    return { Messages: Messages ?? [] };
  });
  const urls = { events: { url: 'https://q/events', deadLetterUrl: '' }, 'relay-far': { url: 'https://q/far', deadLetterUrl: '' } };
  const queue = new SqsQueue({ client, urls, clock });
  const called = async (verb: string): Promise<never> => {
    relay.carriedOut.push(verb);
    throw new Error('no matter');
  };
  const verbs = ['get', 'list', 'create', 'delete', 'patch'] as const;
  const executor = Object.fromEntries(verbs.map((verb) => [verb, async () => await called(verb)])) as unknown as Cluster;
  const { telemetry } = relay;
  const common = { queue, clock, telemetry, cluster: 'far' };
  const commands = new Commands({ ...common, executor, commander, namespaces: [], kubeSystemUid: () => 'uid' });
  await answerAsks({ ...common, commands, answer: async (ask) => void relay.asked.push(ask), signal: ending.signal });
  await clock.advance(100);
  return relay;
}

const refusals = ({ telemetry }: Relay): number => telemetry.sum('RefusedCommands');
const errors = ({ telemetry }: Relay): unknown[] => telemetry.lines.filter(({ level }) => level === 'error');

describe('R15: commands', () => {
  let relay: Relay;

  describe('of the commander', () => {
    beforeEach(async () => {
      relay = await received([`${RECONCILE}:farloop-prod-reconcile`], RECONCILE);
    });
    test('are carried out and answered', () => {
      expect(relay.carriedOut.toSorted()).toEqual(['create', 'delete', 'get', 'patch']);
      expect(relay.answers.length).toBeGreaterThan(0);
      expect([refusals(relay), errors(relay)]).toEqual([0, []]);
    });
  });

  describe('of anybody else', () => {
    beforeEach(async () => {
      relay = await received([...OTHERS, ...OTHERS], RECONCILE);
    });
    test('are neither carried out nor answered, and are gone; what they ask is answered', () => {
      expect([relay.carriedOut, relay.answers]).toEqual([[], []]);
      expect(relay.asked).toHaveLength(2 * OTHERS.length);
      expect(new Set(relay.deleted).size).toBe(2 * OTHERS.length);
    });
    test('are counted each, and each sender is told of once', () => {
      expect(refusals(relay)).toBe(2 * OTHERS.length);
      expect(errors(relay)).toHaveLength(OTHERS.length);
    });
  });

  test('a relay that was not told whose to take carries out nobody’s, says so once, and answers what to do', async () => {
    for (const commander of [undefined, '']) {
      relay = await received([`${RECONCILE}:s`, ...OTHERS], commander);
      expect(relay.carriedOut).toEqual([]);
      expect(relay.asked).toHaveLength(1 + OTHERS.length);
      expect([refusals(relay), errors(relay).length]).toEqual([1 + OTHERS.length, 1]);
      expect(relay.answers.length).toBeGreaterThan(0);
    }
  });

  test('a sender whose id begins with the commander’s, or names it as its session, is another one', async () => {
    relay = await received([`${RECONCILE}X:s`, `AROAX:${RECONCILE}`, `x${RECONCILE}`], RECONCILE);
    expect([relay.carriedOut, refusals(relay)]).toEqual([[], 3]);
  });
});
