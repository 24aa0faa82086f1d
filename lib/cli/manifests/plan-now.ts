// `farloop plan NAME`: what a pass would do now with a workload of the running instance, or the next step with a run.
import type { Answer } from '../../api/routes/route-table.ts';
import { ALL_FACTS } from '../../kinds/facts.ts';
import { connectToInstance, type ApiOptions } from '../instance/api-client.ts';
import { nameWorkload, textsNamed, workloadPathNamed } from '../queries/named-workload.ts';
import { showRunPlan } from '../run-records/explain-run.ts';
import { findRun } from '../run-records/run-named.ts';
import { print, type OutputFormat } from '../terminal/output.ts';

type PlanNow = Answer<'GET /v1/workloads/{cluster}/{kind}/{namespace}/{name}/plan'>;

export async function planWorkload(
  text: string,
  options: ApiOptions & { namespace?: string; cluster?: string; output: OutputFormat },
): Promise<void> {
  const run = await findRun(
    { ...options, text, kinds: ALL_FACTS, workloadsNamed: async (name) => await textsNamed(connectToInstance(options), name) },
    async (source, id) => await source.plan(id),
  );
  if (run) return await showRunPlan(run.found, options.output);
  const api = connectToInstance(options);
  const path = await workloadPathNamed(api, { ...options, text, named: nameWorkload(text, ALL_FACTS) });
  if (path === undefined) return;
  const plan = await api.get<PlanNow>(`${path}/plan`);
  // Its lines are the API's own: what came from a cluster has escapes in them already.
  await print(plan, options.output, () => plan.text);
}
