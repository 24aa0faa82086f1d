// `farloop relay`: the relay alone, beside a cluster, sending to the events queue of an installation on AWS.
import { hostname } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Level } from '../../adapters/telemetry/log-lines.ts';
import { problemsOfDnsLabel } from '../../objects/names.ts';
import type { Manages } from '../../objects/manages.ts';
import {
  clusterName,
  collectNamespaces,
  ipAddress,
  logLevelOption,
  manageOption,
  queueUrl,
  refuseManyNamespaces,
  refuseNarrowScope,
  wholeNumber,
} from '../terminal/arguments.ts';
import { USUAL_MANAGES } from '../../kinds/settings.ts';
import { UsageError } from '../terminal/exit.ts';
import { addKindOptions, givenKindOptions } from '../terminal/kind-options.ts';
import { printLine } from '../terminal/output.ts';
import { connectToSqs } from './sqs-client.ts';
import { listenForStop } from '../terminal/stop-signals.ts';

/** A storm on one Job takes two messages a second instead of ten; a first event is still sent at once. */
const PODS_EVERY_MS = 500;

interface RelayOptions {
  cluster: string;
  eventsQueueUrl: string;
  asksQueueUrl: string;
  kubeconfig?: string;
  context?: string;
  serviceAccount?: string;
  manage?: Manages;
  namespace?: string[];
  era: number;
  access: 'direct' | 'relayed';
  commander?: string;
  lease?: { namespace: string; name: string };
  replica?: string;
  probePort?: number;
  nodeApiPort?: number;
  nodeApiAddress?: string;
  nodeApiOpen?: boolean;
  logLevel: Level;
}

export const relayCommand = (): Command =>
  addKindOptions(
    new Command('relay')
      .description('Run the relay alone: watch a cluster and report to the events queue of an installation on AWS.')
      .requiredOption('--cluster <name>', 'name under which the cluster is registered', clusterName)
      .requiredOption('--events-queue-url <url>', 'SQS queue to report to', queueUrl)
      .requiredOption('--asks-queue-url <url>', "SQS queue from which the relay is asked: the cluster's own", queueUrl)
      .option('--kubeconfig <file>', 'the cluster to watch (default: the one it runs in, by its service account)')
      .option('--context <name>', 'context of the kubeconfig (default: its current one)')
      .option('--service-account <dir>', 'where token and ca.crt of the service account lie (default: where a kubelet puts them)')
      .addOption(manageOption('which kinds to report, as the cluster is registered', USUAL_MANAGES.join(', ')))
      .option('--namespace <name>', 'watch this namespace only; may be given several times', collectNamespaces)
      .addOption(
        new Option(
          '--access <how>',
          'as the cluster is registered; relayed: carry out the commands of passes, with the rights of this relay',
        )
          .choices(['direct', 'relayed'])
          .default('direct'),
      )
      .option(
        '--commander <id>',
        'with --access relayed: unique id (AROA...) of the role whose commands are carried out; without it no commands are',
        roleId,
      )
      .option('--era <number>', 'era of the cluster, as registered', wholeNumber({ min: 0, max: 999_999_999 }), 0)
      .option('--lease <namespace/name>', 'Lease that decides which replica sends; the others watch and take over', leaseName)
      .option('--replica <name>', 'name of this replica, with --lease (default: the host name)')
      .option('--probe-port <number>', 'answer /healthz and /readyz on this port', wholeNumber({ min: 0, max: 65_535 }))
      .option(
        '--node-api-port <number>',
        'with --virtual-node: answer API servers that ask the node for logs and figures; the first node on this port, each other one on the next',
        wholeNumber({ min: 0, max: 65_535 }),
      )
      .option('--node-api-address <ip>', 'with --node-api-port: where API servers reach this process, as the Nodes name it', ipAddress)
      .option('--node-api-open', 'with --node-api-port: answer an API server that shows no credentials, but for logs')
      .addOption(logLevelOption('info'))
      .addHelpText(
        'after',
        '\nExample:\n  farloop relay --cluster staging --events-queue-url https://sqs.eu-central-1.amazonaws.com/123456789012/farloop-events \\\n    --asks-queue-url https://sqs.eu-central-1.amazonaws.com/123456789012/farloop-relay-staging',
      )
      .action(async (options: RelayOptions) => {
        process.exitCode = await runRelay(options);
      }),
    { isWanted: ({ isForRelay }) => isForRelay === true },
  );

async function runRelay({
  cluster,
  eventsQueueUrl,
  asksQueueUrl,
  kubeconfig,
  context,
  serviceAccount,
  manage = USUAL_MANAGES,
  namespace = [],
  era,
  access: how,
  commander,
  lease,
  replica,
  probePort,
  nodeApiPort,
  nodeApiAddress,
  nodeApiOpen = false,
  logLevel,
  ...others
}: RelayOptions): Promise<number> {
  if (replica !== undefined && lease === undefined) throw new UsageError('--replica needs --lease: without one there is one relay only');
  if (context !== undefined && kubeconfig === undefined) throw new UsageError('--context needs --kubeconfig');
  if (serviceAccount !== undefined && kubeconfig !== undefined)
    throw new UsageError('--service-account and --kubeconfig are two ways to one cluster: give one');
  if ((nodeApiPort === undefined) !== (nodeApiAddress === undefined))
    throw new UsageError('--node-api-port and --node-api-address go together: a Node names both');
  if (nodeApiOpen && nodeApiPort === undefined) throw new UsageError('--node-api-open needs --node-api-port');
  refuseManyNamespaces('--namespace', namespace);
  refuseNarrowScope('--namespace', { manages: manage, namespaces: namespace });
  const stopping = listenForStop();
  // Before anything else is loaded: it works at the start of a process only.
  const { keepHeapSmall } = await import('../../relay/small-heap.ts');
  keepHeapSmall();
  const [
    { startRelay },
    { SqsQueue },
    { KubernetesCluster },
    { accessFromKubeconfig, accessFromServiceAccount },
    { LineTelemetry },
    { SystemClock },
  ] = await Promise.all([
    import('../../relay/relay.ts'),
    import('../../adapters/sqs/sqs-queue.ts'),
    import('../../adapters/kubernetes/kubernetes-cluster.ts'),
    import('../../adapters/kubernetes/kubeconfig.ts'),
    import('../../adapters/telemetry/line-telemetry.ts'),
    import('../../adapters/clock/system-clock.ts'),
  ]);
  const clock = new SystemClock();
  const access =
    kubeconfig === undefined
      ? await accessFromServiceAccount(process.env, serviceAccount)
      : await accessFromKubeconfig({ file: kubeconfig, context });
  const client = await connectToSqs(eventsQueueUrl);
  const source = new KubernetesCluster({ access, clock });
  // A relay never looks at dead letters.
  const urls = {
    events: { url: eventsQueueUrl, deadLetterUrl: '' },
    [`relay-${cluster}`]: { url: asksQueueUrl, deadLetterUrl: '' },
  };
  const telemetry = new LineTelemetry({ level: logLevel });
  if (how === 'relayed' && !commander)
    telemetry.error('commands will be refused', { cluster, reason: (await import('../../relay/commands/commander.ts')).NOT_TOLD });
  const relay = startRelay({
    source,
    queue: new SqsQueue({ client, urls, clock }),
    clock,
    telemetry,
    cluster,
    manages: manage,
    kindOptions: givenKindOptions(others),
    namespaces: namespace,
    era,
    ...(how === 'relayed' && { executor: source, commander }),
    leases: source,
    ...(nodeApiPort !== undefined &&
      nodeApiAddress !== undefined && {
        servesNodes: { address: nodeApiAddress, firstPort: nodeApiPort, isOpen: nodeApiOpen, cluster: source },
      }),
    standby: lease !== undefined,
    options: { podsEveryMs: PODS_EVERY_MS },
  });
  let isReady = false;
  const election =
    lease &&
    new (await import('../../relay/election.ts')).Election({
      // Its own connections: a list under way does not keep the Lease waiting.
      cluster: new KubernetesCluster({ access, clock, connections: 1 }),
      clock,
      telemetry,
      lease,
      holder: replica ?? `${hostname()}-${process.pid}`,
      gained: () => relay.lead(),
      lost: () => relay.rest(),
    });
  const probes =
    probePort === undefined
      ? undefined
      : await (await import('../../relay/probes.ts')).startProbes(probePort, { fault: () => undefined, isReady: () => isReady });
  election?.start();
  try {
    await Promise.race([relay.ready, stopping.asked]);
    isReady = true;
    if (!stopping.signal.aborted) printLine(`relay of ${cluster} ready`);
    return await stopping.asked;
  } finally {
    await election?.stop();
    await relay.stop();
    await probes?.stop();
    source.close();
  }
}

/**
 * Empty as in manifests that are made for both ways of access, and as a reference that Kubernetes has left as it stands, for it found no
 * such variable: settings that somebody keeps from an earlier version do not know of it.
 */
function roleId(text: string): string {
  if (/^\$\(\w+\)$/.test(text)) return '';
  if (!/^[\w-]{0,128}$/.test(text)) throw new InvalidArgumentError('Expected the unique id of an IAM role, such as AROAEXAMPLE.');
  return text;
}

function leaseName(text: string): { namespace: string; name: string } {
  const [namespace = '', name = '', ...rest] = text.split('/');
  if (rest.length > 0 || problemsOfDnsLabel(namespace).length > 0 || problemsOfDnsLabel(name).length > 0)
    throw new InvalidArgumentError('Expected NAMESPACE/NAME of a Lease.');
  return { namespace, name };
}
