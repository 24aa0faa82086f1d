// Calls of the provider behind an owner's node. Their intent is durable before (R5); how one failed is planned with again in the same pass.
import type { FailedCall } from '../../kinds/rows/plan.ts';
import type { Resolution } from '../../objects/environment/environment.ts';
import type { Pod } from '../../objects/kubernetes.ts';
import { hasPassed } from '../../ports/clock.ts';
import { NotDoneError, NotFoundError, TerminalError, ThrottledError } from '../../ports/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import { ownerEvent } from '../../kinds/rows/actions.ts';
import { NoProviderError, providerFor } from '../live/sights.ts';
import type { Execution } from '../pass/execution.ts';
import type { CallAction, Result } from '../pass/result.ts';
import { resolvedPod, UnresolvedEnvironmentError } from './environment.ts';

/**
 * The environment's values are in the pod that was read live, and go to the provider alone.
 * @throws the errors of a cluster that does not tell what the environment names
 */
export async function callProvider(execution: Execution, action: CallAction): Promise<Result> {
  const { pass, clock, ports } = execution;
  const { call, node, uid, attempt, graceSeconds = 0 } = action;
  if (hasPassed(pass.deadline, clock)) return { action, error: new NotDoneError('the pass ran out of time') };
  const task = { uid, attempt };
  const resolution = call === 'stop' ? undefined : told(execution, await resolvedPod(execution, livePod(pass), action));
  if (resolution && 'problem' in resolution) return { action, error: new UnresolvedEnvironmentError(resolution.problem) };
  try {
    const provider = providerFor(ports, pass.record, node);
    if (call === 'stop') await provider.stop(task, { graceSeconds }, pass.deadline);
    else if (resolution) await provider[call](task, resolution.pod, pass.deadline);
    pass.known.calls.push(call);
    // Earlier sights of it are out of date.
    for (const key of pass.known.sights.keys()) if (key.startsWith('task')) pass.known.sights.delete(key);
    return { action };
  } catch (error) {
    return { action, error };
  }
}

/** An event for each thing that is missing, also where the pod may do without. */
function told({ pass: { facts, known, pending } }: Execution, resolution: Resolution): Resolution {
  const { owner } = known;
  if (owner) pending.events.push(...resolution.events.map((event) => ownerEvent(facts, owner, { type: 'Warning', ...event })));
  return resolution;
}

/** A planner orders a start only from a whole owner. @throws NotDoneError */
function livePod({ known: { live } }: Execution['pass']): Pod {
  if (!live) throw new NotDoneError('the pod was not read live');
  return live.owner as unknown as Pod;
}

/** @returns undefined where the failure is none of the pod's */
export function failedCallOf({ call }: CallAction, error: unknown): FailedCall | undefined {
  if (!(error instanceof Error) || error instanceof NoProviderError) return undefined;
  const outcome =
    error instanceof UnresolvedEnvironmentError
      ? 'unresolved'
      : error instanceof NotFoundError
        ? 'notFound'
        : error instanceof TerminalError
          ? 'refused'
          : error instanceof NotDoneError || error instanceof ThrottledError
            ? 'notDone'
            : 'unknown';
  return {
    call,
    message: error.message,
    outcome,
    ...(error instanceof ThrottledError && { retryAfterSeconds: error.retryAfterSeconds }),
  };
}

export type CallPorts = Pick<Ports, 'providerOf'>;
