// What reports tell of children, as tests write it down: pods, and other children of any resources.
import type { ChildState } from '../../lib/objects/child-state.ts';
import type { PodFacts } from '../../lib/objects/pods/pod-facts.ts';
import type { ChildObservation, PodObservation, ResourceReport, WholeList, WorkloadReport } from '../../lib/wire/words/observations.ts';

/** A whole list of one resource. */
export type WholeOf = Omit<WholeList, 'slots'> & { resource: string };

export const toldPods = (children: readonly PodObservation[], whole?: WholeList): ResourceReport<PodFacts> => ({
  resource: 'pods',
  children,
  ...(whole && { whole }),
});

export const podsAt = (children: readonly PodFacts[], heardAt: string): ResourceReport<PodFacts> =>
  toldPods(children.map((child) => ({ heardAt, presence: 'there', child })));

/** One entry for each resource, in the order of their names. */
export function toldOthers(children: readonly ChildObservation[], wholes: readonly WholeOf[] = []): ResourceReport[] {
  const resources = new Set([...children.map(({ child }) => child.resource), ...wholes.map(({ resource }) => resource)]);
  return [...resources].toSorted().map((resource): ResourceReport => {
    const whole = wholes.find((each) => each.resource === resource);
    const { resource: _, ...list } = whole ?? { floor: '' };
    return {
      resource,
      children: children.filter(({ child }) => child.resource === resource),
      ...(whole && { whole: { slots: 'all', ...list } }),
    };
  });
}

/** The observations of a report's pods. */
export const podsIn = ({ children }: WorkloadReport): readonly PodObservation[] =>
  // Safe: the resource says which sort its children are.
  (children.find(({ resource }) => resource === 'pods')?.children ?? []) as readonly PodObservation[];

/** The whole list of its pods, if it is of one. */
export const podListIn = ({ children }: WorkloadReport): WholeList | undefined =>
  children.find(({ resource }) => resource === 'pods')?.whole;

export const othersIn = ({ children }: WorkloadReport): readonly ResourceReport<ChildState>[] =>
  // Safe: the resource says which sort its children are.
  children.filter(({ resource }) => resource !== 'pods') as readonly ResourceReport<ChildState>[];
