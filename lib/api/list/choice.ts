// Which workloads a list shows, in which order, and which part of them.
import { needsPerson, isTroubled, type PersonRule } from '../../kinds/needs-person.ts';
import { STATES, type State } from '../../kinds/rows/state.ts';
import type { LabelMatcher } from '../../objects/label-selector.ts';
import type { WorkloadKey } from '../../objects/workload.ts';
import { RefusedRequestError } from '../routed-request.ts';
import type { OnCluster } from './on-cluster.ts';

/** A workload of a list. */
export interface Listed {
  key: WorkloadKey;
  /** `cluster/kind/namespace/name/uid` */
  id: string;
  summary: OnCluster;
  /** Of a week, where it is asked for and known. */
  costDollars?: number;
}

export interface AgeLimit {
  /** Younger, or older. */
  is: '<' | '>';
  ms: number;
}

export interface Choice {
  kind?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
  /** The virtual node that it is bound to: of pods of virtual nodes alone. */
  node?: string | undefined;
  states?: readonly State[] | undefined;
  labels?: LabelMatcher | undefined;
  /** Stands in its namespace, name, reason or sentence, whatever the case of its letters. */
  text?: string | undefined;
  age?: AgeLimit | undefined;
  /** Those that ended or were removed within this time, and no others. */
  endedWithinMs?: number | undefined;
  needsPerson?: boolean | undefined;
}

/** The moment, and the installation's patience with trouble. */
export type Rule = Pick<PersonRule, 'nowMs' | 'troubleLastsMs'>;

export function isChosen({ key, summary }: Listed, choice: Choice, rule: Rule): boolean {
  const { nowMs } = rule;
  const { kind, namespace, name, node, states, labels, text, age, endedWithinMs } = choice;
  if (kind !== undefined && key.kind !== kind) return false;
  if (namespace !== undefined && key.namespace !== namespace) return false;
  if (name !== undefined && key.name !== name) return false;
  if (node !== undefined && summary.fields['nodeName'] !== node) return false;
  if (endedWithinMs === undefined ? summary.removedAtMs !== undefined : !hasEndedWithin(summary, endedWithinMs, nowMs)) return false;
  if (states && !states.includes(summary.state)) return false;
  if (labels && !labels(summary.labels)) return false;
  if (age && !isOfAge(summary, age, nowMs)) return false;
  if (choice.needsPerson && !needsOne(summary, { ...rule, failedWithinMs: endedWithinMs })) return false;
  return text === undefined || textsOf(key, summary).some((part) => part.toLowerCase().includes(text.toLowerCase()));
}

const textsOf = ({ namespace, name }: WorkloadKey, { reason = '', why = '' }: OnCluster): string[] => [`${namespace}/${name}`, reason, why];

function hasEndedWithin({ state, sinceMs, removedAtMs }: OnCluster, withinMs: number, nowMs: number): boolean {
  const endedAtMs = state === 'Succeeded' || state === 'Failed' ? sinceMs : state === 'Orphan' ? undefined : removedAtMs;
  return endedAtMs !== undefined && nowMs - endedAtMs <= withinMs;
}

/** Of unknown age is what nobody has seen yet: it counts as young. */
function isOfAge(summary: OnCluster, { is, ms }: AgeLimit, nowMs: number): boolean {
  const ageMs = summary.creationTime === undefined ? 0 : nowMs - createdAtMs(summary);
  return is === '<' ? ageMs < ms : ageMs > ms;
}

/** A state that its cluster gives it is no trouble of its own: the cluster needs the person. */
export const needsOne = (summary: OnCluster, rule: PersonRule): boolean => {
  const { state, sinceMs, troubledSinceMs, removedAtMs } = summary;
  const own = isTroubled(summary) ? { troubledSinceMs } : {};
  return needsPerson({ state, sinceMs, ...own, isRemoved: removedAtMs !== undefined }, rule);
};

/** The worst first. A word of a later version comes last. */
const BY_NEED: readonly State[] = [
  'Parked',
  'Unreadable',
  'Failed',
  'BackingOff',
  'Waiting',
  'Pending',
  'Running',
  'Suspended',
  'Terminating',
  'Orphan',
  'Unknown',
  'Succeeded',
];

export const SORTS = ['name', 'namespace', 'kind', 'cluster', 'state', 'age', 'since', 'need', 'cost'] as const;
export type Sort = (typeof SORTS)[number];

export interface Order {
  by: Sort;
  isReversed: boolean;
}

/** The dearer, the smaller. In billionths, as long as no workload costs a million dollars. */
const dearestFirst = (dollars: number): string => String(Math.round(1e15 - dollars * 1e9)).padStart(16, '0');
/** The later, the smaller. */
const latestFirst = (ms: number): string => String(1e15 - ms).padStart(16, '0');
/** Parsed once: a process keeps the summaries between polls. */
const created = new WeakMap<OnCluster, number>();

function createdAtMs(summary: OnCluster): number {
  const known = created.get(summary);
  if (known !== undefined) return known;
  const ms = (summary.creationTime !== undefined && Date.parse(summary.creationTime)) || 0;
  created.set(summary, ms);
  return ms;
}

/** Texts that are compared. By age and by the time of the state, the youngest is the first. */
const COMPARED: Readonly<Record<Sort, (listed: Listed, rule: Rule) => string>> = {
  name: ({ key }) => key.name,
  namespace: ({ key }) => `${key.namespace}/${key.name}`,
  kind: ({ key }) => `${key.kind}/${key.name}`,
  cluster: ({ key }) => `${key.cluster}/${key.namespace}/${key.name}`,
  state: ({ summary }) => String((BY_NEED.indexOf(summary.state) + BY_NEED.length + 1) % (BY_NEED.length + 1)).padStart(2, '0'),
  age: ({ summary }) => latestFirst(createdAtMs(summary)),
  since: ({ summary }) => latestFirst(summary.sinceMs),
  need: ({ summary }, rule) => `${needsOne(summary, rule) ? 0 : 1} ${latestFirst(createdAtMs(summary))}`,
  cost: ({ costDollars = 0 }) => dearestFirst(costDollars),
};

/** Without an order by clusters and keys. Equals are in that order, so that pages neither repeat nor skip any. */
function compared(order: Order | undefined, rule: Rule): (listed: Listed) => string {
  const { by } = order ?? {};
  return (listed) => `${by === undefined ? '' : COMPARED[by](listed, rule)}\u0000${listed.id}`;
}

export interface Page {
  limit: number;
  /** From 1. */
  number?: number | undefined;
  /** An earlier answer's `next`. */
  from?: string | undefined;
}

/** @throws RefusedRequestError for a page that is none */
export function pageOf(
  chosen: readonly Listed[],
  { order, page, rule }: { order: Order | undefined; page: Page; rule: Rule },
): { items: Listed[]; next?: string } {
  const { limit, number = 1, from } = page;
  const start = from === undefined ? undefined : positionIn(from);
  const pages = Math.max(Math.ceil(chosen.length / limit), 1);
  if (number > pages)
    throw new RefusedRequestError(
      400,
      `there is no page ${number}: ${chosen.length} workloads match, and ${limit} on a page make ${pages === 1 ? 'one page' : `${pages} pages`}`,
    );
  const textOf = compared(order, rule);
  const texts = new Map(chosen.map((listed) => [listed, textOf(listed)]));
  const sign = order?.isReversed ? -1 : 1;
  const compare = (one: string, other: string): number => (one < other ? -sign : one > other ? sign : 0);
  const sorted = chosen.toSorted((one, other) => compare(texts.get(one) ?? '', texts.get(other) ?? ''));
  const first = start === undefined ? (number - 1) * limit : sorted.findIndex((listed) => compare(texts.get(listed) ?? '', start) > 0);
  if (first < 0) return { items: [] };
  const items = sorted.slice(first, first + limit);
  const last = items.at(-1);
  const hasMore = first + limit < sorted.length;
  return { items, ...(hasMore && last && { next: Buffer.from(texts.get(last) ?? '').toString('base64url') }) };
}

/** @throws RefusedRequestError */
function positionIn(from: string): string {
  const text = /^[\w-]*$/.test(from) ? Buffer.from(from, 'base64url').toString('utf8') : '';
  if (!text.includes('\u0000')) throw new RefusedRequestError(400, '"continue" is not what an earlier answer gave: ask without it');
  return text;
}

/** The most frequent namespaces; others are found by typing. */
const MOST_NAMESPACES = 200;

export interface Facet {
  value: string;
  count: number;
}

/** What the selection could be narrowed to, or changed to: each kind as if no kind were chosen, each namespace as if no namespace were. */
export interface Facets {
  kinds: Facet[];
  /** The most frequent, by name. */
  namespaces: Facet[];
  namespacesLeftOut: number;
}

/** @param all whether they match or not */
export function facetsOf(all: readonly Listed[], { kind, namespace, ...others }: Choice, rule: Rule): Facets {
  const kinds = new Map<string, number>();
  const namespaces = new Map<string, number>();
  for (const listed of all) {
    if (!isChosen(listed, others, rule)) continue;
    const { key } = listed;
    if (namespace === undefined || key.namespace === namespace) kinds.set(key.kind, (kinds.get(key.kind) ?? 0) + 1);
    // Some kinds have none.
    if (key.namespace !== '' && (kind === undefined || key.kind === kind))
      namespaces.set(key.namespace, (namespaces.get(key.namespace) ?? 0) + 1);
  }
  const byName = (one: Facet, other: Facet): number => (one.value < other.value ? -1 : 1);
  const facets = (counts: Map<string, number>): Facet[] => [...counts].map(([value, count]) => ({ value, count })).toSorted(byName);
  const most = facets(namespaces)
    .toSorted((one, other) => other.count - one.count)
    .slice(0, MOST_NAMESPACES);
  return { kinds: facets(kinds), namespaces: most.toSorted(byName), namespacesLeftOut: namespaces.size - most.length };
}

/** How many of each state, in the order of states; none of a state that none has. */
export function totalsOf(chosen: readonly Listed[]): Partial<Record<State, number>> {
  const counts = new Map<State, number>();
  for (const { summary } of chosen) counts.set(summary.state, (counts.get(summary.state) ?? 0) + 1);
  return Object.fromEntries(STATES.flatMap((state) => (counts.has(state) ? [[state, counts.get(state)]] : [])));
}
