// What a story is: what people apply and change, how pods fare, how it must end. Each kind has its own (kinds/).
import type { ResourceRow } from '../../lib/sandbox/rows/resource-row.ts';
import type { SimApiServer } from './api-server.ts';
import type { Call } from './calls.ts';
import type { FateOf } from './kubelet.ts';

/** How a workload must stand when all is over. */
export interface Expected {
  /** The first of the story's, unless told. */
  cluster?: string;
  /** One on each of them, instead. */
  onEach?: true;
  /** `gone`: deleted; `parked`: nothing is done for it; `steady`: it never ends by itself, and stands as its kind tells. */
  end: 'Complete' | 'Failed' | 'gone' | 'suspended' | 'parked' | 'steady';
  reason?: string;
  succeeded?: number;
  failed?: number;
}

export interface Scenario {
  name: string;
  /** What it is about, of a story that stands in no table. */
  kind?: string;
  clusters: readonly string[];
  budget?: { writesPerSecond: number; burst: number };
  acts: readonly { atMs: number; cluster?: string; act: (api: SimApiServer) => Promise<unknown> }[];
  fateOf: FateOf;
  /** By name of the workload. */
  ends: Readonly<Record<string, Expected>>;
  /** Virtual time that a run without faults and without jitter may take: some 1.4 times what it takes, and never more than 1.5 times. */
  withinMs: number;
  /** Its clusters were made from one backup: what is made on each in the same order has the same uid. */
  areTwins?: true;
  /** Resources that its API servers have besides the built-in ones: of kinds that are custom resources. */
  rows?: readonly ResourceRow[];
  /** Single faults are enumerated at these of its calls alone: the others are made in other stories, too. */
  struckAt?: (call: Pick<Call, 'port' | 'method' | 'args'>, fault: string) => boolean;
  /** Its pods are bound to this virtual node, and run at a provider. */
  virtualNode?: string;
  /** Options that its clusters are registered with. */
  options?: Readonly<Record<string, string>>;
  /** Virtual time that it may take in addition once a fault has struck. */
  struckMs?: number;
  /** Faults that would change how it ends. */
  spares?: readonly string[];
  /** Too long a story for a fault at each of its calls. */
  isForStormsOnly?: true;
}

/** Each workload that a story tells the end of, where it is. */
export const endsOf = ({ clusters, ends }: Pick<Scenario, 'clusters' | 'ends'>): (Expected & { name: string; cluster: string })[] =>
  Object.entries(ends).flatMap(([name, end]) =>
    (end.onEach ? clusters : [end.cluster ?? clusters[0] ?? '']).map((cluster) => ({ ...end, name, cluster })),
  );
