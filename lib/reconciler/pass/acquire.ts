// How a pass begins: it opens the workload's head, and from then on is the only one that may write it (R8, R9).
import type { WorkloadKey } from '../../objects/workload.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Head } from '../../ports/store.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { createHead, wakeAnew } from '../head/heads.ts';

/**
 * Replaces the fence by this pass's own. The wake tells which fence that is, as whoever sent it had read it: so nothing is read before, and
 * where another one stands there by now, the refusal says which.
 * @param opening.follows as the wake tells; where nothing does, the head is read
 * @returns the head as opened; 1 more than the attempt of the timer that stood there; whether no pass had opened since the wake was sent.
 * Undefined: overtaken at the door, and woken anew
 */
export async function open(
  ports: Pick<Ports, 'store' | 'queue' | 'clock'>,
  key: WorkloadKey,
  record: ClusterRecord,
  { openedAtMs, follows }: { openedAtMs: number; follows: string | undefined },
): Promise<{ head: Head; attempt: number; isNext: boolean } | undefined> {
  const { store, clock } = ports;
  const fence = clock.randomId();
  const fenceThere = async (): Promise<string> => ((await store.readHead(key)) ?? (await createHead(ports, key, record))).fence;
  let replaces = follows ?? (await fenceThere());
  let isHearsay = follows !== undefined;
  for (let time = 1; ; time++) {
    try {
      // A timer set before this pass is none of the next one's: what comes while it is at work must set its own (R9).
      const head = await store.updateHead(key, { ifFence: replaces }, { fence, openedAtMs, wake: null });
      return { head, attempt: (head.replacedWake?.attempt ?? 0) + 1, isNext: isHearsay };
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
      const current = error.current as Head | undefined;
      // Our own try, repeated below us (R8): it took off what told how often work had been put off.
      if (current?.fence === fence) return { head: current, attempt: 1, isNext: isHearsay };
      // A wake of an earlier fence opens a pass all the same; and where the table was lost, nobody else is at work on it.
      if (isHearsay || (current === undefined && time === 1)) {
        replaces = current?.fence ?? (await fenceThere());
        isHearsay = false;
        continue;
      }
      await wakeAnew(ports, key, record);
      return undefined;
    }
  }
}
