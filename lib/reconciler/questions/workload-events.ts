// The cluster's Events about a workload and its pods, equal ones folded into one line.
import type { WantedFields } from '../../objects/field-mask.ts';
import type { KubernetesObject, WorkloadObject } from '../../objects/kubernetes.ts';
import { EVENTS, PODS } from '../../objects/resources.ts';
import { fieldsOf, textOf } from '../../objects/values/untyped-fields.ts';
import { TerminalError } from '../../ports/errors.ts';
import type { EventsAnswer, FoldedEvent } from '../../wire/words/action-words.ts';
import { givingText, wordOf, type Asking } from './asked-workload.ts';

const MOST_LINES = 500;
const LONGEST_TEXT = 1_024;

const FIELDS: WantedFields = {
  metadata: { name: true, namespace: true, uid: true, creationTimestamp: true },
  involvedObject: { kind: true, name: true, uid: true },
  type: true,
  reason: true,
  message: true,
  count: true,
  firstTimestamp: true,
  lastTimestamp: true,
  eventTime: true,
  series: { count: true, lastObservedTime: true },
  source: { component: true },
  reportingComponent: true,
};

/** @param owner with its uid. @throws the errors of ports/errors.ts; TerminalError names the right that is missing */
export async function eventsOf(asking: Asking, owner: WorkloadObject): Promise<Omit<EventsAnswer, 'metadata'>> {
  const { cluster, deadline, facts, record } = asking;
  const { namespace = '', uid = '' } = owner.metadata;
  const uids = new Set([uid, ...(await podUids(asking, owner))]);
  // Events about objects without a namespace lie in this one.
  const place = namespace === '' ? 'default' : namespace;
  // The API server reads all of them whatever is selected; so one list does for all pods.
  const selection = { namespace: place, fields: FIELDS, ...(facts.pods ? {} : { fieldSelector: `involvedObject.uid=${uid}` }) };
  const { items } = await cluster.list<KubernetesObject>(EVENTS, selection, deadline).catch((error: unknown) => {
    if (!(error instanceof TerminalError) || error.code !== 403) throw error;
    throw new TerminalError(
      `events of ${wordOf(facts, owner.metadata.name ?? '')} cannot be read: Farloop lacks the right to list events in ${place} on ${record.name}: ${givingText(asking, ', with the relay image of this version')} (${error.said ?? error.message})`,
      { cause: error, code: 403 },
    );
  });
  const folded = foldedEvents(items.filter((event) => uids.has(textOf(fieldsOf(fieldsOf(event)['involvedObject'])['uid']))));
  return { events: folded.slice(-MOST_LINES), leftOut: Math.max(folded.length - MOST_LINES, 0) };
}

async function podUids({ cluster, deadline, facts, record }: Asking, owner: WorkloadObject): Promise<string[]> {
  const { namespace = '', name = '', uid = '' } = owner.metadata;
  if (!facts.pods) return [];
  const selection = facts.pods.selection({ cluster: record.name, kind: facts.kind, namespace, name, uid }, owner);
  const { items } = await cluster.list<KubernetesObject>(
    PODS,
    { namespace, fields: { metadata: { name: true, uid: true } }, ...selection },
    deadline,
  );
  return items.map(({ metadata }) => metadata.uid ?? '');
}

/** By reason, object and text; newest last. */
export function foldedEvents(events: readonly KubernetesObject[]): FoldedEvent[] {
  const lines = new Map<string, FoldedEvent>();
  for (const event of events) {
    const line = lineOf(event);
    const place = JSON.stringify([line.type, line.reason, line.object, line.text]);
    const before = lines.get(place);
    lines.set(
      place,
      before
        ? {
            ...before,
            count: before.count + line.count,
            first: before.first < line.first ? before.first : line.first,
            last: before.last > line.last ? before.last : line.last,
          }
        : line,
    );
  }
  return [...lines.values()].toSorted((a, b) => (a.last < b.last ? -1 : a.last > b.last ? 1 : a.first < b.first ? -1 : 1));
}

function lineOf(event: KubernetesObject): FoldedEvent {
  const fields = fieldsOf(event);
  const [involved, series] = [fieldsOf(fields['involvedObject']), fieldsOf(fields['series'])];
  const [counted, ofSeries] = [fields['count'], series['count']];
  const first = textOf(fields['firstTimestamp']) || textOf(fields['eventTime']) || (event.metadata.creationTimestamp ?? '');
  return {
    type: textOf(fields['type']),
    reason: textOf(fields['reason']),
    object: { kind: textOf(involved['kind']), name: textOf(involved['name']) },
    text: textOf(fields['message']).slice(0, LONGEST_TEXT),
    count: typeof ofSeries === 'number' ? ofSeries : typeof counted === 'number' && counted > 0 ? counted : 1,
    first: timeOf(first),
    last: timeOf(textOf(series['lastObservedTime']) || textOf(fields['lastTimestamp']) || first),
    source: textOf(fieldsOf(fields['source'])['component']) || textOf(fields['reportingComponent']),
  };
}

/** Some have microseconds: cut, so that they sort as texts. */
const timeOf = (text: string): string => text.replace(/\.\d+Z$/, 'Z');
