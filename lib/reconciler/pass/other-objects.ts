// Writes to objects other than the owner and its pods. A create is safe to repeat because of its name, a patch or a delete because of its
// uid (R8).
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import { ConflictError, NotFoundError } from '../../ports/errors.ts';
import type { CreateAction } from './creates.ts';
import type { Pass } from './pass.ts';
import type { DeleteAction, PatchAction, Result } from './result.ts';

/** AlreadyExists is a conflict: the pass reads the object again and decides by what it finds. */
export async function createOther(pass: Pass, action: CreateAction): Promise<Result> {
  try {
    await pass.cluster.create<KubernetesObject>(action.resource, action.object, pass.deadline);
    return { action };
  } catch (error) {
    return { action, error };
  } finally {
    pass.read.clear();
  }
}

/** The actions on one object, in their order. After a failure the rest is not done. */
export async function runOtherChain(pass: Pass, chain: readonly (PatchAction | DeleteAction)[]): Promise<Result[]> {
  const results: Result[] = [];
  // Earlier reads are out of date now, whatever the outcome of the calls.
  pass.read.clear();
  for (const action of chain) {
    const result = action.verb === 'patch' ? await patchOther(pass, action) : await deleteOther(pass, action);
    results.push(result);
    if (result.error !== undefined) break;
  }
  return results;
}

async function patchOther(pass: Pass, action: PatchAction): Promise<Result> {
  const { namespace, name, uid, resourceVersion, type, patch } = action;
  const { metadata, ...rest } = patch as { metadata?: object };
  const body = { ...rest, metadata: { ...metadata, uid, ...(resourceVersion !== undefined && { resourceVersion }) } };
  try {
    await pass.cluster.patch<KubernetesObject>(action.resource, { namespace, name, uid }, { type, body }, pass.deadline);
    return { action };
  } catch (error) {
    // The object was there when the plan was made. Plan again from the current state.
    if (error instanceof NotFoundError) return { action, error: new ConflictError(`${action.kind} ${name} is gone`, { cause: error }) };
    return { action, error };
  }
}

async function deleteOther(pass: Pass, action: DeleteAction): Promise<Result> {
  const { namespace, name, uid, resourceVersion, propagationPolicy } = action;
  const conditions = { ...(resourceVersion !== undefined && { resourceVersion }), ...(propagationPolicy && { propagationPolicy }) };
  try {
    await pass.cluster.delete<KubernetesObject>(action.resource, { namespace, name, uid, ...conditions }, pass.deadline);
    return { action };
  } catch (error) {
    return error instanceof NotFoundError ? { action, changedNothing: true } : { action, error };
  }
}
