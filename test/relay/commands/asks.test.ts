// Whose business asks and commands are: of several replicas, of the one that sends.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EmbeddedQueue } from '../../../lib/adapters/embedded/queue.ts';
import { RecordingTelemetry } from '../../world/recording-telemetry.ts';
import { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import { PODS } from '../../../lib/objects/resources.ts';
import { deadlineIn } from '../../../lib/ports/clock.ts';
import { startRelay } from '../../../lib/relay/relay.ts';
import type { Relay } from '../../../lib/relay/relay.ts';
import type { Sandbox } from '../../../lib/sandbox/sandbox.ts';
import { startSandbox } from '../../../lib/sandbox/sandbox.ts';
import { encodeCommands, LEFT_MS_MAX } from '../../../lib/wire/commands.ts';
import { until } from '../../claims.ts';

const clock = new SystemClock();
const QUEUE = 'relay-far';
let sandbox: Sandbox;
let api: KubernetesCluster;
let queue: EmbeddedQueue;
let relays: Relay[];

beforeEach(async () => {
  sandbox = await startSandbox();
  const { url, caPem, token } = sandbox;
  api = new KubernetesCluster({ access: { server: url, caPem, auth: { kind: 'token', token } }, clock });
  queue = EmbeddedQueue.open({ clock });
  relays = [];
});

afterEach(async () => {
  for (const relay of relays) await relay.stop();
  queue.close();
  api.close();
  await sandbox.stop();
});

/** @param from what this replica receives through, where it is not the queue itself */
async function replica({ standby, from = queue }: { standby: boolean; from?: EmbeddedQueue }): Promise<Relay> {
  const setup = {
    source: api,
    executor: api,
    commander: 'local',
    queue: from,
    clock,
    telemetry: new RecordingTelemetry(),
    cluster: 'far',
    era: 0,
  };
  const relay = startRelay({ ...setup, manages: ['all-jobs'], namespaces: [], standby });
  relays.push(relay);
  await relay.ready;
  return relay;
}

async function command(name: string): Promise<void> {
  const container = { name: 'work', image: 'busybox:1.37' };
  const body = { metadata: { name, namespace: 'default' }, spec: { containers: [container] } };
  const untilMs = clock.nowMs() + 20_000;
  const create = {
    verb: 'create' as const,
    apiVersion: 'v1',
    plural: 'pods',
    namespace: 'default',
    name,
    body,
    untilMs,
    leftMs: LEFT_MS_MAX,
  };
  const message = { cluster: 'far', id: clock.randomId(), secret: clock.randomId(), commands: [create] };
  await queue.send(QUEUE, [{ body: encodeCommands(message) }]);
}

const pods = async (): Promise<(string | undefined)[]> =>
  (await api.list(PODS, { namespace: 'default' }, deadlineIn(clock, 30_000))).items.map(({ metadata }) => metadata.name);

describe('commands', () => {
  test('are received and carried out by the replica that sends, and by no other', async () => {
    const waiting = await replica({ standby: true });
    await replica({ standby: true });
    await command('first');
    // Neither receives it: a command that was received by one and comes again is not carried out any more.
    expect(await queue.depth(QUEUE)).toMatchObject({ visible: 1, inFlight: 0 });
    expect(await pods()).toEqual([]);
    waiting.lead();
    await until('the one that sends carries it out', async () => (await pods()).includes('first'));
    waiting.rest();
    await command('second');
    expect(await queue.depth(QUEUE)).toMatchObject({ visible: 1, inFlight: 0 });
    expect(await pods()).toEqual(['first']);
  });

  test('that come as a replica begins to rest are not begun, and lie there for the other one at once', async () => {
    let resting: Relay | undefined;
    const last = new Proxy(queue, {
      get: (target, property) => {
        if (property !== 'receive') {
          const value: unknown = Reflect.get(target, property);
          return typeof value === 'function' ? value.bind(target) : value;
        }
        return async (...asked: Parameters<EmbeddedQueue['receive']>) => {
          const messages = await target.receive(...asked);
          if (messages.length > 0) resting?.rest();
          return messages;
        };
      },
    });
    resting = await replica({ standby: false, from: last });
    await command('late');
    await until('it is given back', async () => {
      const { visible, inFlight } = await queue.depth(QUEUE);
      return visible + inFlight === 1 && inFlight === 0 && resting.status().watches.length > 0;
    });
    const [found] = await queue.receive(QUEUE, { max: 10, waitSeconds: 5, visibilitySeconds: 30 });
    expect(found).toBeDefined();
    expect(await pods()).toEqual([]);
  });
});
