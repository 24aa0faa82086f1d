// `farloop cluster list`: how fresh what is known of each cluster is, what waits, and what may still be written.
import { Command } from 'commander';
import type { ClusterSummary } from '../../api/clusters.ts';
import { readManages } from '../../objects/manages.ts';
import { connectToInstance } from '../instance/api-client.ts';
import { stateText, withReasons } from '../queries/cluster-states.ts';
import type { AwsOptions } from './aws-session.ts';
import { openAwsSession, regionOption, registryOf, stageOption, storeOf } from './aws-session.ts';
import { UsageError } from '../terminal/exit.ts';
import { stateOption } from '../instance/instance-file.ts';
import type { OutputFormat } from '../terminal/output.ts';
import { outputOption, print, spanText, tableText } from '../terminal/output.ts';

interface ListOptions extends AwsOptions {
  output: OutputFormat;
  state?: string;
}

export const clusterListCommand = (): Command =>
  new Command('list')
    .description(
      'Show the clusters of an installation on AWS; without --stage, those of the instance on this machine, or at FARLOOP_ENDPOINT.',
    )
    .addOption(stageOption())
    .addOption(regionOption())
    .addOption(outputOption())
    .addOption(stateOption())
    .addHelpText(
      'after',
      '\nWATCH AGE: since the oldest watch last proved to be alive. BACKLOG: workloads that wait for a pass, or are in one.\n' +
        'BUDGET: writes that may go at once, of how many, and how many more each second.\n\nExample:\n  farloop cluster list --stage prod',
    )
    .action(async (options: ListOptions) => {
      const items = await summaries(options);
      await print({ items }, options.output, ({ items: shown }) =>
        shown.length === 0 ? 'no clusters' : withReasons(shown, tableOf(shown)),
      );
    });

async function summaries(options: ListOptions): Promise<ClusterSummary[]> {
  if (options.stage === undefined) {
    if (options.region !== undefined) throw new UsageError('--region needs --stage: an instance on this machine is in no region');
    return (await connectToInstance({ state: options.state }).get<{ items: ClusterSummary[] }>('/v1/clusters')).items;
  }
  if (options.state !== undefined)
    throw new UsageError('--state and --stage contradict each other: an instance on this machine, or one on AWS');
  const session = await openAwsSession(options);
  try {
    const [{ listClusters }, { clusters }, { store, clock }] = await Promise.all([
      import('../../api/clusters.ts'),
      registryOf(session),
      storeOf(session),
    ]);
    return await listClusters({ clusters, store, clock });
  } finally {
    session.close();
  }
}

const tableOf = (items: readonly ClusterSummary[]): string =>
  tableText(
    ['NAME', 'STATE', 'MANAGE', 'NAMESPACES', 'WATCH AGE', 'BACKLOG', 'BUDGET'],
    items.map(({ name, manage, manages, namespaces, relay, backlog, budget, left, ...told }) => [
      name,
      stateText(told),
      readManages({ manage, manages }).join(','),
      namespaces.length === 0 ? 'all' : namespaces.join(','),
      relay ? spanText(1000 * Math.max(0, ...relay.watches.map(({ ageSeconds }) => ageSeconds))) : '-',
      String(backlog),
      left.closedForSeconds > 0
        ? `closed for ${spanText(left.closedForSeconds * 1000)}`
        : `${left.writes}/${budget.burst} +${budget.writesPerSecond}/s`,
    ]),
  );
