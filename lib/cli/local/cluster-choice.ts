// The clusters of a local instance, as `farloop up` is told of them: kubeconfigs, contexts of one, and the names that they get.
import { existsSync } from 'node:fs';
import { REGISTERED } from '../../ports/clusters.ts';
import { UsageError } from '../terminal/exit.ts';

export interface KubeconfigOfCluster {
  file: string;
  /** Absent: the file's current one. */
  context?: string;
  /** Absent: derived from the context. */
  name?: string;
}

/** `NAME=FILE`, where no file is called so as a whole; else a file. */
function kubeconfigIn(text: string): KubeconfigOfCluster {
  const [, name = '', file = ''] = /^([^=/]+)=(.+)$/.exec(text) ?? [];
  if (name === '' || existsSync(text)) return { file: text };
  if (!REGISTERED.name.test(name))
    throw new UsageError(
      `--kubeconfig ${text}: ${JSON.stringify(name)} names no cluster: expected lower case letters, digits and dashes, 40 at most, as in west=FILE; a file of that name needs ./ before it`,
    );
  return { file, name };
}

/**
 * One cluster for each kubeconfig, or for each context of the only one.
 * @returns none: the sandbox
 * @throws UsageError for a choice that says nothing, or that fits no single cluster
 */
export function clustersGiven(kubeconfigs: readonly string[], contexts: readonly string[]): KubeconfigOfCluster[] {
  const files = kubeconfigs.map(kubeconfigIn);
  const [first] = files;
  if (!first) {
    if (contexts.length > 0) throw new UsageError('--context needs --kubeconfig: the sandbox has one context only');
    return [];
  }
  if (files.length > 1 && contexts.length > 0)
    throw new UsageError(
      `--context ${contexts[0]} does not say which of the ${files.length} kubeconfigs it is of: each works with its current context, or give one kubeconfig and a --context for each cluster`,
    );
  if (first.name !== undefined && contexts.length > 1)
    throw new UsageError(
      `--kubeconfig ${first.name}=${first.file}: ${contexts.length} contexts would all be called ${first.name}: leave the name out`,
    );
  const repeated = contexts.find((context, at) => contexts.indexOf(context) !== at);
  if (repeated !== undefined) throw new UsageError(`--context ${repeated} is given twice: one cluster is worked on once`);
  return contexts.length === 0 ? files : contexts.map((context) => ({ ...first, context }));
}

/**
 * What works on one cluster alone.
 * @throws UsageError where it is given with several
 */
export function refuseForSeveral(count: number, { apply, nodes }: { apply: readonly string[]; nodes: readonly { name: string }[] }): void {
  if (count < 2) return;
  const [node] = nodes;
  if (node)
    throw new UsageError(
      `--virtual-node ${node.name}=… works with one cluster only: a node's tasks would belong to ${count}. Start an instance for each such cluster, with a --state and a --port of its own`,
    );
  if (apply.length > 0)
    throw new UsageError(
      `--apply ${apply[0]} does not say onto which of the ${count} clusters: apply it by kubectl, as in kubectl --kubeconfig FILE apply -f ${apply[0]}`,
    );
}
