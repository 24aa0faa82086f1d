// Work that was put off while a cluster was silent is enqueued again as soon as the cluster answers (R14).
import type { WorkloadKey } from '../../objects/workload.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Reachability } from './reachability.ts';
import { isKnownKind } from '../invocation/known-kinds.ts';
import { inParallel } from '../invocation/parallel.ts';
import { prepareWake } from '../head/wake.ts';
import { StaleWriteError } from '../../ports/store.ts';

const PAGE = 200;
const WAKES_AT_ONCE = 16;

type ResendPorts = Pick<Ports, 'store' | 'queue' | 'clock' | 'telemetry'>;

/**
 * Only heads with an attempt were put off; other timers stay as they are. Never throws: a wake that is not sent now has its timer, and
 * other workloads are not affected (R13).
 */
export async function resendPutOff(ports: ResendPorts, cluster: string): Promise<void> {
  try {
    await resendAll(ports, cluster);
  } catch (error) {
    ports.telemetry.warn('work that was put off waits for its timers', { cluster, error });
  }
}

/**
 * For a pass that put its work off, once its wake is stored. The cluster may have answered since the pass asked, and resendPutOff may have
 * read the head before the wake was in it. Never throws, as resendPutOff.
 */
export async function resendIfAnswered(ports: ResendPorts, reachability: Pick<Reachability, 'isOpen'>, key: WorkloadKey): Promise<void> {
  try {
    if (await reachability.isOpen(key)) await resend(ports, key);
  } catch (error) {
    ports.telemetry.warn('work that was put off waits for its timer', { ...key, error });
  }
}

async function resendAll(ports: ResendPorts, cluster: string): Promise<void> {
  let after: string | undefined;
  do {
    const page = await ports.store.workloads(cluster, { limit: PAGE, ...(after !== undefined && { after }) });
    await inParallel(page.keys.filter(isKnownKind), WAKES_AT_ONCE, async (key) => await resend(ports, key));
    after = page.next;
  } while (after !== undefined);
}

async function resend(ports: ResendPorts, key: WorkloadKey): Promise<void> {
  try {
    const head = await ports.store.readHead(key);
    if (!head?.wake || head.wake.attempt === 0) return;
    const prepared = await prepareWake(ports, head, 'now');
    if (prepared) await ports.store.updateHead(key, { ifFence: prepared.ifFence }, prepared.change);
  } catch (error) {
    if (!(error instanceof StaleWriteError)) ports.telemetry.warn('work that was put off waits for its timer', { ...key, error });
  }
}
