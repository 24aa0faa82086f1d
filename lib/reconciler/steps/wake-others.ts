// Other workloads of the cluster that must be woken. They are stored before the pass acts and woken before it ends. After a crash the next
// pass wakes them.
import type { Plan } from '../../kinds/rows/plan.ts';
import type { Ports } from '../../ports/ports.ts';
import { wakeAnew } from '../head/heads.ts';
import { wake } from '../head/wake.ts';
import { keptToStore } from '../head/kept.ts';
import type { Pass } from '../pass/pass.ts';

const MOST_TOLD = 512;

/** Takes over what the plan keeps and which workloads it wakes; `intend` stores both. @throws KeptTooLargeError */
export function keepOf(pass: Pass, { head: { kept }, tells = [] }: { head: { kept?: object }; tells?: Plan<object>['tells'] }): void {
  if (kept !== undefined) pass.pending.state = { ...pass.pending.state, kept: keptToStore(kept, pass.row.kept) };
  if (tells.length === 0) return;
  const byUid = new Map([...(pass.pending.state.tells ?? []), ...tells].map((name) => [name.uid, name]));
  if (byUid.size > MOST_TOLD) throw new TypeError(`a plan tells ${byUid.size} other workloads, expected ${MOST_TOLD} at most`);
  pass.pending.state = { ...pass.pending.state, tells: [...byUid.values()] };
}

/** A wake that is sent twice only causes one more pass. */
export async function sendTells(ports: Pick<Ports, 'store' | 'queue' | 'clock'>, pass: Pass): Promise<void> {
  const { tells, ...state } = pass.pending.state;
  if (!tells) return;
  for (const { evenUnknown, ...name } of tells) {
    const key = { cluster: pass.key.cluster, ...name };
    if (evenUnknown) await wakeAnew(ports, key, pass.record);
    else await wake(ports, key);
  }
  pass.pending.state = state;
}
