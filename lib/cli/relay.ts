// `farloop relay`: the relay alone, beside a cluster, sending to the events queue of an installation on AWS.
import { Command, Option } from 'commander';
import { clusterName, collectNamespaces, queueUrl, wholeNumber } from './arguments.ts';
import { UsageError } from './exit.ts';
import { connectToSqs } from './sqs-client.ts';
import { listenForStop } from './stop-signals.ts';

interface RelayOptions {
  cluster: string;
  eventsQueueUrl: string;
  asksQueueUrl: string;
  kubeconfig?: string;
  context?: string;
  manage: 'own' | 'all-jobs';
  namespace?: string[];
  era: number;
  access: 'direct' | 'relayed';
  logLevel: 'debug' | 'info' | 'warn' | 'error';
}

export const relayCommand = (): Command =>
  new Command('relay')
    .description('Run the relay alone: watch a cluster and report to the events queue of an installation on AWS.')
    .requiredOption('--cluster <name>', 'name under which the cluster is registered', clusterName)
    .requiredOption('--events-queue-url <url>', 'SQS queue to report to', queueUrl)
    .requiredOption('--asks-queue-url <url>', "SQS queue from which the relay is asked: the cluster's own", queueUrl)
    .option('--kubeconfig <file>', 'the cluster to watch (default: the one it runs in, by its service account)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .addOption(
      new Option('--manage <jobs>', 'which Jobs to report, as the cluster is registered').choices(['own', 'all-jobs']).default('own'),
    )
    .option('--namespace <name>', 'watch this namespace only; may be given several times', collectNamespaces)
    .addOption(
      new Option('--access <how>', 'as the cluster is registered; relayed: carry out the commands of passes, with the rights of this relay')
        .choices(['direct', 'relayed'])
        .default('direct'),
    )
    .option('--era <number>', 'era of the cluster, as registered', wholeNumber({ min: 0, max: 999_999_999 }), 0)
    .addOption(
      new Option('--log-level <level>', 'what to log on standard error').choices(['debug', 'info', 'warn', 'error']).default('info'),
    )
    .addHelpText(
      'after',
      '\nExample:\n  farloop relay --cluster staging --events-queue-url https://sqs.eu-central-1.amazonaws.com/123456789012/farloop-events \\\n    --asks-queue-url https://sqs.eu-central-1.amazonaws.com/123456789012/farloop-relay-staging',
    )
    .action(async (options: RelayOptions) => {
      process.exitCode = await runRelay(options);
    });

async function runRelay({
  cluster,
  eventsQueueUrl,
  asksQueueUrl,
  kubeconfig,
  context,
  manage,
  namespace = [],
  era,
  access: how,
  logLevel,
}: RelayOptions): Promise<number> {
  if (context !== undefined && kubeconfig === undefined) throw new UsageError('--context needs --kubeconfig');
  const stopping = listenForStop();
  // Before anything else is loaded: it works at the start of a process only.
  const { keepHeapSmall } = await import('../relay/small-heap.ts');
  keepHeapSmall();
  const [
    { startRelay },
    { SqsQueue },
    { KubernetesCluster },
    { accessFromKubeconfig, accessFromServiceAccount },
    { LineTelemetry },
    { SystemClock },
  ] = await Promise.all([
    import('../relay/relay.ts'),
    import('../adapters/sqs-queue.ts'),
    import('../adapters/kubernetes-cluster.ts'),
    import('../adapters/kubernetes/kubeconfig.ts'),
    import('../adapters/line-telemetry.ts'),
    import('../adapters/system-clock.ts'),
  ]);
  const clock = new SystemClock();
  const access =
    kubeconfig === undefined
      ? await accessFromServiceAccount(process.env)
      : await accessFromKubeconfig({ file: kubeconfig, ...(context !== undefined && { context }) });
  const client = await connectToSqs(eventsQueueUrl);
  const source = new KubernetesCluster({ access, clock });
  // A relay never looks at dead letters.
  const urls = {
    events: { url: eventsQueueUrl, deadLetterUrl: '' },
    [`relay-${cluster}`]: { url: asksQueueUrl, deadLetterUrl: '' },
  };
  const relay = startRelay({
    source,
    queue: new SqsQueue({ client, urls, clock }),
    clock,
    telemetry: new LineTelemetry({ level: logLevel }),
    cluster,
    manage: manage === 'all-jobs' ? 'all' : 'own',
    namespaces: namespace,
    era,
    ...(how === 'relayed' && { executor: source }),
  });
  await Promise.race([relay.ready, stopping.asked]);
  if (!stopping.signal.aborted) process.stdout.write(`relay of ${cluster} ready\n`);
  const exitCode = await stopping.asked;
  await relay.stop();
  source.close();
  return exitCode;
}
