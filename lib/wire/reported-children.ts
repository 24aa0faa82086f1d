// Children in a message between relay and ingest. A message holds pods in one section and all other children in another; one with the second is
// of version 2. A message holds reports of one version: functions of a build that reads version 1 alone leave version 2 to others, and reports
// of Jobs must not wait with those.
import * as v from 'valibot';
import { resourceKeyOf } from '../objects/child-state.ts';
import type { Fault } from '../objects/values/fact-checks.ts';
import { isResourceVersion } from '../objects/values/resource-version.ts';
import type { KindFacts } from '../kinds/rows/kind.ts';
import type { ChildCodec, PackedChildren } from './packing/codec.ts';
import { childCodec, isOfPods, podCodec, POD_RESOURCE } from './packing/codecs.ts';
import { OBJECT_NAME } from './words/names.ts';
import type { AnyChild, Entry, Observation, OutgoingEvents, OutgoingReport, ResourceReport, WholeList } from './words/observations.ts';
import { UndecodableMessageError } from './words/undecodable.ts';

/**
 * Most resources of a kind's children other than pods, and most characters of one. A digest mismatch must name all of them in 600
 * characters, each with a digest.
 */
const [MOST_RESOURCES, LONGEST_RESOURCE] = [6, 70];

const wholeNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const resourceName = v.pipe(v.string(), v.regex(OBJECT_NAME, 'a resource'), v.maxLength(LONGEST_RESOURCE));
const version = v.pipe(
  v.string(),
  v.check((digits: string) => isResourceVersion(digits), 'a resourceVersion'),
);

/** Added to the other fields of a report. The list of the pods may come in ranges, that of another resource comes whole. */
export const ReportedChildren = {
  /** How many of the message's pods belong to this report. */
  pods: wholeNumber,
  whole: v.optional(
    v.strictObject({ floor: version, slots: v.union([v.literal('all'), v.strictObject({ from: wholeNumber, to: wholeNumber })]) }),
  ),
  /** How many of the message's other children belong to this report. */
  children: v.exactOptional(wholeNumber),
  wholeChildren: v.exactOptional(
    v.pipe(
      v.array(v.strictObject({ resource: resourceName, floor: version, isSelected: v.exactOptional(v.literal(true)) })),
      v.maxLength(MOST_RESOURCES),
    ),
  ),
};
type Written = v.InferOutput<v.StrictObjectSchema<typeof ReportedChildren, undefined>>;

/** Added to the other fields of a digest. */
export const DigestedParts = {
  parts: v.exactOptional(
    v.pipe(
      v.array(
        v.strictObject({
          resource: resourceName,
          revision: wholeNumber,
          digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/, '16 hex digits')),
        }),
      ),
      v.maxLength(MOST_RESOURCES),
    ),
  ),
};

export interface WrittenReports {
  pods: PackedChildren;
  /** Absent in a message of version 1. */
  children?: PackedChildren;
  /** The fields of each report about its children. */
  fields: Written[];
}

/** Whether its message is of version 2. Of a kind with children other than pods a report names each resource, also one without news. */
export const isOfVersion2 = ({ children }: OutgoingReport): boolean => children.some((each) => !isOfPods(each.resource));

/** @throws Error reports or digests have two versions; MessageTooLargeError */
export function packReported({ reports, heartbeat }: OutgoingEvents): WrittenReports {
  const later = new Set([...reports.map(isOfVersion2), ...(heartbeat?.digests ?? []).map(({ parts }) => parts !== undefined)]);
  if (later.size > 1)
    throw new Error('a message holds reports and digests of one version: those with children other than pods go in another');
  const pods = sectionOf(reports, podCodec, isOfPods);
  const others = later.has(true) ? sectionOf(reports, childCodec, (each) => !isOfPods(each)) : undefined;
  const fields = reports.map((report, at): Written => {
    const wholes = report.children.flatMap((each) => (each.whole ? [{ resource: each.resource, ...each.whole }] : []));
    const ofPods = wholes.find((whole) => isOfPods(whole.resource));
    const ofOthers = wholes.filter((whole) => !isOfPods(whole.resource));
    return {
      pods: pods.counts[at] ?? 0,
      ...(ofPods && { whole: { floor: ofPods.floor, slots: ofPods.slots } }),
      ...(isOfVersion2(report) && { children: others?.counts[at] ?? 0 }),
      ...(ofOthers.length > 0 && { wholeChildren: ofOthers.map(({ slots: _all, ...whole }) => whole) }),
    };
  });
  return { pods: pods.packed, ...(others && { children: others.packed }), fields };
}

/** Packs the children of some resources. They are counted while they are read, because they are made one by one. */
function sectionOf<Child extends AnyChild>(
  reports: readonly OutgoingReport[],
  codec: ChildCodec<Child>,
  isWithin: (resource: string) => boolean,
): { packed: PackedChildren; counts: number[] } {
  const counts = reports.map(() => 0);
  function* entries(): Generator<Entry<Child>> {
    for (const [at, report] of reports.entries()) {
      let count = 0;
      for (const each of report.children)
        if (isWithin(each.resource))
          for (const { heardAt, presence, child } of each.children) {
            count += 1;
            // Safe: the resource says which sort its children are.
            yield { heardAt, presence, child: child as Child, byPass: false };
          }
      counts[at] = count;
    }
  }
  return { packed: codec.pack(entries(), { isForMessage: true }), counts };
}

/** Called for a child that is left out. */
type Refuse = (fault: Fault) => void;

/** Hands out the children of one section of a message to its reports, in their order. */
class Section<Child extends AnyChild> {
  readonly #field: string;
  readonly #codec: ChildCodec<Child>;
  readonly #entries: readonly Entry<Child>[];
  readonly #faults = new Map<number, string>();
  #next = 0;

  /** @throws UndecodableMessageError */
  constructor(field: string, codec: ChildCodec<Child>, packed: PackedChildren | undefined) {
    this.#field = field;
    this.#codec = codec;
    this.#entries = packed ? codec.unpack(packed, (at, fault) => this.#faults.set(at, fault)) : [];
  }

  get count(): number {
    return this.#entries.length;
  }

  get isAtEnd(): boolean {
    return this.#next === this.count;
  }

  /** @throws UndecodableMessageError */
  skip(count: number): void {
    this.#next += count;
    if (this.#next > this.count) throw new UndecodableMessageError(`a report names more ${this.#field} than the message holds`);
  }

  /**
   * @param given.wholes the lists of these resources that were whole when they were sent. One that lacks a child now is not (R19)
   * @throws UndecodableMessageError
   */
  take(
    count: number,
    { wholes, isKnown, facts, namespace }: Taken & { wholes: ReadonlyMap<string, WholeList>; isKnown: (resource: string) => boolean },
    refuse: Refuse,
  ): ResourceReport<Child>[] {
    const from = this.#next;
    this.skip(count);
    const told = new Map<string, Observation<Child>[]>();
    const of = (resource: string): Observation<Child>[] => {
      const known = told.get(resource) ?? [];
      told.set(resource, known);
      return known;
    };
    const incomplete = new Set<string>();
    for (const resource of wholes.keys()) if (isKnown(resource)) of(resource);
    // Neighbours are of one resource: a message may hold thousands of them.
    let [resource, observations]: [string | undefined, Observation<Child>[]] = [undefined, []];
    for (let at = from; at < this.#next; at += 1) {
      const { heardAt, presence, child } = this.#entries[at] as Entry<Child>;
      const own = this.#codec.resourceOf(child);
      const fault = this.#faults.get(at) ?? (isKnown(own) ? undefined : `a child of a resource of ${facts.kind}, not of ${own}`);
      if (fault !== undefined) {
        refuse({ field: `${this.#field}[${at - from}]`, expected: fault });
        incomplete.add(own);
        continue;
      }
      if (facts.resource.namespaced && child.namespace !== namespace)
        throw new UndecodableMessageError("a child of another namespace than its workload's");
      if (own !== resource) [resource, observations] = [own, of(own)];
      observations.push({ heardAt, presence, child });
    }
    return [...told].flatMap(([each, children]): ResourceReport<Child>[] => {
      const whole = incomplete.has(each) ? undefined : wholes.get(each);
      return whole || children.length > 0 ? [{ resource: each, children, ...(whole && { whole }) }] : [];
    });
  }
}

interface Taken {
  facts: KindFacts;
  namespace: string;
}

/** Hands out the children of a message to its reports, in their order. */
export class ReportedChildrenReader {
  readonly #pods: Section<AnyChild>;
  /** Undefined in a message of version 1. */
  readonly #others: Section<AnyChild> | undefined;

  /** @throws UndecodableMessageError */
  constructor({ pods, children }: { pods: PackedChildren; children?: PackedChildren }) {
    this.#pods = new Section<AnyChild>('pods', podCodec, pods);
    this.#others = children && new Section<AnyChild>('children', childCodec, children);
  }

  get count(): number {
    return this.#pods.count + (this.#others?.count ?? 0);
  }

  /** Skips the children of a report that is left to functions that know its kind. @throws UndecodableMessageError */
  skip({ pods, children = 0 }: Written): void {
    this.#pods.skip(pods);
    this.#others?.skip(children);
  }

  /** @param refuse called for each child that is left out. @throws UndecodableMessageError */
  take({ pods, whole, children, wholeChildren }: Written, about: Taken, refuse: Refuse): ResourceReport[] {
    const ofPods = new Map(whole && [[POD_RESOURCE, whole]]);
    const told = this.#pods.take(pods, { ...about, wholes: ofPods, isKnown: isOfPods }, refuse);
    if (children === undefined && wholeChildren === undefined) return told;
    if (!this.#others) throw new UndecodableMessageError('a report of a message of version 1 names children other than pods');
    const known = new Set(about.facts.children.map((child) => resourceKeyOf(child.resource)));
    const wholes = new Map((wholeChildren ?? []).map(({ resource: each, ...list }) => [each, { ...list, slots: 'all' as const }]));
    return [...told, ...this.#others.take(children ?? 0, { ...about, wholes, isKnown: (each) => known.has(each) }, refuse)];
  }

  /** @throws UndecodableMessageError some children belong to no report */
  end(): void {
    if (!this.#pods.isAtEnd || this.#others?.isAtEnd === false)
      throw new UndecodableMessageError('the message holds children that no report names');
  }
}
