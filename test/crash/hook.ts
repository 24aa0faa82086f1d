// Preloaded into `farloop up` (node --import): kills its own process at one seeded moment. The product knows nothing of it.
import { KubernetesCluster } from '../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { EmbeddedQueue } from '../../lib/adapters/embedded/queue.ts';
import { EmbeddedStore } from '../../lib/adapters/embedded/store.ts';
import type { HeadChange } from '../../lib/ports/store.ts';
import { CHAOS_VARIABLE, LATE_VARIABLE, MOMENT_VARIABLE, MOMENTS, SKIP_VARIABLE } from './moments.ts';
import type { Moment } from './moments.ts';

const wanted = MOMENTS.find((moment) => moment === process.env[MOMENT_VARIABLE]);
let left = Number(process.env[SKIP_VARIABLE] ?? 0);

function reached(moment: Moment): void {
  if (moment !== wanted || left-- > 0) return;
  process.stderr.write(`crash: killed ${moment}\n`);
  process.kill(process.pid, 'SIGKILL');
}

type Method = (...given: never[]) => Promise<unknown>;

/** Puts `before` and `after` around a method; both see the arguments. */
function around(
  prototype: object,
  name: string,
  { before, after }: { before?: (given: unknown[]) => void; after?: (given: unknown[]) => void },
): void {
  const original = Reflect.get(prototype, name) as Method;
  Reflect.set(prototype, name, async function wrapped(this: unknown, ...given: unknown[]): Promise<unknown> {
    before?.(given);
    const result = await Reflect.apply(original, this, given);
    after?.(given);
    return result;
  });
}

const isPod = (given: unknown): boolean => (given as { kind?: string }).kind === 'Pod';
const holdsIntents = (change: HeadChange): boolean => change.state?.includes('"i":') ?? false;

// What has been done on the cluster since the view was last written.
let acted = 0;
let statusWritten = false;

around(EmbeddedQueue.prototype, 'send', {
  before: ([queue]) => {
    if (queue === 'events') reached('relay before a send');
    if (queue === 'wakes' || queue === 'timers') reached('between merge and wake');
  },
});
around(EmbeddedStore.prototype, 'updateHead', {
  before: ([, , change]) => {
    if (acted > 0 && !holdsIntents(change as HeadChange)) reached('between act and record');
  },
  after: ([, , change]) => {
    acted = 0;
    if (holdsIntents(change as HeadChange)) reached('between intent and act');
  },
});
around(EmbeddedStore.prototype, 'putItem', {
  before: () => {
    if (acted > 0) reached('between act and record');
  },
});
around(KubernetesCluster.prototype, 'create', {
  after: ([resource]) => {
    if (!isPod(resource)) return;
    acted += 1;
    reached('in a wave of creates');
  },
});
around(KubernetesCluster.prototype, 'patch', {
  before: ([resource]) => {
    if (isPod(resource) && statusWritten) reached('between status and finalizer');
  },
  after: ([resource]) => {
    acted += 1;
    statusWritten = !isPod(resource);
  },
});

const chaosSeed = process.env[CHAOS_VARIABLE];
if (chaosSeed !== undefined) {
  const chaos = { seed: Number(chaosSeed), duplicates: 3, maxDelayMs: Number(process.env[LATE_VARIABLE]) };
  const open = EmbeddedQueue.open.bind(EmbeddedQueue);
  EmbeddedQueue.open = (options) => open({ ...options, chaos });
}
