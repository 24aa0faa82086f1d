// What one batch of messages tells of a workload, as few pieces of news as it can be: each is a write of its own.
import { isNewer } from '../../objects/resource-version.ts';
import type { OwnerObservation, PodObservation, WorkloadReport } from '../../wire/observations.ts';
import { isLater } from './view.ts';

/** The order in which they are applied makes no difference (R2). Whole lists stay for themselves: each proves absence in its own range (R19). */
export function mergedReports(reports: readonly WorkloadReport[]): WorkloadReport[] {
  const wholes = reports.filter(({ whole }) => whole);
  const others = reports.filter(({ whole }) => !whole);
  const [first] = others;
  if (!first || others.length === 1) return [...wholes, ...others];
  const pods = new Map<string, PodObservation>();
  let observed: OwnerObservation | undefined;
  for (const report of others) {
    if (report.observed && (!observed || isNewer(report.observed.heardAt, observed.heardAt))) observed = report.observed;
    for (const observation of report.pods) {
      const known = pods.get(observation.pod.uid);
      if (!known || isLater(observation, known)) pods.set(observation.pod.uid, observation);
    }
  }
  return [...wholes, { owner: first.owner, ...(observed && { observed }), pods: [...pods.values()] }];
}
