// The API's answers, by the types of the API itself.
import type * as v from 'valibot';
import type { Workload } from '../../api/answers/workloads.ts';
import type { Events, Manifest } from '../../api/answers/workload-questions.ts';
import type { CostBy } from '../../api/cost-by.ts';
import type { ChildPage } from '../../api/detail/children.ts';
import type { Facet, Facets } from '../../api/list/choice.ts';
import type { Rates } from '../../api/metrics.ts';
import type { PlanNow } from '../../api/detail/plan-now.ts';
import type { PodPage } from '../../api/detail/pod-pages.ts';
import type { IndexMap, PodMap, ReplicaMap } from '../../api/detail/workload-map.ts';
import type { ClusterSummary } from '../../api/clusters.ts';
import type { ContainerLog } from '../../api/logs/log-reading.ts';
import type { WorkloadLogs } from '../../api/logs/workload-logs.ts';
import type { Cost } from '../../api/cost.ts';
import type { DeadLetterSummary, QueueFailure, QueueSummary } from '../../api/queues.ts';
import type { PodSummary, ContainerSummary, WorkloadDetail, WorkloadSummary } from '../../api/told-workload.ts';
import type { ToldPass } from '../../api/passes.ts';

export type { ClusterSummary, ContainerLog, WorkloadLogs, Cost, DeadLetterSummary, QueueFailure, QueueSummary, PodSummary };
export type { ContainerSummary, WorkloadDetail, WorkloadSummary, ToldPass };

export type { ChildPage, CostBy, Facet, Facets, IndexMap, PlanNow, PodMap, PodPage, Rates, ReplicaMap };
export type WorkloadEvents = v.InferOutput<typeof Events>;
export type WorkloadManifest = v.InferOutput<typeof Manifest>;

/** A line of a list. */
export type ListedWorkload = WorkloadSummary & v.InferOutput<typeof Workload>;

export interface Items<Item> {
  items: readonly Item[];
}
export interface FromQueues<Item> extends Items<Item> {
  /** Queues that did not answer. */
  failed?: readonly QueueFailure[];
}
