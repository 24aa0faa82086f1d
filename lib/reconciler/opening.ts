// How a pass begins: it opens the workload's head, and from then on is the only one that may write it (R8, R9).
import type { WorkloadKey } from '../objects/workload.ts';
import type { ClusterRecord } from '../ports/clusters.ts';
import type { Ports } from '../ports/ports.ts';
import type { Head } from '../ports/store.ts';
import { StaleWriteError } from '../ports/store.ts';
import { createHead, wakeAnew } from './heads.ts';

/**
 * Replaces the fence by this pass's own.
 * @returns the head as opened, and 1 more than the attempt of the timer that stood there; undefined: overtaken at the door, and woken anew
 */
export async function open(
  ports: Pick<Ports, 'store' | 'queue' | 'clock'>,
  key: WorkloadKey,
  record: ClusterRecord,
  openedAtMs: number,
): Promise<{ head: Head; attempt: number } | undefined> {
  const { store, clock } = ports;
  const fence = clock.randomId();
  for (let time = 1; ; time++) {
    const before = (await store.readHead(key)) ?? (await createHead(ports, key, record));
    const attempt = (before.wake?.attempt ?? 0) + 1;
    try {
      // A timer set before this pass is none of the next one's: what comes while it is at work must set its own (R9).
      const head = await store.updateHead(key, { ifFence: before.fence }, { fence, openedAtMs, wake: null });
      return { head, attempt };
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
      const current = error.current as Head | undefined;
      // Our own try, repeated below us (R8).
      if (current?.fence === fence) return { head: current, attempt };
      // The table was lost between the two: nobody else is at work on it.
      if (current === undefined && time === 1) continue;
      await wakeAnew(ports, key, record);
      return undefined;
    }
  }
}
