// The title of a view of a workload: what several tabs of a browser are told apart by.
import { titleOf } from '../../state/address.ts';

const WORDS: ReadonlyMap<string, string> = new Map([
  ['map', 'Map'],
  ['pods', 'Pods'],
  ['logs', 'Logs'],
  ['timeline', 'Timeline'],
  ['events', 'Events'],
  ['conditions', 'Conditions'],
  ['children', 'Children'],
  ['manifest', 'Manifest'],
  ['plan', 'Plan'],
  ['cost', 'Cost'],
  ['commands', 'Commands'],
]);

/** @param path of the address, from `workloads` on */
export function titleOfView([, , kind = '', namespace = '', name = '', tab = '', pod]: readonly string[]): string {
  const workload = titleOf({ kind, namespace, name });
  if (tab === 'pods' && pod !== undefined) return `Pod ${pod} of ${workload}`;
  const word = WORDS.get(tab);
  return word === undefined ? workload : `${word} of ${workload}`;
}
