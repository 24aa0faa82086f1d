// Calls of the provider behind an owner's node. Their intent is durable before (R5); how one failed is planned with again in the same pass.
import type { FailedCall } from '../../kinds/rows/plan.ts';
import type { Resolution } from '../../objects/environment/environment.ts';
import type { PodAddresses } from '../../objects/environment/downward-fields.ts';
import type { ResolvedPod } from '../../objects/environment/sources.ts';
import type { Pod } from '../../objects/kubernetes.ts';
import { hasPassed } from '../../ports/clock.ts';
import { NotDoneError, NotFoundError, TerminalError, ThrottledError } from '../../ports/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import { ownerEvent } from '../../kinds/rows/actions.ts';
import { NoProviderError, providerFor } from '../live/sights.ts';
import type { Execution } from '../pass/execution.ts';
import type { CallAction, Result } from '../pass/result.ts';
import { resolvedPod, UnresolvedEnvironmentError } from './environment.ts';

/** The environment's values are in the pod that was read live, and go to the provider alone. */
export async function callProvider(execution: Execution, action: CallAction): Promise<Result> {
  const { pass, clock, ports } = execution;
  const { call, node, uid, attempt, graceSeconds = 0 } = action;
  if (hasPassed(pass.deadline, clock)) return { action, error: new NotDoneError('the pass ran out of time') };
  const task = { uid, attempt };
  try {
    const provider = providerFor(ports, pass.record, node);
    const pod = call === 'start' || call === 'update' ? await podToRun(execution, action, provider.addressesOf?.(task)) : undefined;
    if (call === 'start' && pod) {
      await provider.start(task, pod, pass.deadline);
      told(execution, { events: [...(provider.warningsOf?.(pod) ?? [])] });
    } else if (call === 'update' && pod) await provider.update(task, pod, pass.deadline);
    else if (call === 'stop') await provider.stop(task, { graceSeconds }, pass.deadline);
    else await provider.forget?.(task, pass.deadline);
    pass.known.calls.push(call);
    // Earlier sights of it are out of date.
    for (const key of pass.known.sights.keys()) if (key.startsWith('task')) pass.known.sights.delete(key);
    return { action };
  } catch (error) {
    return { action, error };
  }
}

/** @throws UnresolvedEnvironmentError: the provider is not called */
async function podToRun(execution: Execution, action: CallAction, addresses: PodAddresses | undefined): Promise<ResolvedPod> {
  const { pass, budget } = execution;
  const pod = livePod(pass);
  let resolution: Resolution;
  try {
    resolution = await resolvedPod(execution, pod, { node: action.node, addresses });
  } catch (error) {
    // All heed it (R14).
    if (error instanceof ThrottledError) await budget.close(pass.record, error.retryAfterSeconds);
    // It was not sent: a deletion of the pod need not wait for a start that may be on its way.
    throw new UnresolvedEnvironmentError(error instanceof Error ? error.message : String(error), { cause: error });
  }
  told(execution, resolution);
  if ('problem' in resolution) throw new UnresolvedEnvironmentError(resolution.problem);
  return resolution.pod;
}

/** An event for each thing that is missing, also where the pod may do without. */
function told({ pass: { facts, known, pending } }: Execution, { events }: Pick<Resolution, 'events'>): void {
  const { owner } = known;
  if (owner) pending.events.push(...events.map((event) => ownerEvent(facts, owner, { type: 'Warning', ...event })));
}

/** A planner orders a start only from a whole owner. @throws NotDoneError */
function livePod({ known: { live } }: Execution['pass']): Pod {
  if (!live) throw new NotDoneError('the pod was not read live');
  return live.owner as unknown as Pod;
}

/** @returns undefined where the failure is none of the pod's */
export function failedCallOf({ call }: CallAction, error: unknown): FailedCall | undefined {
  if (!(error instanceof Error) || error instanceof NoProviderError) return undefined;
  const cause = error instanceof UnresolvedEnvironmentError ? error.cause : error;
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
    ...(cause instanceof ThrottledError && { retryAfterSeconds: cause.retryAfterSeconds }),
  };
}

export type CallPorts = Pick<Ports, 'providerOf'>;
