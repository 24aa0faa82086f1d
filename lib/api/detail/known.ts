// One workload as the table has it: what the parts of its page are made from.
import type { KindFacts } from '../../kinds/rows/kind.ts';
import type { KindShown } from '../../kinds/rows/kind-shown.ts';
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import type { IndexStates } from '../../objects/detail/workload-map.ts';
import type { Head } from '../../ports/store.ts';
import type { PassState } from '../../reconciler/head/pass-state.ts';
import { livingIn } from '../../reconciler/view/view.ts';
import type { ChildrenPart, ViewPart } from '../../wire/words/observations.ts';

/** The rows of a kind that the rest of the API needs. */
export interface ToldKind {
  facts: KindFacts;
  shown: KindShown;
}

export interface Known {
  row: ToldKind;
  head: Head;
  view: ViewPart;
  /** Of the children other than pods: a part for each resource. */
  children: readonly ChildrenPart[];
  state: PassState | undefined;
}

export const ownerIn = ({ view }: Known): WorkloadObject | undefined => (view.owner && !view.owner.deleted ? view.owner.object : undefined);

/** @param nowMs by the cluster's clock */
export const indexesIn = (known: Known, nowMs: number): IndexStates | undefined => {
  const owner = ownerIn(known);
  return owner && known.row.shown.indexesOf?.(owner, livingIn(known.view), { nowMs, lengths: known.state?.ran?.lengths });
};
