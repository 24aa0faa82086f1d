// Live reads of children other than pods.
import { resourceKeyOf, type ChildState } from '../../objects/child-state.ts';
import type { KubernetesObject, ObjectMeta } from '../../objects/kubernetes.ts';
import { controllerOf } from '../../objects/pods/pod-facts.ts';
import { isNewer } from '../../objects/values/resource-version.ts';
import type { ChildFacts } from '../../kinds/rows/kind.ts';
import type { ListAnswer } from '../../ports/cluster.ts';
import { NotFoundError, TerminalError } from '../../ports/errors.ts';
import { RestoredServerError } from '../cluster/era.ts';
import type { Pass } from '../pass/pass.ts';

/** Lists the children of these rows live (R1). @throws RestoredServerError; OversizedPartError */
export async function listOthers(pass: Pass, rows: readonly ChildFacts[] = pass.facts.children): Promise<void> {
  for (const row of rows) {
    const known = pass.known.children.newestOf(row);
    let list = await listOf(pass, row);
    // As with pods (R3): a live list cannot lag, so a second look decides.
    if (list && isNewer(known, list.resourceVersion)) {
      pass.sawStale(row.resource);
      list = await listOf(pass, row);
    }
    if (list && isNewer(known, list.resourceVersion))
      throw new RestoredServerError(
        `the API server is at ${list.resourceVersion}, and ${known} of ${resourceKeyOf(row.resource)} had been observed`,
      );
    const items = (list?.items ?? []).filter(({ metadata }) => isChildOf(pass, row, metadata));
    if (list) pass.known.children.observeList(row, items, list.resourceVersion);
    else pass.known.children.observeNone(row);
  }
}

/** Whether it belongs to the workload, or is the workload's to adopt. */
const isChildOf = (pass: Pass, row: ChildFacts, metadata: ObjectMeta): boolean =>
  row.membershipOf(metadata)?.uid === pass.key.uid || isOrphanOf(pass, row, metadata);

/** Whether nobody controls it, and the workload may adopt it. */
export const isOrphanOf = ({ key }: Pass, { mayAdopt }: ChildFacts, metadata: ObjectMeta): boolean =>
  controllerOf(metadata.ownerReferences) === undefined && (mayAdopt?.(key, metadata) ?? false);

/** @returns undefined if the API server serves no such resource: then there are no such children */
async function listOf(pass: Pass, row: ChildFacts): Promise<ListAnswer<KubernetesObject> | undefined> {
  const { resource, fields } = row;
  const selection = { ...(resource.namespaced && { namespace: pass.key.namespace }), ...row.selection(pass.key, pass.known.owner), fields };
  try {
    return await pass.cluster.list<KubernetesObject>(resource, selection, pass.deadline);
  } catch (error) {
    if (isNotServed(error)) return undefined;
    throw error;
  }
}

/** Reads children by name that no selection shows any more: they are gone, or have lost a label (trap 1). */
export async function readStrayed(pass: Pass): Promise<void> {
  for (const { row, child } of pass.known.children.strayed) await readOther(pass, row, child);
}

/** Reads one child live. If another object has its name, this one is gone. One that somebody else controls by now is no child any more. */
export async function readOther(pass: Pass, row: ChildFacts, child: ChildState): Promise<void> {
  const object = await getByName(pass, row, child.name);
  const controller = object && controllerOf(object.metadata.ownerReferences);
  const isOthers = controller !== undefined && controller.uid !== pass.key.uid;
  if (object?.metadata.uid === child.uid && !isOthers) pass.known.children.observe(row, object);
  else pass.known.children.observeGone(row, child);
}

/** @returns undefined if there is no such object */
export async function getByName(pass: Pass, { resource, fields }: ChildFacts, name: string): Promise<KubernetesObject | undefined> {
  const { namespace } = pass.key;
  try {
    return (await pass.cluster.get<KubernetesObject>(resource, { namespace, name }, pass.deadline, { fields })).object;
  } catch (error) {
    if (isNotServed(error)) return undefined;
    throw error;
  }
}

const isNotServed = (error: unknown): boolean => error instanceof NotFoundError || (error instanceof TerminalError && error.code === 404);
