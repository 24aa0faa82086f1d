// The write of the owner's status, and what shows that a definition drops it.
import type { WorkloadObject } from '../../objects/kubernetes.ts';
import { fieldsOf } from '../../objects/values/untyped-fields.ts';
import { ConflictError, NotFoundError, TerminalError } from '../../ports/errors.ts';
import { statusDigestOf } from '../head/pass-state.ts';
import type { Pass } from '../pass/pass.ts';
import type { Result, StatusAction } from '../pass/result.ts';

/** A merge patch of the whole status. It does not send the metadata, because a view does not hold all of it. */
export async function replaceStatus(pass: Pass, action: StatusAction): Promise<Result> {
  const owner = pass.known.owner;
  if (!owner) return { action, error: new ConflictError('the owner is gone') };
  const status = pass.row.status.patchOf(action.status);
  const { uid, resourceVersion } = owner.metadata;
  try {
    const target = { namespace: pass.key.namespace, name: pass.key.name, uid: pass.key.uid, subresource: 'status' };
    const { object, dateMs } = await pass.cluster.patch<WorkloadObject>(
      pass.facts.resource,
      target,
      { type: 'merge', body: { metadata: { uid, resourceVersion }, status } },
      pass.deadline,
    );
    const dropped = droppedFields(status, object.status);
    if (dropped.length > 0) return { action, error: new TerminalError(droppedText(pass, dropped.join(', '))) };
    pass.pending.counted.push(...(pass.row.metrics.ofStatus?.(owner, object) ?? []));
    pass.known.observeOwner(object, dateMs);
    pass.decided.wroteStatus = true;
    pass.pending.state = { ...pass.pending.state, statusDigest: statusDigestOf(object.status), statusWrittenAtMs: dateMs };
    return { action };
  } catch (error) {
    return { action, error: error instanceof NotFoundError ? await withoutStatus(pass, error) : error };
  }
}

/** A custom resource without a subresource `status` is answered for as one that is not there. */
async function withoutStatus(pass: Pass, cause: NotFoundError): Promise<Error> {
  try {
    await pass.known.readOwner();
    return new TerminalError(droppedText(pass, 'there is no subresource status'), { cause });
  } catch {
    // Whether it is gone shows when the pass reads it again.
    return new ConflictError('the owner is gone', { cause });
  }
}

/** Fields that were written with something in them, and that the answer lacks: the schema of a custom resource prunes what it does not name. */
function droppedFields(written: unknown, kept: unknown): string[] {
  const left = fieldsOf(kept);
  return Object.entries(fieldsOf(written)).flatMap(([field, value]) => {
    const isFilled =
      typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : typeof value === 'string' && value !== '';
    return isFilled && left[field] === undefined ? [field] : [];
  });
}

const droppedText = ({ facts: { resource } }: Pass, what: string): string =>
  `the definition ${resource.plural}.${resource.apiVersion.split('/')[0]} drops the status that Farloop writes (${what}): apply one that keeps it, as farloop crds prints it`;
