// Recorded passes in the API: times as texts, many similar actions as one line.
import type { PassRecord } from '../ports/recorder.ts';
import { isOfPrefix, namePrefixOf } from '../objects/child-names.ts';
import { timeText } from '../objects/values/time-text.ts';

type ActionLine = PassRecord['actions'][number];

export type ToldPass = Omit<PassRecord, 'startedAtMs' | 'nextWakeAtMs'> & { startTime: string; nextWakeTime?: string };

/** An action that a person repeated, for its answer was lost, may stand in the record twice: it was done once. */
export const toldPasses = (passes: readonly PassRecord[]): ToldPass[] =>
  passes.filter(({ by, passId }, at) => by === undefined || passes.findLastIndex((other) => other.passId === passId) === at).map(toldPass);

/**
 * Passes that made, counted or removed pods of a Job's index, as far as the record says. Of several pods that were counted in a row it names
 * the first alone: such a pass is among them if it came after the index's latest pod was made.
 * @param passes newest first
 */
export function passesOfIndex(passes: readonly PassRecord[], name: string, index: number): PassRecord[] {
  const prefix = namePrefixOf(name, index);
  const isOfIndex = ({ target }: ActionLine): boolean => isOfPrefix(target, prefix);
  const made = passes.findIndex(({ actions }) => actions.some((action) => action.verb === 'create' && isOfIndex(action)));
  const since = made === -1 ? passes.length : made;
  return passes.flatMap((pass, at) => {
    const actions = pass.actions.filter((action) => isOfIndex(action) || (at <= since && action.verb === 'strip' && countOf(action) > 1));
    return actions.length === 0 ? [] : [{ ...pass, actions }];
  });
}

export function toldPass({ startedAtMs, nextWakeAtMs, actions, ...pass }: PassRecord): ToldPass {
  return {
    ...pass,
    actions: joinedActions(actions),
    startTime: timeText(startedAtMs),
    ...(nextWakeAtMs !== undefined && { nextWakeTime: timeText(nextWakeAtMs) }),
  };
}

/** Joins neighbours of one verb and result if their reasons differ in numbers only. The joined line drops the parts that differ. */
export function joinedActions(actions: readonly ActionLine[]): ActionLine[] {
  const lines: ActionLine[] = [];
  for (const action of actions) {
    const last = lines.at(-1);
    if (last && isAlike(last, action))
      lines[lines.length - 1] = { ...last, why: commonReason(last.why, action.why), count: countOf(last) + countOf(action) };
    else lines.push(action);
  }
  return lines;
}

const countOf = ({ count = 1 }: ActionLine): number => count;

const isAlike = (one: ActionLine, other: ActionLine): boolean =>
  one.verb === other.verb &&
  one.result === other.result &&
  one.detail === other.detail &&
  (commonReason(one.why, other.why) !== '' || one.why === other.why);

/** The common leading clauses: `0 of 2 wanted pods run; index 4 is open` and the same with 5 → `0 of 2 wanted pods run`. */
function commonReason(one: string, other: string): string {
  const [these, those] = [one.split('; '), other.split('; ')];
  const length = these.findIndex((clause, at) => clause !== those[at]);
  return length === -1 ? one : these.slice(0, length).join('; ');
}
