// Merges the reports of one batch about a workload into as few as possible, because each is a write of its own.
import { isNewer } from '../../objects/values/resource-version.ts';
import type { ChildObservation, OwnerObservation, PodObservation, WorkloadReport } from '../../wire/words/observations.ts';
import { isLaterChild } from './children.ts';
import { isLater } from './view.ts';

/**
 * The order in which reports are applied makes no difference (R2). Whole lists are not merged: each proves absence in its own range (R19).
 */
export function mergedReports(reports: readonly WorkloadReport[]): WorkloadReport[] {
  const isWhole = ({ whole, wholeChildren = [] }: WorkloadReport): boolean => whole !== undefined || wholeChildren.length > 0;
  const wholes = reports.filter(isWhole);
  const others = reports.filter((report) => !isWhole(report));
  const [first] = others;
  if (!first || others.length === 1) return [...wholes, ...others];
  const pods = new Map<string, PodObservation>();
  const children = new Map<string, ChildObservation>();
  let observed: OwnerObservation | undefined;
  for (const report of others) {
    if (report.observed && (!observed || isNewer(report.observed.heardAt, observed.heardAt))) observed = report.observed;
    for (const observation of report.pods) {
      const known = pods.get(observation.pod.uid);
      if (!known || isLater(observation, known)) pods.set(observation.pod.uid, observation);
    }
    for (const observation of report.children ?? []) {
      const known = children.get(observation.child.uid);
      if (!known || isLaterChild(observation, known)) children.set(observation.child.uid, observation);
    }
  }
  return [
    ...wholes,
    {
      owner: first.owner,
      ...(observed && { observed }),
      pods: [...pods.values()],
      ...(children.size > 0 && { children: [...children.values()] }),
    },
  ];
}
