// Children other than pods in a message between relay and ingest. Such a message is of version 2. A message holds reports of one version:
// functions of a build that reads version 1 alone leave version 2 to others, and reports of Jobs must not wait with those.
import * as v from 'valibot';
import { resourceKeyOf } from '../objects/child-state.ts';
import type { Fault } from '../objects/values/fact-checks.ts';
import { isResourceVersion } from '../objects/values/resource-version.ts';
import type { KindFacts } from '../kinds/rows/kind.ts';
import { packChildren, unpackChildren } from './packing/child-columns.ts';
import type { PackedPods } from './packing/columns.ts';
import { OBJECT_NAME } from './words/names.ts';
import type { ChildEntry, ChildObservation, OutgoingEvents, WholeChildren, WorkloadReport } from './words/observations.ts';
import { UndecodableMessageError } from './words/undecodable.ts';

/**
 * Most resources of a kind's children other than pods, and most characters of one. A digest mismatch must name all of them in 600
 * characters, each with a digest.
 */
const [MOST_RESOURCES, LONGEST_RESOURCE] = [6, 70];

const wholeNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const resource = v.pipe(v.string(), v.regex(OBJECT_NAME, 'a resource'), v.maxLength(LONGEST_RESOURCE));
const version = v.pipe(
  v.string(),
  v.check((digits: string) => isResourceVersion(digits), 'a resourceVersion'),
);

/** Added to the other fields of a report. */
export const ReportedChildren = {
  /** How many of the message's children belong to this report. */
  children: v.exactOptional(wholeNumber),
  wholeChildren: v.exactOptional(
    v.pipe(
      v.array(v.strictObject({ resource, floor: version, isSelected: v.exactOptional(v.literal(true)) })),
      v.maxLength(MOST_RESOURCES),
    ),
  ),
};

/** Added to the other fields of a digest. */
export const DigestedParts = {
  parts: v.exactOptional(
    v.pipe(
      v.array(v.strictObject({ resource, revision: wholeNumber, digest: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/, '16 hex digits')) })),
      v.maxLength(MOST_RESOURCES),
    ),
  ),
};

/** @returns the children of all reports; undefined for a message of version 1. @throws Error reports or digests have two versions */
export function packReported({ reports, heartbeat }: OutgoingEvents): PackedPods | undefined {
  const versions = new Set([
    ...reports.map(({ children, wholeChildren }) => ((children ?? wholeChildren) ? 2 : 1)),
    ...(heartbeat?.digests ?? []).map(({ parts }) => (parts ? 2 : 1)),
  ]);
  if (versions.size > 1)
    throw new Error('a message holds reports and digests of one version: those with children other than pods go in another');
  if (!versions.has(2)) return undefined;
  return packChildren(reports.flatMap(({ children = [] }) => children.map((child): ChildEntry => ({ ...child, byPass: false }))));
}

type Told = { children?: number | undefined; wholeChildren?: WholeChildren[] | undefined };
type Refuse = (fault: Fault) => void;

/** Reads the children of a message, report by report. */
export class ReportedChildrenReader {
  readonly #entries: ChildEntry[] | undefined;
  readonly #faults = new Map<number, string>();
  #next = 0;

  /** @param packed undefined in a message of version 1. @throws UndecodableMessageError */
  constructor(packed: PackedPods | undefined) {
    this.#entries = packed && unpackChildren(packed, (at, fault) => this.#faults.set(at, fault));
  }

  get count(): number {
    return this.#entries?.length ?? 0;
  }

  /** Skips the children of a report that is left to functions that know its kind. @throws UndecodableMessageError */
  skip({ children = 0 }: Told): void {
    this.#next += children;
    if (this.#next > this.count) throw new UndecodableMessageError('a report names more children than the message holds');
  }

  /**
   * @param refuse called for each child that is left out. The list does not count as whole then (R19)
   * @throws UndecodableMessageError
   */
  take(told: Told, namespace: string, facts: KindFacts, refuse: Refuse): Pick<WorkloadReport, 'children' | 'wholeChildren'> {
    if (told.children === undefined && told.wholeChildren === undefined) return {};
    if (!this.#entries) throw new UndecodableMessageError('a report of a message of version 1 names children other than pods');
    const from = this.#next;
    this.skip(told);
    const known = new Set(facts.children.map((child) => resourceKeyOf(child.resource)));
    const children: ChildObservation[] = [];
    const incomplete = new Set<string>();
    for (let at = from; at < this.#next; at += 1) {
      const { heardAt, presence, child } = this.#entries[at] as ChildEntry;
      const isKnown = known.has(child.resource);
      const fault = this.#faults.get(at) ?? (isKnown ? undefined : `a child of a resource of ${facts.kind}, not of ${child.resource}`);
      if (facts.resource.namespaced && child.namespace !== namespace)
        throw new UndecodableMessageError("a child of another namespace than its workload's");
      if (fault === undefined) children.push({ heardAt, presence, child });
      else {
        refuse({ field: `children[${at - from}]`, expected: fault });
        incomplete.add(child.resource);
      }
    }
    const whole = (told.wholeChildren ?? []).filter((one) => known.has(one.resource) && !incomplete.has(one.resource));
    return { children, ...(told.wholeChildren && { wholeChildren: whole }) };
  }

  /** @throws UndecodableMessageError some children belong to no report */
  end(): void {
    if (this.#next !== this.count) throw new UndecodableMessageError('the message holds children that no report names');
  }
}
