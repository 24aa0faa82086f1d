// How pods of a kind are read: the facts that every kind knows, and those that its row asks for.
import type { WantedFields } from '../../objects/field-mask.ts';
import type { Pod } from '../../objects/kubernetes.ts';
import { POD_FIELDS, podFactsOf, podFactsReader, podFieldsFor, type AskedFact, type PodFacts } from '../../objects/pods/pod-facts.ts';
import type { KindFacts, PlannedFacts } from './kind.ts';

export interface PodReader {
  /** For calls that answer a pod. A whole one is not wanted: those of a wave of creates may take megabytes. */
  readonly reading: { readonly fields: WantedFields };
  /** Bounded, so that messages and views hold them. */
  readonly factsOf: (this: void, pod: Pod) => PodFacts;
}

const NOTHING_ASKED: readonly AskedFact[] = [];
const USUAL: PodReader = { reading: { fields: POD_FIELDS }, factsOf: podFactsOf };
const READERS = new WeakMap<readonly AskedFact[], PodReader>();

export function podReaderOf({ pods: { asks = NOTHING_ASKED } = {} }: Pick<PlannedFacts, 'pods'>): PodReader {
  if (asks.length === 0) return USUAL;
  const known = READERS.get(asks);
  if (known) return known;
  const reader = { reading: { fields: podFieldsFor(asks) }, factsOf: podFactsReader(asks) };
  READERS.set(asks, reader);
  return reader;
}

/** Fields of a pod that any of these kinds reads. */
export const podFieldsOfKinds = (kinds: readonly Pick<KindFacts, 'pods'>[]): WantedFields => {
  const asked = [...new Set(kinds.flatMap(({ pods }) => pods?.asks ?? []))];
  return asked.length === 0 ? POD_FIELDS : podFieldsFor(asked);
};
