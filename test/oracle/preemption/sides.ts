// Both sides in one form: what upstream decided, as `farloop plan --stream` has to tell it.
import { incomingOf, type AdmissionCase } from './cases.ts';

interface UpstreamFailure {
  resource?: string;
  requested: number;
  used: number;
  capacity: number;
  predicate?: string;
  message?: string;
}
interface UpstreamCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

/** What the oracle answers. */
export interface Upstream {
  id: string;
  state: 'admitted' | 'preempting' | 'rejected';
  reason?: string;
  message?: string;
  failures: UpstreamFailure[];
  victims: {
    namespace: string;
    name: string;
    uid: string;
    status: { phase: string; reason: string; message: string; conditions: UpstreamCondition[] };
  }[];
  events: { type: string; reason: string; message: string; uid: string }[];
  /** Why the oracle cannot use the case. */
  unusable?: string;
}

export interface PodRef {
  namespace?: string | undefined;
  name?: string | undefined;
  uid?: string | undefined;
}
type Failure = { resource: string; requested: number; used: number; capacity: number } | { predicate: string; message: string };
interface Status {
  phase?: string;
  reason?: string;
  message?: string;
  conditions?: UpstreamCondition[];
}
export type PlannedAction =
  | { verb: 'event'; type: string; reason: string; message: string; regarding: PodRef }
  | ({ verb: 'evict'; status: Status } & PodRef)
  | { verb: 'status'; status: Status };

/** A plan, as far as it is compared. */
export interface Planned {
  id: unknown;
  error?: string;
  admission?: { state: string; reason?: string; message?: string; failures: Failure[]; victims: PodRef[] };
  actions?: PlannedAction[];
  outcome?: string;
}

const refOf = ({ namespace, name, uid }: PodRef): PodRef => ({ namespace, name, uid });
const disruptions = (conditions: readonly UpstreamCondition[] = []): UpstreamCondition[] =>
  conditions
    .filter(({ type }) => type === 'DisruptionTarget')
    .map(({ type, status, reason = '', message = '' }) => ({ type, status, reason, message }));

function failureOf({ resource, requested, used, capacity, predicate = '', message = '' }: UpstreamFailure): Failure {
  return resource === undefined ? { predicate, message } : { resource, requested, used, capacity };
}

/** The plan that upstream's answer asks for. */
export function planOf(testCase: AdmissionCase, upstream: Upstream): Required<Omit<Planned, 'error'>> {
  const { state, reason = '', message = '', failures, victims, events } = upstream;
  const actions: PlannedAction[] = victims.flatMap(({ status: { phase, reason: why, message: text, conditions }, ...victim }, at) => {
    const { uid, ...event } = events[at] ?? { type: '', reason: '', message: '', uid: '' };
    return [
      { verb: 'event', ...event, regarding: { ...refOf(victim), uid } },
      { verb: 'evict', ...refOf(victim), status: { phase, reason: why, message: text, conditions: disruptions(conditions) } },
    ];
  });
  const admission = { state, failures: failures.map(failureOf), victims: victims.map(refOf) };
  if (state !== 'rejected') return { id: upstream.id, admission, actions, outcome: state === 'admitted' ? 'converged' : 'acted' };
  actions.push(
    { verb: 'event', type: 'Warning', reason, message, regarding: refOf(incomingOf(testCase).metadata) },
    { verb: 'status', status: { phase: 'Failed', reason, message: `Pod was rejected: ${message}` } },
  );
  return { id: upstream.id, admission: { ...admission, reason, message }, actions, outcome: 'acted' };
}

/** An action with what is compared of it. */
export function comparable(action: PlannedAction): unknown[] {
  switch (action.verb) {
    case 'event':
      return [action.verb, action.type, action.reason, action.message, refOf(action.regarding)];
    case 'evict': {
      const { phase, reason, message, conditions } = action.status;
      return [action.verb, refOf(action), { phase, reason, message }, disruptions(conditions)];
    }
    case 'status': {
      const { phase, reason, message } = action.status;
      return [action.verb, { phase, reason, message }];
    }
    default:
      return [action satisfies never];
  }
}
