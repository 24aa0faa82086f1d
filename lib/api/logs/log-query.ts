// A request for logs as its query spells it. The command and the console ask in the same words.
import { problemsOfDnsLabel } from '../../objects/names.ts';
import { OBJECT_NAME } from '../../wire/words/names.ts';
import { sinceMsOf, tailOf } from './log-choice.ts';
import { cursorIn } from './log-cursor.ts';
import type { LogQuery } from './log-reading.ts';

/** @returns the query; or a sentence that says what is wrong */
export function logQueryIn(query: URLSearchParams, nowMs: number): LogQuery | string {
  const [pod, index, replica, container] = ['pod', 'index', 'replica', 'container'].map((name) => query.get(name) ?? undefined);
  const [previous, since, tail, after] = ['previous', 'since', 'tail', 'after'].map((name) => query.get(name) ?? undefined);
  if (pod !== undefined && !OBJECT_NAME.test(pod)) return '"pod" must be the name of a pod';
  if (index !== undefined && !/^\d{1,10}$/.test(index)) return '"index" must be a whole number';
  if (container !== undefined && problemsOfDnsLabel(container).length > 0) return '"container" must be the name of a container';
  if (previous !== undefined && previous !== 'true' && previous !== 'false') return '"previous" must be true or false';
  const sinceMs = since === undefined ? undefined : sinceMsOf(since, nowMs);
  if (typeof sinceMs === 'string') return `"since" ${sinceMs}`;
  const lines = tail === undefined ? undefined : tailOf(tail);
  if (typeof lines === 'object') return `"tail" ${lines.problem}`;
  const cursor = after === undefined ? undefined : cursorIn(after);
  if (after !== undefined && !cursor) return '"after" is not what an earlier answer gave: ask without it';
  return {
    pod,
    index: index?.replace(/^0+(?=\d)/, ''),
    replica,
    container,
    previous: previous === 'true',
    sinceMs,
    tail: lines,
    after: cursor,
  };
}
