// Another operator at work on a job, as the job's managed fields show it: who else writes the status, and when last. Beside it nothing is
// written.
import type { ManagedFieldsEntry, ObjectMeta } from '../../../objects/kubernetes.ts';
import { secondsOf } from '../../../objects/values/unix-seconds.ts';

/** How Farloop's own writes are signed. */
const OURS = 'farloop';
/** A person who writes a status by hand is no operator. */
const BY_HAND = /^kubectl\b/;
const LONGEST_MANAGER = 128;
/** An operator that has been silent for so long is taken to be gone. */
export const SILENCE_SECONDS = 120;

export interface OtherOperator {
  /** The name that its requests have: of upstream's images `manager`. */
  manager: string;
  /** Unix seconds of its latest write. */
  wroteAt: number;
  /** Until its silence is long enough; above 0. */
  remainingSeconds: number;
}

/** Of the entries the latest status write of another operator, and that of Farloop; empty if no other has ever written one. */
export function statusWritesIn({ managedFields = [] }: ObjectMeta): ManagedFieldsEntry[] {
  const writes = managedFields.filter(({ subresource, time }) => subresource === 'status' && time !== undefined);
  const other = latestOf(writes.filter(({ manager = '' }) => manager !== OURS && !BY_HAND.test(manager)));
  const ours = latestOf(writes.filter(({ manager }) => manager === OURS));
  return other ? [other, ...(ours ? [ours] : [])].map(plainOf) : [];
}

const latestOf = (writes: readonly ManagedFieldsEntry[]): ManagedFieldsEntry | undefined =>
  writes.toSorted((a, b) => (secondsOf(b.time) ?? 0) - (secondsOf(a.time) ?? 0))[0];

const plainOf = ({ manager = '', subresource, time }: ManagedFieldsEntry): ManagedFieldsEntry => ({
  manager: manager.slice(0, LONGEST_MANAGER),
  ...(subresource !== undefined && { subresource }),
  ...(time !== undefined && { time }),
});

/**
 * The operator whose latest write of the status is no older than Farloop's own and less than two minutes old. Times have whole seconds: at one
 * and the same the other one counts.
 * @param now Unix seconds by the cluster's clock
 */
export function otherOperatorIn(metadata: ObjectMeta, now: number): OtherOperator | undefined {
  const [other, ours] = statusWritesIn(metadata);
  const wroteAt = secondsOf(other?.time);
  if (!other || wroteAt === undefined || wroteAt < (secondsOf(ours?.time) ?? 0)) return undefined;
  // A time ahead was written before the clock was set back: no wait is longer than the silence.
  const remainingSeconds = Math.min(wroteAt + SILENCE_SECONDS - now, SILENCE_SECONDS);
  return remainingSeconds > 0 ? { manager: other.manager ?? '', wroteAt, remainingSeconds } : undefined;
}

export const otherOperatorText = (kind: string, { manager }: Pick<OtherOperator, 'manager'>): string =>
  `another operator, whose writes are signed ${JSON.stringify(manager)}, works on this ${kind}: Farloop writes nothing for it until that one has been silent for ${SILENCE_SECONDS / 60} minutes`;
