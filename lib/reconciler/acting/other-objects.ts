// Writes to objects other than the owner and its pods. A create is safe to repeat because of its name, a patch or a delete because of its
// uid (R8).
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import type { ChildFacts } from '../../kinds/rows/kind.ts';
import { nameKeyOf } from '../../kinds/rows/plan.ts';
import { controllerOf } from '../../objects/pods/pod-facts.ts';
import type { Reading } from '../../ports/cluster.ts';
import { ConflictError, NotFoundError } from '../../ports/errors.ts';
import { getByName, isOrphanOf, readOther } from '../live/other-children.ts';
import type { Pass } from '../pass/pass.ts';
import type { CreateAction, DeleteAction, PatchAction, Result } from '../pass/result.ts';
import { preconditionedPatch } from './preconditioned-patch.ts';
import { forgetReads } from '../live/wanted.ts';

/**
 * AlreadyExists of a child is neither success nor failure (R5): the object that has the name is merged, or holds this place, and the pass
 * plans again. AlreadyExists of any other object is a conflict.
 */
export async function createOther(pass: Pass, action: CreateAction): Promise<Result> {
  const row = pass.known.children.rowOf(action.resource);
  try {
    const { object } = await pass.cluster.create<KubernetesObject>(action.resource, action.object, pass.deadline, readingOf(row));
    if (row) pass.known.children.observe(row, object);
    pass.pending.counted.push(...(pass.row.metrics.ofOtherCreate?.(action.resource, 'succeeded') ?? []));
    return { action };
  } catch (error) {
    if (row && error instanceof ConflictError && error.reason === 'alreadyExists') return await meetOther(pass, row, action);
    pass.pending.counted.push(...(pass.row.metrics.ofOtherCreate?.(action.resource, 'failed') ?? []));
    return { action, error };
  } finally {
    forgetReads(pass, action.resource);
  }
}

/** The fields that a child's row reads of it; whole objects are answered for wanted ones alone. */
const readingOf = (row: ChildFacts | undefined): Reading => (row ? { fields: row.fields } : {});

async function meetOther(pass: Pass, row: ChildFacts, action: CreateAction): Promise<Result> {
  const name = action.object.metadata.name ?? '';
  try {
    const object = await getByName(pass, row, name);
    // It was deleted between the two calls, so plan again.
    if (!object) return { action, error: new ConflictError(`${row.resource.kind} ${name} came and went`, { reason: 'alreadyExists' }) };
    const { uid = '', deletionTimestamp, ownerReferences } = object.metadata;
    const isControlled = controllerOf(ownerReferences)?.uid === pass.key.uid;
    const isOurs = isControlled || (deletionTimestamp === undefined && isOrphanOf(pass, row, object.metadata));
    if (isOurs) pass.known.children.observe(row, object);
    else pass.known.held.set(nameKeyOf(row.resource, name), { uid, isTerminating: deletionTimestamp !== undefined });
    pass.decided.namesakes.push({ resource: row.resource, name, isForeign: !isOurs });
    return { action, changedNothing: true };
  } catch (error) {
    return { action, error };
  }
}

/** The actions on one object, in their order. After a failure the rest is not done. */
export async function runOtherChain(pass: Pass, chain: readonly (PatchAction | DeleteAction)[]): Promise<Result[]> {
  const results: Result[] = [];
  for (const action of chain) {
    forgetReads(pass, action.resource);
    const result = action.verb === 'patch' ? await patchOther(pass, action) : await deleteOther(pass, action);
    results.push(result);
    if (result.error !== undefined) break;
  }
  return results;
}

async function patchOther(pass: Pass, action: PatchAction): Promise<Result> {
  const { namespace, name, uid, resourceVersion, type, patch } = action;
  const row = pass.known.children.rowOf(action.resource);
  try {
    const { object } = await pass.cluster.patch<KubernetesObject>(
      action.resource,
      { namespace, name, uid },
      { type, body: preconditionedPatch(patch, { uid, resourceVersion }) },
      pass.deadline,
      readingOf(row),
    );
    if (row) pass.known.children.observe(row, object);
    return { action };
  } catch (error) {
    // The object was there when the plan was made. Plan again from the current state.
    if (error instanceof NotFoundError) {
      noteGone(pass, action);
      return { action, error: new ConflictError(`${action.kind} ${name} is gone`, { cause: error }) };
    }
    if (error instanceof ConflictError) await readAgain(pass, action);
    return { action, error };
  }
}

async function deleteOther(pass: Pass, action: DeleteAction): Promise<Result> {
  const { namespace, name, uid, resourceVersion, propagationPolicy } = action;
  const conditions = { ...(resourceVersion !== undefined && { resourceVersion }), ...(propagationPolicy && { propagationPolicy }) };
  const row = pass.known.children.rowOf(action.resource);
  try {
    const { object } = await pass.cluster.delete<KubernetesObject>(
      action.resource,
      { namespace, name, uid, ...conditions },
      pass.deadline,
      readingOf(row),
    );
    if (row && object) pass.known.children.observe(row, object);
    else noteGone(pass, action);
    pass.pending.counted.push(...(pass.row.metrics.ofOtherDelete?.(action.resource) ?? []));
    return { action };
  } catch (error) {
    if (error instanceof NotFoundError) {
      noteGone(pass, action);
      return { action, changedNothing: true };
    }
    if (error instanceof ConflictError) await readAgain(pass, action);
    return { action, error };
  }
}

function noteGone(pass: Pass, action: PatchAction | DeleteAction): void {
  const known = pass.known.children.find(action.resource, action.uid);
  if (known) pass.known.children.observeGone(known.row, known.child);
}

/** Its uid or version is another one by now. */
async function readAgain(pass: Pass, action: PatchAction | DeleteAction): Promise<void> {
  const known = pass.known.children.find(action.resource, action.uid);
  if (known) await readOther(pass, known.row, known.child);
}
