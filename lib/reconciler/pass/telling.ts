// Other workloads of the cluster that must look: stored before the pass acts, woken before it is done. What a crash left the next pass sends.
import type { Plan } from '../../kinds/plan.ts';
import type { Ports } from '../../ports/ports.ts';
import { wake } from '../head/wake.ts';
import { keptToStore } from '../head/kept.ts';
import type { Pass } from './pass.ts';

const MOST_TOLD = 64;

/** Takes over what the plan keeps and whom it tells; `intend` stores it. @throws KeptTooLargeError */
export function keepOf(pass: Pass, { head: { kept }, tells = [] }: Plan<object>): void {
  if (kept !== undefined) pass.state = { ...pass.state, kept: keptToStore(kept) };
  if (tells.length === 0) return;
  const byUid = new Map([...(pass.state.tells ?? []), ...tells].map((name) => [name.uid, name]));
  if (byUid.size > MOST_TOLD) throw new TypeError(`a plan tells ${byUid.size} other workloads, expected ${MOST_TOLD} at most`);
  pass.state = { ...pass.state, tells: [...byUid.values()] };
}

/** A wake that is sent twice leads to one pass more. */
export async function sendTells(ports: Pick<Ports, 'store' | 'queue' | 'clock'>, pass: Pass): Promise<void> {
  const { tells, ...state } = pass.state;
  if (!tells) return;
  for (const name of tells) await wake(ports, { cluster: pass.key.cluster, ...name });
  pass.state = state;
}
