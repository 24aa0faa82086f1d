// The first look at an unknown workload: nothing is created, deleted or counted before its children were listed live (R1).
import { hasChildren } from '../../kinds/rows/child.ts';
import { initialState, statusDigestOf } from '../head/pass-state.ts';
import { lowestFreeNumber } from '../live/settle.ts';
import type { Ending } from '../pass/ending.ts';
import type { Pass } from '../pass/pass.ts';
import { fightText, parkedEnding } from '../planning/parking.ts';
import { rivalOf } from '../planning/planning.ts';
import type { Loop } from './loop.ts';

/** @returns how the pass ends; undefined if it goes on. @throws OwnerGoneError */
export async function getToKnow({ ports, options }: Pick<Loop, 'ports' | 'options'>, pass: Pass): Promise<Ending | undefined> {
  const waitMs = await lookAround({ ports, options }, pass);
  const rival = rivalOf(ports.clock, pass);
  if (rival !== undefined) return parkedEnding(ports, pass, fightText(pass, rival));
  return waitMs > 0 ? { outcome: 'unknown', againInMs: waitMs } : undefined;
}

/** @returns milliseconds to wait, 0 to go on */
async function lookAround({ ports: { clock }, options }: Pick<Loop, 'ports' | 'options'>, pass: Pass): Promise<number> {
  const { owner } = await pass.known.readOwner();
  // A suspended workload has neither a start time nor pods, but it has a status, so a controller has worked on it.
  const hasStatus = Object.keys(owner.status ?? {}).length > 0;
  // An invalidated head still holds the intents of all earlier passes. They are settled, not waited for.
  const isNew = pass.pending.state.listedEra === undefined;
  const leftMs = pass.pending.head.bornAtMs + options.unknownMs - clock.nowMs();
  const mayBeWorkedOn = (): boolean => {
    // Pods without a controller prove nothing: pods to adopt existed before the workload.
    const hadStarted = hasStatus || [...pass.known.pods].some(({ controller }) => controller !== undefined);
    // Of other kinds no earlier pass can still be making anything: what it writes is the owner's, and names its version.
    const mayBeMaking = hasChildren(pass.facts) ? hadStarted : pass.facts.hasTasks === true && pass.facts.hasStarted(owner);
    return isNew && mayBeMaking && !pass.facts.isFinished(owner) && leftMs > 0;
  };
  // No list before the wait is over, where none is needed: a second one removes the tombstones of pods that no pass has planned with.
  if (!mayBeWorkedOn()) {
    await pass.known.children.list({ isUnknown: hasStatus });
  }
  if (mayBeWorkedOn()) {
    pass.decided.why.push('what was known of it is lost: it is left alone until no earlier pass can be at work on it');
    return leftMs;
  }
  const isOfThisEra = pass.pending.state.listedEra === pass.record.era;
  pass.pending.state = {
    ...pass.pending.state,
    listedEra: pass.record.era,
    // State from before an API server was restored must not decide anything (R3).
    ...(!isOfThisEra && { failure: undefined, backoff: initialState().backoff }),
    ordinal: lowestFreeNumber(pass),
    // This status was found, not written by us. A change of it from now on is another writer's (R18).
    statusDigest: statusDigestOf(owner.status),
  };
  return 0;
}
