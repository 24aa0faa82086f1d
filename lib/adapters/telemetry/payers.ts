// Whom a request to the store is for: workloads or clusters that its first argument names.
import { isFields, textOf } from '../../objects/values/untyped-fields.ts';
import type { Payer } from '../../ports/costs.ts';

export const NOBODY: Payer = { cluster: '', kind: '', namespace: '', name: '' };

export const payerIn = (fields: Readonly<Record<string, unknown>>): Payer => ({
  cluster: textOf(fields['cluster']),
  kind: textOf(fields['kind']),
  namespace: textOf(fields['namespace']),
  name: textOf(fields['name']),
});

/** @param first of a call to the store: a key, several, a head, or the name of a cluster */
export function payersOf(first: unknown): Payer[] {
  if (Array.isArray(first)) return first.flatMap(payersOf);
  if (typeof first === 'string') return [{ ...NOBODY, cluster: first }];
  if (!isFields(first)) return [];
  return isFields(first['key']) ? payersOf(first['key']) : [payerIn(first)];
}
