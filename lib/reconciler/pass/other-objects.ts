// Writes to objects other than the owner and its pods: the name is what makes a create safe to repeat, the uid a patch or a delete (R8).
import type { KubernetesObject } from '../../objects/kubernetes.ts';
import { ConflictError, NotFoundError } from '../../ports/errors.ts';
import type { CreateAction } from './creates.ts';
import type { Pass } from './pass.ts';
import type { DeleteAction, PatchAction, Result } from './result.ts';

/** AlreadyExists is a conflict: what there is decides, once it is read again. */
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

/** The actions on one object, in their order; a failure leaves the rest of them undone. */
export async function runOtherChain(pass: Pass, chain: readonly (PatchAction | DeleteAction)[]): Promise<Result[]> {
  const results: Result[] = [];
  // What was read before is no more what there is, whatever came of the calls.
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
    // It was there when it was planned from: what there is now decides.
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
