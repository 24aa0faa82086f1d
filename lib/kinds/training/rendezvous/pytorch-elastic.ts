// The variables of torchrun for an elastic PyTorchJob.
import { ClusterSpecError, type Terms } from '../terms/framework.ts';
import type { EnvVar } from '../../../objects/kubernetes.ts';
import { listOf, textOf } from '../../../objects/values/untyped-fields.ts';
import { nameOfSlot } from '../names/slots.ts';
import { replicasOf } from '../terms/terms.ts';
import { portNeeded, variable } from './variables.ts';

/** None without an elastic policy. @throws ClusterSpecError */
export function elasticVariables(terms: Terms): EnvVar[] {
  const { elasticPolicy } = terms.job.spec;
  if (!elasticPolicy) return [];
  const { rdzvHost, rdzvPort, rdzvBackend, rdzvId, rdzvConf, maxRestarts, nProcPerNode, standalone } = elasticPolicy;
  const pairs = listOf(rdzvConf).map(({ key, value }) => `${textOf(key)}=${textOf(value)}`);
  const host = rdzvHost ?? nameOfSlot(terms.name, { type: 'Worker', index: 0 });
  const port = rdzvPort ?? portNeeded(terms, 'Worker', 'port not found');
  return [
    variable('PET_RDZV_ENDPOINT', `${host}:${port}`),
    variable('PET_RDZV_BACKEND', rdzvBackend ?? 'c10d'),
    variable('PET_NNODES', nodeCounts(terms)),
    ...(maxRestarts === undefined ? [] : [variable('PET_MAX_RESTARTS', maxRestarts)]),
    ...(nProcPerNode === undefined ? [] : [variable('PET_NPROC_PER_NODE', nProcPerNode)]),
    ...(rdzvId === undefined ? [] : [variable('PET_RDZV_ID', rdzvId)]),
    ...(pairs.length === 0 ? [] : [variable('PET_RDZV_CONF', pairs.join(','))]),
    ...(standalone === true ? [variable('PET_STANDALONE', '')] : []),
  ];
}

function nodeCounts(terms: Terms): string {
  const { minReplicas, maxReplicas } = terms.job.spec.elasticPolicy ?? {};
  if (minReplicas !== undefined && maxReplicas !== undefined) return `${minReplicas}:${maxReplicas}`;
  const workers = replicasOf(terms, 'Worker');
  if (!workers) throw new ClusterSpecError('cannot find the worker spec');
  return String(workers.wanted);
}
