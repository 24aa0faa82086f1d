// Kinds of mistake that a comparison has to find: upstream's own decision, with one thing wrong.
import type { Planned, PlannedAction } from './sides.ts';

type Plan = Required<Omit<Planned, 'error'>>;
type Verb = PlannedAction['verb'];

const first = <V extends Verb>(plan: Plan, verb: V): Extract<PlannedAction, { verb: V }> | undefined =>
  plan.actions.find((action): action is Extract<PlannedAction, { verb: V }> => action.verb === verb);

function without(plan: Plan, verb: Verb): boolean {
  const at = plan.actions.findIndex((action) => action.verb === verb);
  if (at >= 0) plan.actions.splice(at, 1);
  return at >= 0;
}

/** Does something, and says that it was done. */
function done<T>(value: T | undefined, change: (value: T) => unknown): boolean {
  if (value === undefined) return false;
  change(value);
  return true;
}

/** Each changes a plan; false where the plan has nothing to change. */
export const MUTATIONS: Record<string, (plan: Plan) => boolean> = {
  'another state': ({ admission }) => done(admission, (a) => (a.state = a.state === 'rejected' ? 'admitted' : 'rejected')),
  'a victim is missing': ({ admission: { victims } }) => done(victims.at(-1), () => victims.pop()),
  'victims in another order': ({ admission }) =>
    admission.victims.length > 1 && done(admission, (a) => (a.victims = a.victims.toReversed())),
  'another victim': ({ admission: { victims } }) => done(victims[0], (victim) => (victim.uid = 'uid-other')),
  'another reason': ({ admission }) => done(admission.reason, () => (admission.reason += 'x')),
  'another message': ({ admission }) => done(admission.message, () => (admission.message += '.')),
  'a reason though admitted': ({ admission }) => admission.state !== 'rejected' && done(admission, () => (admission.reason = 'OutOfcpu')),
  'one more is used': ({ admission: { failures } }) =>
    done(
      failures.find((failure) => 'resource' in failure),
      (failure) => (failure.used += 1),
    ),
  'a failure is missing': ({ admission: { failures } }) => done(failures.at(-1), () => failures.pop()),
  'failures in another order': ({ admission }) =>
    admission.failures.length > 1 && done(admission, (a) => (a.failures = a.failures.toReversed())),
  'an event is missing': (plan) => without(plan, 'event'),
  'an event of another pod': (plan) => done(first(plan, 'event'), ({ regarding }) => (regarding.uid = 'uid-other')),
  'an event of another type': (plan) => done(first(plan, 'event'), (event) => (event.type = 'Normal')),
  'an eviction is missing': (plan) => without(plan, 'evict'),
  'an eviction of another pod': (plan) => done(first(plan, 'evict'), (eviction) => (eviction.uid = 'uid-other')),
  'an eviction in another phase': (plan) => done(first(plan, 'evict'), ({ status }) => (status.phase = 'Succeeded')),
  'no condition': (plan) => done(first(plan, 'evict'), ({ status }) => (status.conditions = [])),
  'the eviction before its event': ({ actions }) =>
    actions.length > 1 && actions[1]?.verb === 'evict' && done(actions, () => actions.unshift(...actions.splice(1, 1))),
  'a rejection without its prefix': (plan) =>
    done(first(plan, 'status'), ({ status }) => (status.message = status.message?.replace('Pod was rejected: ', '') ?? '')),
  'a rejection without its status': (plan) => without(plan, 'status'),
  'Failed though admitted': (plan) =>
    plan.admission.state !== 'rejected' && done(plan, () => plan.actions.push({ verb: 'status', status: { phase: 'Failed' } })),
  'another outcome': (plan) => done(plan, () => (plan.outcome = 'waiting')),
  'no plan': (plan) => done(plan, () => Reflect.deleteProperty(plan, 'admission')),
};
