// The report of a pass once it has ended: log line, metrics, record.
import type { Ports } from '../../ports/ports.ts';
import { digestOf } from '../../wire/words/digest.ts';
import { UnrecordableError } from '../../wire/snapshot.ts';
import type { Ending } from '../pass/ending.ts';
import type { Pass, Planned } from '../pass/pass.ts';
import { countWork } from './pass-metrics.ts';
import { CHILDREN_IN_SNAPSHOT, snapshotOf } from './recorded-plan.ts';
import { countPass } from './sync-metrics.ts';

/**
 * A record that cannot be kept does not fail the pass.
 * @param sinceMs since when there was work: the queue took the change, or a timer was due; Unix milliseconds
 */
export async function reportPass(
  { recorder, telemetry, clock }: Pick<Ports, 'recorder' | 'telemetry' | 'clock'>,
  pass: Pass,
  { ending: { outcome, error }, sinceMs, nextWakeAtMs }: { ending: Ending; sinceMs: number | undefined; nextWakeAtMs: number | undefined },
): Promise<void> {
  const durationMs = clock.nowMs() - pass.startedAtMs;
  countPass(telemetry, pass, { durationMs, outcome });
  // If the flight recorder writes to the same log, its line contains all of this.
  if (!recorder.isInLog)
    telemetry.info('reconciled', {
      ...pass.key,
      passId: pass.fence,
      outcome,
      durationMs,
      ...(error instanceof Error && { error: error.message }),
    });
  const lagMs = sinceMs === undefined ? undefined : clock.nowMs() - sinceMs;
  countWork(telemetry, pass, { outcome, durationMs, lagMs });
  const { planned } = pass.decided;
  const { pods: ofPods, children: others } = pass.facts;
  const recorded = {
    key: pass.key,
    passId: pass.fence,
    startedAtMs: pass.startedAtMs,
    durationMs,
    outcome,
    why: pass.decided.why,
    saw: {
      ...(ofPods && {
        pods: pass.known.pods.size,
        ...(pass.known.pods.size <= CHILDREN_IN_SNAPSHOT && { digest: digestOf(pass.known.pods) }),
      }),
      resourceVersion: pass.known.owner?.metadata.resourceVersion ?? '',
      live: pass.known.live !== undefined,
      ...((ofPods ?? others.length > 0) && { listed: pass.known.listed }),
    },
    actions: pass.decided.actions,
    ...(nextWakeAtMs !== undefined && { nextWakeAtMs }),
    ...(error instanceof Error && { error: error.message }),
  };
  await recorder
    .append(recorded, planned && ((): Uint8Array | undefined => recordedSnapshot(telemetry, pass, planned)))
    .catch((cause: unknown) => telemetry.warn('pass not recorded', { ...pass.key, error: cause }));
}

/** A snapshot that may not be stored is left out, and the pass is recorded without it. */
function recordedSnapshot(telemetry: Ports['telemetry'], pass: Pass, planned: Planned): Uint8Array | undefined {
  try {
    return snapshotOf(planned, { factsOf: (owner) => pass.facts.factsOf(owner), ...pass.row });
  } catch (error) {
    if (!(error instanceof UnrecordableError)) throw error;
    telemetry.error('snapshot not recorded', { ...pass.key, error });
    return undefined;
  }
}
