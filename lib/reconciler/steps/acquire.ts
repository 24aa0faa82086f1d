// The beginning of a pass: it acquires the workload's head. From then on only this pass may write the head (R8, R9).
import { findFacts } from '../../kinds/facts.ts';
import type { WorkloadKey } from '../../objects/workload.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Head } from '../../ports/store.ts';
import { StaleWriteError } from '../../ports/store.ts';
import { createHead, wakeAnew } from '../head/heads.ts';

export interface Acquired {
  head: Head;
  attempt: number;
  isEarly: boolean;
  isNext: boolean;
}

/**
 * Replaces the fence by this pass's own. The wake names the fence that its sender had read, so nothing is read first. If the head has
 * another fence by now, the refused write says which.
 * @param opening.follows the fence that the wake names; if absent, the head is read
 * @returns the head as acquired; 1 more than the attempt of the timer that it held; `isEarly`: that timer was not due yet, so a change led to
 * this pass; `isNext`: no other pass has acquired the head since the wake was sent, nor begun with it and died. Undefined: this pass was overtaken before it began, and the workload is woken anew
 */
export async function acquire(
  ports: Pick<Ports, 'store' | 'queue' | 'clock'>,
  key: WorkloadKey,
  record: ClusterRecord,
  { openedAtMs, follows, wasDelivered = false }: { openedAtMs: number; follows: string | undefined; wasDelivered?: boolean },
): Promise<Acquired | undefined> {
  const { store, clock } = ports;
  const fence = clock.randomId();
  // No report of a relay shows what a provider's task has come to: if this pass is lost, sweep must find the head, and not at its old timer.
  const pending = findFacts(key.kind)?.hasTasks ? { pendingSinceMs: openedAtMs } : {};
  const fenceThere = async (): Promise<string> => ((await store.readHead(key)) ?? (await createHead(ports, key, record))).fence;
  let replaces = follows ?? (await fenceThere());
  let isHearsay = follows !== undefined;
  const isNext = (): boolean => isHearsay && !wasDelivered;
  for (let time = 1; ; time++) {
    try {
      // A timer set before this pass does not count for the next one. A change that arrives while this pass runs must set its own timer
      // (R9).
      const head = await store.updateHead(key, { ifFence: replaces }, { fence, openedAtMs, wake: null, ...pending });
      const { attempt = 0, dueAtMs = 0 } = head.replacedWake ?? {};
      return { head, attempt: attempt + 1, isEarly: dueAtMs > openedAtMs, isNext: isNext() };
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
      const current = error.current as Head | undefined;
      // Our own write, repeated by a layer below (R8). The first try removed the timer, and with it the number of attempts.
      if (current?.fence === fence) return { head: current, attempt: 1, isEarly: false, isNext: isNext() };
      // A wake that names an earlier fence acquires the head all the same. If the table lost the head, no other pass is at work on it.
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
