// Work that was put off while a cluster was silent is enqueued again as soon as the cluster answers (R14).
import type { Ports } from '../../ports/ports.ts';
import { isKnownKind } from '../known-kinds.ts';
import { inParallel } from '../parallel.ts';
import { prepareWake } from './wake.ts';
import { StaleWriteError } from '../../ports/store.ts';

const PAGE = 200;
const WAKES_AT_ONCE = 16;

/**
 * Only heads with an attempt were put off; other timers stay as they are. Never throws: a wake that is not sent now has its timer, and
 * other workloads are not affected (R13).
 */
export async function resendPutOff(ports: Pick<Ports, 'store' | 'queue' | 'clock' | 'telemetry'>, cluster: string): Promise<void> {
  try {
    await resendAll(ports, cluster);
  } catch (error) {
    ports.telemetry.warn('work that was put off waits for its timers', { cluster, error });
  }
}

async function resendAll(ports: Pick<Ports, 'store' | 'queue' | 'clock' | 'telemetry'>, cluster: string): Promise<void> {
  let after: string | undefined;
  do {
    const page = await ports.store.workloads(cluster, { limit: PAGE, ...(after !== undefined && { after }) });
    await inParallel(page.keys.filter(isKnownKind), WAKES_AT_ONCE, async (key) => {
      try {
        const head = await ports.store.readHead(key);
        if (!head?.wake || head.wake.attempt === 0) return;
        const prepared = await prepareWake(ports, head, 'now');
        if (prepared) await ports.store.updateHead(key, { ifFence: prepared.ifFence }, prepared.change);
      } catch (error) {
        if (!(error instanceof StaleWriteError)) ports.telemetry.warn('work that was put off waits for its timer', { ...key, error });
      }
    });
    after = page.next;
  } while (after !== undefined);
}
