// A plan as text for people: the actions, their reasons, and the time of the next look.
import { formatIndexes, indexSetOf } from '../../objects/values/index-text.ts';
import { ownEntry } from '../../objects/values/untyped-fields.ts';
import type { KindShown } from '../rows/kind-shown.ts';
import type { DocumentPlan, EvictAction } from '../rows/kind-manifests.ts';
import type { Action, Plan } from '../rows/plan.ts';

type ExplainedBy = Pick<KindShown, 'purposes' | 'eventsPerPod' | 'hiddenStatus'>;

const OUTCOMES: Record<Plan<unknown>['outcome'], string> = {
  acted: 'acts',
  waiting: 'waits',
  converged: 'has nothing to do',
  parked: 'is parked',
  notOurs: 'is not ours',
};

/** Most names in a line. Neighbouring actions of one verb and one reason share a line. */
const MAX_NAMES = 5;

/** Lines without a line break at the end. @param workload such as `job/default/demo` */
export function explainPlan(
  workload: string,
  plan: Plan<unknown> | DocumentPlan,
  { shown, extra = {} }: { shown: ExplainedBy; extra?: object | undefined },
): string {
  const isAfter = (reason: string): boolean => reason.startsWith('after it: ');
  const because = plan.why.filter((reason) => !isAfter(reason)).map((reason) => `  because: ${reason}`);
  const lines = [`${workload} ${OUTCOMES[plan.outcome]}`, ...because];
  let group: { line: string; why: string; names: string[]; indexes: number[] } | undefined;
  const close = (): void => {
    if (group) {
      lines.push(`  ${group.line}${namesText(group.names)}${indexesText(group.indexes)}`);
      // An event's reason is always the action before it, so it is left out.
      if (group.why !== '') lines.push(`      ${group.why}`);
    }
    group = undefined;
  };
  for (const action of plan.actions) {
    const { line, name } = describe(action, shown);
    const why = action.verb === 'event' ? '' : action.why;
    // Join reasons that differ in their index alone.
    const [, common = why, index] = /^(.*); index (\d+) is open$/.exec(why) ?? [];
    if (group?.line !== line || group.why !== common) close();
    group ??= { line, why: common, names: [], indexes: [] };
    if (name !== undefined) group.names.push(name);
    if (index !== undefined) group.indexes.push(Number(index));
  }
  close();
  for (const [what, value] of Object.entries(extra)) lines.push(`  ${what}: ${JSON.stringify(value)}`);
  lines.push(...plan.why.filter(isAfter).map((reason) => `  ${reason}`));
  if (plan.requeueAfterSeconds !== undefined)
    lines.push(`  looks again in ${secondsText(plan.requeueAfterSeconds)} if nothing happens before`);
  return lines.join('\n');
}

function describe(action: Action | EvictAction, shown: ExplainedBy): { line: string; name?: string } {
  switch (action.verb) {
    case 'create':
      return { line: `create ${action.object.kind ?? 'object'}`, name: action.object.metadata.name ?? '' };
    case 'delete':
      return { line: `delete ${action.kind}`, name: action.name };
    case 'patch':
      return { line: `${ownEntry(shown.purposes, action.purpose)?.does ?? action.purpose} ${action.kind}`, name: action.name };
    case 'call':
      return { line: `${action.call} the task at the provider of ${action.node}` };
    case 'status':
      return { line: `write status: ${statusText(action.status, shown)}` };
    case 'evict':
      return { line: `evict ${action.kind}`, name: action.namespace === '' ? action.name : `${action.namespace}/${action.name}` };
    case 'event':
      break;
  }
  return {
    line: `emit ${action.type} ${action.reason}: ${shown.eventsPerPod.has(action.reason) ? 'one event for each pod' : action.message}`,
  };
}

function namesText(names: readonly string[]): string {
  if (names.length === 0) return '';
  const shown = names.slice(0, MAX_NAMES).join(', ');
  return names.length > MAX_NAMES ? `: ${shown} and ${names.length - MAX_NAMES} more (${names.length} in all)` : `: ${shown}`;
}

const indexesText = (indexes: readonly number[]): string =>
  indexes.length === 0 ? '' : `, open index${indexes.length > 1 ? 'es' : ''} ${formatIndexes(indexSetOf(indexes))}`;

/** Counters and texts unchanged, conditions by type and reason. The JSON output has times and uids. */
function statusText(status: object, { hiddenStatus }: ExplainedBy): string {
  return Object.entries(status)
    .filter(([key]) => !hiddenStatus.has(key))
    .map(([key, value]: [string, unknown]) => fieldText(key, value))
    .filter((text) => text !== undefined)
    .join(', ');
}

function fieldText(key: string, value: unknown): string | undefined {
  if (key === 'conditions' && Array.isArray(value)) {
    return `conditions ${value.map((condition: unknown) => conditionText(condition)).join(' ')}`;
  }
  if (typeof value === 'number') return `${key} ${value}`;
  return typeof value === 'string' && value !== '' ? `${key} ${value}` : undefined;
}

function conditionText(condition: unknown): string {
  const { type, status, reason } = { type: '', status: '', reason: '', ...(typeof condition === 'object' ? condition : undefined) };
  return `${type}=${status}${reason ? `(${reason})` : ''}`;
}

function secondsText(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}
