// `farloop plan NAME`: what a pass would do now with a workload of the running instance.
import type { Answer } from '../../api/routes/route-table.ts';
import { ALL_FACTS } from '../../kinds/facts.ts';
import { connectToInstance, type ApiOptions } from '../instance/api-client.ts';
import { nameWorkload, workloadPathNamed } from '../queries/named-workload.ts';
import { print, type OutputFormat } from '../terminal/output.ts';

type PlanNow = Answer<'GET /v1/workloads/{cluster}/{kind}/{namespace}/{name}/plan'>;

export async function planWorkload(
  text: string,
  options: ApiOptions & { namespace?: string; cluster?: string; output: OutputFormat },
): Promise<void> {
  const api = connectToInstance(options);
  const path = await workloadPathNamed(api, { ...options, text, named: nameWorkload(text, ALL_FACTS) });
  if (path === undefined) return;
  const plan = await api.get<PlanNow>(`${path}/plan`);
  // Its lines are the API's own: what came from a cluster has escapes in them already.
  await print(plan, options.output, () => plan.text);
}
