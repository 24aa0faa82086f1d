// Writes to children of every resource, and to objects that are no children. A create is safe to repeat because of its name, a patch or a
// delete because of its uid (R8).
import { nameKeyOf } from '../../kinds/rows/plan.ts';
import { ConflictError, NotFoundError, TerminalError } from '../../ports/errors.ts';
import { forgetReads } from '../live/wanted.ts';
import type { Pass } from '../pass/pass.ts';
import type { ResourceChildren } from '../pass/resource-children.ts';
import type { CreateAction, DeleteAction, PatchAction, Result } from '../pass/result.ts';
import { preconditionedPatch } from './preconditioned-patch.ts';

/** A foreign pod holds the name of a pod to be created (R5). */
export class ForeignNamesakeError extends ConflictError {}

/** AlreadyExists of an object that is no child is a conflict. */
export async function create(pass: Pass, action: CreateAction): Promise<Result> {
  const objects = pass.known.children.objectsOf(action.resource);
  const { children } = objects;
  try {
    const object = await objects.create(action.object);
    children?.observe(object, 'create');
    countCreate(pass, action, 'succeeded');
    return { action };
  } catch (error) {
    // The namespace is terminating, and the owner with it. No event is sent and nothing counts (spec 12.2).
    if (children?.isCounted && error instanceof TerminalError && error.causes.some(({ reason }) => reason === 'NamespaceTerminating')) {
      pass.known.namespaceEnds = true;
      return { action, changedNothing: true };
    }
    const isTaken = error instanceof ConflictError && error.reason === 'alreadyExists';
    // A name that is used again is met in the course of things: only a create under a number has failed.
    if (!(isTaken && children && !children.isCounted)) countCreate(pass, action, 'failed');
    return isTaken && children ? await meetNamesake(pass, children, action) : { action, error };
  } finally {
    forgetReads(pass, action.resource);
  }
}

function countCreate(
  { pending: { counted }, decided: { planned }, known, row }: Pass,
  { resource }: CreateAction,
  result: 'succeeded' | 'failed',
): void {
  if (!known.children.isCounted(resource)) counted.push(...(row.metrics.ofOtherCreate?.(resource, result) ?? []));
  else if (planned) counted.push(...(row.metrics.ofCreate?.(planned.plan, result) ?? []));
}

/**
 * AlreadyExists is neither success nor failure (R5). If the object is ours, it is merged; if it is the very one, the create is settled,
 * whatever state the object is in. If it is foreign, it holds this name, or the planner sees that the number is taken.
 */
async function meetNamesake(pass: Pass, children: ResourceChildren, action: CreateAction): Promise<Result> {
  const { resource } = children;
  const name = action.object.metadata.name ?? '';
  try {
    const object = await children.get(name);
    // It was deleted between the two calls, so plan again.
    if (!object) return { action, error: new ConflictError(`${resource.kind} ${name} came and went`, { reason: 'alreadyExists' }) };
    const isOurs = children.isOurs(object);
    if (isOurs) children.observe(object, 'get');
    if (isOurs && children.isAt(object, action.child)) return { action };
    if (children.namesAreReused) {
      // An earlier object of ours is planned from. A foreign one holds this place, and only this one.
      const { uid = '', deletionTimestamp } = object.metadata;
      if (!isOurs) pass.known.held.set(nameKeyOf(resource, name), { uid, isTerminating: deletionTimestamp !== undefined });
      pass.decided.namesakes.push({ resource, name, isForeign: !isOurs });
      return { action, changedNothing: true };
    }
    // Take the next number: this workload can never have this name.
    if (action.child)
      pass.pending.state = { ...pass.pending.state, ordinal: Math.max(pass.pending.state.ordinal, action.child.number + 1) };
    return {
      action,
      // The object is ours, but somebody has changed its annotations. The same create would collide with it for ever.
      error: new ForeignNamesakeError(
        `${resource.plural} "${name}" already exists and ${isOurs ? 'has been made another one by hand' : 'belongs to somebody else'}`,
        { reason: 'alreadyExists' },
      ),
    };
  } catch (error) {
    return { action, error };
  }
}

/** The actions on one object, in their order. After a failure the rest is not done, except a delete that is marked to be sent even then. */
export async function runChain(pass: Pass, chain: readonly (PatchAction | DeleteAction)[]): Promise<Result[]> {
  const results: Result[] = [];
  const deletes = chain.filter((action) => action.verb === 'delete');
  const activeDelete = deletes.find(({ active }) => active);
  // A pod that is taken to be active must still be in the state that was judged. Every call on it has that precondition (R8).
  let guard = deletes.find(({ resourceVersion }) => resourceVersion !== undefined)?.resourceVersion;
  for (const action of chain) {
    const { children } = pass.known.children.objectsOf(action.resource);
    forgetReads(pass, action.resource);
    try {
      if (action.verb === 'patch') {
        const version = await patchChild(pass, action, guard);
        if (guard !== undefined) guard = version;
      } else await deleteChild(pass, action, guard);
      results.push({ action });
    } catch (error) {
      if (error instanceof NotFoundError) {
        children?.observeGone(action.uid);
        if (action.verb === 'delete' || children?.isCounted) {
          results.push({ action, changedNothing: true });
          continue;
        }
        // The object was there when the plan was made. Plan again from the current state.
        return [...results, { action, error: new ConflictError(`${action.kind} ${action.name} is gone`, { cause: error }) }];
      }
      // Its uid or version is another one by now.
      if (error instanceof ConflictError) await children?.readAgain(action.uid);
      const isBeforeDelete = activeDelete !== undefined && action.verb === 'patch' && action.purpose === 'strip';
      const goesAllTheSame = isBeforeDelete && activeDelete.evenTracked === true && error instanceof TerminalError;
      results.push({ action, error, ...(isBeforeDelete && !goesAllTheSame && { keepsDelete: true }) });
      if (!goesAllTheSame) return results;
    }
  }
  return results;
}

/** @returns the version after the patch */
async function patchChild(pass: Pass, action: PatchAction, guard: string | undefined): Promise<string | undefined> {
  const objects = pass.known.children.objectsOf(action.resource);
  const pod = pass.known.view.children.get(action.uid)?.child;
  const body = preconditionedPatch(action.patch, { uid: action.uid, resourceVersion: guard ?? action.resourceVersion });
  const object = await objects.patch(action, { type: action.type, body });
  if (pod && pass.known.owner) pass.pending.counted.push(...(pass.row.metrics.ofPatch?.(action, { owner: pass.known.owner, pod }) ?? []));
  objects.children?.observe(object, 'patch');
  return object.metadata.resourceVersion;
}

async function deleteChild(pass: Pass, action: DeleteAction, guard: string | undefined): Promise<void> {
  const objects = pass.known.children.objectsOf(action.resource);
  const { children } = objects;
  const { namespace, name, uid, propagationPolicy } = action;
  const resourceVersion = guard ?? action.resourceVersion;
  const object = await objects.delete({
    namespace,
    name,
    uid,
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(propagationPolicy && { propagationPolicy }),
  });
  if (object) children?.observe(object, 'delete');
  else children?.observeGone(uid);
  if (!children?.isCounted) pass.pending.counted.push(...(pass.row.metrics.ofOtherDelete?.(action.resource) ?? []));
}
