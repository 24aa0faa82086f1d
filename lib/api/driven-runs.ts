// Requests about runs where functions drive them: the request is written down, and a message goes on with it.
import type { Ports } from '../ports/ports.ts';
import { RunRefusedError, type RunHost } from '../ports/runs.ts';
import { wakeRun } from '../reconciler/runs/run-messages.ts';
import { runHost } from './runs.ts';

/** Of a deployment. */
const RUN_PROVIDER_PARAMETER = 'runProvider';
const NONE = `this installation has no provider for runs: deploy it with the parameter ${RUN_PROVIDER_PARAMETER}, as in ${RUN_PROVIDER_PARAMETER}=http:https://provider.example:9000`;

/** @returns undefined: messages drive no runs here */
export function drivenRunHost({ clock, queue, drivenRuns }: Pick<Ports, 'clock' | 'queue' | 'drivenRuns'>): RunHost | undefined {
  if (!drivenRuns) return undefined;
  const { records, provider: own, providerOf } = drivenRuns;
  const host = runHost({
    records,
    clock,
    ...(own !== undefined && { usualProvider: own }),
    problemOfProvider: (word) =>
      word === own
        ? undefined
        : `runs of this installation go to the provider of its parameter ${RUN_PROVIDER_PARAMETER} alone: leave the field out`,
    nodeNamed: async () => ({ problem: NONE }),
    withoutCluster: `runs of this installation go to the provider of its parameter ${RUN_PROVIDER_PARAMETER}, which belongs to no cluster, so no pod of a cluster is shown or evicted: use farloop run-once --node, or the API of farloop up`,
    cannotOf: async (run) => providerOf(run).limits().cannot,
    wake: async (id) => await wakeRun({ queue, clock }, id),
    isSwept: true,
  });
  return {
    ...host,
    start: async (body) => {
      if (own === undefined) throw new RunRefusedError(501, NONE);
      return await host.start(body);
    },
  };
}
