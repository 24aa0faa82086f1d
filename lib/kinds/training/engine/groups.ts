// The pod group and the autoscaler are kept as the job asks for them.
import { resourceKeyOf } from '../../../objects/child-state.ts';
import type { Json, KubernetesObject } from '../../../objects/kubernetes.ts';
import { fieldsOf, textOf } from '../../../objects/values/untyped-fields.ts';
import { nameKeyOf, readKeyOf, type Action, type ReadWant, type Want } from '../../rows/plan.ts';
import { correctAction, createActions, deleteChildActions, eventAction } from '../objects/actions.ts';
import { AUTOSCALERS, autoscalerOf, autoscalerSpecOf, digestOfAutoscaler } from '../objects/autoscaler.ts';
import {
  digestOfGroup,
  groupOf,
  groupPatchOf,
  groupSpecOf,
  PRIORITY_CLASSES,
  priorityClassesIn,
  queueOf,
  waitsForGroup,
  type GroupPart,
  type Priorities,
} from '../objects/gang.ts';
import { TAKEN, type Reports } from '../memory/reports.ts';
import { livingIn, type Situation } from './situation.ts';
import { takenEvent } from './staffing.ts';

export interface GroupStep {
  actions: Action[];
  /** Digest of the spec that the group has, or is to have. */
  digest?: string;
  isWaiting: boolean;
  wants?: readonly Want[];
  problem?: string;
}

/** Makes the group, or puts it right where it differs, and says whether pods wait for it. */
export function groupStep(situation: Situation): GroupStep {
  const { gang, terms, given, checked } = situation;
  if (!gang) return { actions: [], isWaiting: false };
  const child = livingIn(situation, gang.resource).find(({ name }) => name === terms.name);
  if (child?.terminating) return { actions: [], isWaiting: true };
  const part = child && (child.part.facts as unknown as GroupPart);
  const isWaiting = waitsForGroup(gang, part?.phase);
  const isKnown = part !== undefined && checked.group === part.digest;
  if (isKnown && (!gang.isVolcano || queueOf(terms, part.queue) === part.queue)) return { actions: [], digest: part.digest, isWaiting };
  if (!given.isWhole) return { actions: [], isWaiting, wants: [{ owner: 'whole' }] };
  const priorities = prioritiesFor(situation);
  if (!(priorities instanceof Map)) return { actions: [], isWaiting, wants: priorities as readonly ReadWant[] };
  const spec = groupSpecOf(terms, gang, priorities as Priorities);
  const digest = digestOfGroup(spec);
  const { resource } = gang;
  if (!child || !part) {
    if (given.held?.has(nameKeyOf(resource, terms.name)))
      return { actions: [], isWaiting: true, problem: `unable to create PodGroup: ${terms.name} belongs to somebody else` };
    const why = 'its pods are to be scheduled together';
    return { actions: createActions(terms, { resource, object: groupOf(terms, gang, spec) }, why), digest, isWaiting };
  }
  const isRight = part.digest === digest && (!gang.isVolcano || queueOf(terms, part.queue) === part.queue);
  const patch = groupPatchOf(terms, gang, { spec, part });
  return {
    actions: isRight ? [] : [correctAction({ resource, child }, { type: 'merge', patch }, 'it is not as the job asks for it')],
    digest,
    isWaiting,
  };
}

/** Values of the PriorityClasses that templates name, or what is to be read to know them. */
function prioritiesFor({ terms, given }: Situation): Priorities | readonly ReadWant[] {
  if (terms.runPolicy.schedulingPolicy?.minResources) return new Map();
  const wants = priorityClassesIn(terms).map((name): ReadWant => ({ resource: PRIORITY_CLASSES, name }));
  const read = wants.map((want) => given.read?.get(readKeyOf(want, terms.namespace)));
  const missing = wants.filter((_, at) => read[at] === undefined);
  if (missing.length > 0) return missing;
  return new Map(read.flatMap((found) => (found?.objects ?? []).map(priorityOf)));
}

function priorityOf(object: KubernetesObject): [string, number] {
  const value = fieldsOf(object)['value'];
  return [textOf(object.metadata.name), typeof value === 'number' ? value : 0];
}

/** The autoscaler of a job that goes on. `isTaken`: an object of somebody else has its name; one event reports it. */
export function autoscalerStep(situation: Situation, reports: Reports): { actions: Action[]; isTaken: boolean } {
  const { terms, given } = situation;
  const resource = AUTOSCALERS;
  const step = (...actions: Action[]): { actions: Action[]; isTaken: boolean } => ({ actions, isTaken: false });
  if (!terms.framework.isAutoscaled) return step();
  const child = livingIn(situation, resource).find(({ name }) => name === terms.name);
  const spec = autoscalerSpecOf(terms);
  if (!spec) return child ? step(...deleteChildActions(terms, { resource, child }, 'the job has no metrics to scale by')) : step();
  if (child?.terminating) return step();
  if (child) {
    const part = child.part.facts as { digest: Json };
    if (part.digest === digestOfAutoscaler(spec)) return step();
    return step(correctAction({ resource, child }, { type: 'merge', patch: { spec } }, 'it is not as the job asks for it'));
  }
  const holder = given.held?.get(nameKeyOf(resource, terms.name));
  if (holder) {
    const isNews = !holder.isTerminating && reports.isNews(TAKEN.scaler, 0);
    return { actions: isNews ? [eventAction(terms, takenEvent(resource, terms.name))] : [], isTaken: true };
  }
  reports.stays(TAKEN.scaler, 0);
  if (!given.children?.has(resourceKeyOf(resource))) return step();
  return step(...createActions(terms, { resource, object: autoscalerOf(terms, spec) }, 'its workers are scaled by metrics'));
}
