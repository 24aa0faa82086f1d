// A pass's share in knowing whether its cluster answers: it waits, probes, and notes an answer (R14).
import { resendPutOff } from '../cluster/resend.ts';
import type { Pass } from '../pass/pass.ts';
import type { Loop } from './loop.ts';

type Reaching = Pick<Loop, 'ports' | 'reachability'>;

/** A probing pass must contact the API server, or the cluster stays marked unreachable. @throws OwnerGoneError */
export async function probe(pass: Pass, { checksRights }: { checksRights: boolean }): Promise<void> {
  await pass.known.readOwner();
  if (checksRights) await pass.known.children.list();
}

/** If the cluster answered this pass after a silence, work that was put off is enqueued again. */
export async function noteAnswer({ ports, reachability }: Reaching, pass: Pass): Promise<void> {
  if (!pass.known.live && !pass.known.listed && pass.decided.actions.length === 0) return;
  if (await reachability.sawAnswer(pass.key, pass.startedAtMs)) await resendPutOff(ports, pass.key.cluster);
}

/**
 * A defect of this workload must not delay others (R13). The pass did not find out whether the cluster allows everything that passes do.
 */
export async function noteLook({ ports, reachability }: Reaching, pass: Pass): Promise<void> {
  if (!pass.known.live) return;
  if (await reachability.lookAnswered(pass.key, pass.startedAtMs)) await resendPutOff(ports, pass.key.cluster);
}
