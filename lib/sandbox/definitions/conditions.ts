// Conditions of a definition.
import { listAt } from '../objects/api-object.ts';
import type { ApiObject, Fields } from '../objects/api-object.ts';

export type ConditionType = 'NamesAccepted' | 'Established' | 'Terminating';

export interface Condition {
  type: ConditionType;
  status: 'True' | 'False';
  reason: string;
  message: string;
}

/** The conditions with others set: those that keep their status keep their time. @param time RFC 3339 */
export function withConditions(object: ApiObject, set: readonly Condition[], time: string): Fields[] {
  const conditions = [...listAt(object.status, 'conditions')];
  for (const { type, status, reason, message } of set) {
    const at = conditions.findIndex((condition) => condition['type'] === type);
    const before = conditions[at];
    const lastTransitionTime = before?.['status'] === status ? before['lastTransitionTime'] : time;
    const next: Fields = { type, status, lastTransitionTime, reason, message };
    if (at < 0) conditions.push(next);
    else conditions[at] = next;
  }
  return conditions;
}
