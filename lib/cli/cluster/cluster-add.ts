// `farloop cluster add`: options → a registration. Contradictions are refused before anything is contacted.
import { Command, InvalidArgumentError, Option } from 'commander';
import { shownText } from '../../objects/values/shown-text.ts';
import type { ClusterAccess } from '../../adapters/kubernetes/kubernetes-cluster.ts';
import type { DynamoDbClusters, StoredAccess } from '../../adapters/dynamodb/dynamodb-clusters.ts';
import type { KubernetesAdministration } from '../../adapters/kubernetes/kubernetes-administration.ts';
import type { Credential } from '../../adapters/cluster-record/registered-access.ts';
import { problemsOfDnsLabel } from '../../objects/names.ts';
import type { Manages } from '../../objects/manages.ts';
import type { RegistrationPlan, RegistrationRequest, Survey } from '../../onboarding/registration-plan.ts';
import { REGISTERED } from '../../ports/clusters.ts';
import type { AwsOptions, AwsSession } from './aws-session.ts';
import { openAwsSession, regionOption, registryOf, stageOption } from './aws-session.ts';
import { addKindOptions, givenKindOptions } from '../terminal/kind-options.ts';
import { manageOption, refuseManyNamespaces, refuseNarrowScope, wholeNumber } from '../terminal/arguments.ts';
import { relayOptions, relayWords, USUAL_MANAGES } from '../../kinds/settings.ts';
import { leavingRefusal } from './cluster-administration.ts';
import { FailedError, UsageError } from '../terminal/exit.ts';
import { nodesGiven, providerTokenOption, withVirtualNodes } from '../terminal/virtual-nodes.ts';
import { providerTokensOf, refuseProviders } from './distant-providers.ts';
import { virtualNodesIn, type VirtualNodeSettings } from '../../kinds/virtual-pod/node-options.ts';
import type { OutputFormat } from '../terminal/output.ts';
import { outputOption, print, printLine, printLines, yamlText } from '../terminal/output.ts';

interface AddOptions extends AwsOptions {
  kubeconfig: string;
  context?: string;
  manage?: Manages;
  namespaces?: string[];
  access: 'direct' | 'relayed';
  image?: string;
  relay: boolean;
  relayNamespace: string;
  identity: 'user' | 'irsa' | 'pod-identity';
  eksCluster?: string;
  eksRegion?: string;
  credential: 'service-account' | 'kubeconfig' | 'eks';
  tokenDays: number;
  server?: string;
  tlsServerName?: string;
  budget: number;
  actions?: true;
  change?: true;
  dryRun?: boolean;
  providerTokenFile?: string[];
  output: OutputFormat;
}

const DAY_SECONDS = 86_400;

/** As clusters are registered on AWS: the name is part of the names of queues, users and secrets. */
export function registeredName(text: string): string {
  if (!REGISTERED.name.test(text))
    throw new InvalidArgumentError('Expected lower case letters, digits and dashes, at most 40, no -dead at the end.');
  return text;
}

/** @throws InvalidArgumentError no DNS label */
export function namespaceName(text: string): string {
  if (problemsOfDnsLabel(text).length > 0)
    throw new InvalidArgumentError('Expected the name of a namespace: lower case letters, digits and dashes.');
  return text;
}

function eksName(text: string): string {
  if (!REGISTERED.eksName.test(text)) throw new InvalidArgumentError('Expected the name of a cluster in EKS.');
  return text;
}

function regionName(text: string): string {
  if (!REGISTERED.region.test(text)) throw new InvalidArgumentError('Expected the name of an AWS region.');
  return text;
}

const namespaceNames = (text: string, before: readonly string[] = []): string[] => [
  ...new Set([...before, ...text.split(',').map(namespaceName)]),
];

export const clusterAddCommand = (): Command =>
  addKindOptions(
    new Command('add')
      .description('Register a cluster with an installation on AWS: rights, credentials, relay. Safe to repeat; finishes what was begun.')
      .argument('<name>', 'the name it gets', registeredName)
      .requiredOption('--kubeconfig <file>', 'administrator of the cluster; used now and not kept')
      .option('--context <name>', 'context of the kubeconfig (default: its current one)')
      .addOption(stageOption())
      .addOption(regionOption())
      .addOption(manageOption('which kinds, with the rights that these need', USUAL_MANAGES.join(', ')))
      .option('--namespaces <names>', 'these only, separated by commas (default: all)', namespaceNames)
      .addOption(
        new Option('--access <way>', 'how functions reach the cluster: they dial it, or its relay carries out what they want')
          .choices(['direct', 'relayed'])
          .default('direct'),
      )
      .option('--server <url>', "the API server's address, as functions reach it (default: the kubeconfig's)")
      .option('--tls-server-name <name>', "name in its certificate, where it is not the address's")
      .addOption(
        new Option(
          '--credential <kind>',
          "what functions show: a token of an account of their own, the kubeconfig's own credential, or their AWS role, which EKS lets in",
        )
          .choices(['service-account', 'kubeconfig', 'eks'])
          .default('service-account'),
      )
      .option('--token-days <number>', 'life of that token to ask for; it is renewed in time', wholeNumber({ min: 1, max: 365 }), 30)
      .option('--image <image>', "the relay's container image, built from infra/relay")
      .option('--no-relay', 'run the relay elsewhere, with farloop relay')
      .option('--relay-namespace <name>', 'namespace for the relay, made if absent', namespaceName, 'farloop')
      .addOption(
        new Option('--identity <kind>', 'who the relay is in AWS: an IAM user of its own, or a role by IRSA or EKS Pod Identity')
          .choices(['user', 'irsa', 'pod-identity'])
          .default('user'),
      )
      .option('--eks-cluster <name>', "the cluster's name in EKS, for --identity pod-identity and --credential eks", eksName)
      .option('--eks-region <name>', "its region (default: the installation's)", regionName)
      .option(
        '--actions',
        'let people act on workloads through Farloop: suspend, resume, scale, retry, delete, drain; with the rights for that',
      )
      .addOption(providerTokenOption())
      .option('--budget <writes>', 'writes a second on the cluster', wholeNumber({ min: 1, max: 100_000 }), 100)
      .option(
        '--change',
        'register it as asked for here, though it was registered with options that are not given this time, or workloads, or pods of theirs, are left',
      )
      .option('--dry-run', 'print everything that would be made, and make nothing')
      .addOption(outputOption())
      .addHelpText(
        'after',
        '\nExamples:\n  farloop cluster add staging --stage prod --kubeconfig ~/.kube/staging --image example/farloop-relay:1 --dry-run -o yaml\n' +
          '  farloop cluster add staging --stage prod --kubeconfig ~/.kube/staging --image example/farloop-relay:1 --namespaces batch,etl\n' +
          '  farloop cluster add shop --stage prod --kubeconfig ~/.kube/shop --image example/farloop-relay:1 --eks-cluster shop \\\n' +
          '    --identity pod-identity --credential eks',
      )
      .action(async (name: string, options: AddOptions, command: Command) => {
        const given = new Set(command.options.filter((option) => isGiven(command, option)).map((option) => option.name()));
        await add(name, options, given);
      }),
    { isWanted: () => true },
  );

const isGiven = (command: Command, option: Option): boolean =>
  !['default', undefined].includes(command.getOptionValueSource(option.attributeName()));

/** @param given names of the options that stood in the command */
async function add(cluster: string, options: AddOptions, given: ReadonlySet<string>): Promise<void> {
  const nodes = refuseContradictions(options);
  const tokens = await providerTokensOf(nodes, options.providerTokenFile);
  await refuseLongName(cluster, options);
  const { kubeconfig, context, dryRun = false, output } = options;
  const [{ accessFromKubeconfig }, registration, { planRegistration }, { KubernetesAdministration }] = await Promise.all([
    import('../../adapters/kubernetes/kubeconfig.ts'),
    import('../../onboarding/registration.ts'),
    import('../../onboarding/registration-plan.ts'),
    import('../../adapters/kubernetes/kubernetes-administration.ts'),
  ]);
  const access = await accessFromKubeconfig({ file: kubeconfig, context });
  const asked = requestOf(cluster, options, access);
  const session = await openAwsSession(options);
  const { eksCluster, eksRegion = session.region } = options;
  const request = {
    ...asked,
    ...(eksCluster !== undefined && { eks: { name: eksCluster, region: eksRegion } }),
    ...(tokens && { providerTokens: tokens }),
  };
  const administration = new KubernetesAdministration(access);
  try {
    const { SystemClock } = await import('../../adapters/clock/system-clock.ts');
    const place = { ...(await registryOf(session)), administration, clock: new SystemClock() };
    if (request.credential.kind !== 'none') await refuseAddress(request, place);
    await refuseProviders(nodes, place.installation);
    const found = await registration.survey(place, request);
    const planned = planRegistration(place, request, found);
    if (!given.has('change')) {
      await refuseUnasked(planned, { found, clusters: place.clusters, given });
      await refuseToLeave(planned, { found, administration });
    }
    if (dryRun) return await show(planned, found, output);
    const lines: { step: string; what: string }[] = [];
    const tell = (step: string, what: string): void => {
      lines.push({ step, what });
      if (output === 'text') printLine(`${step.padEnd(11)} ${what}`);
    };
    tell('cluster', `${access.server} answers as ${found.version || 'an API server'}, kube-system ${found.kubeSystemUid}`);
    const { plan, asksQueueUrl } = await registration.register(place, request, found, tell);
    if (output !== 'text') {
      return await print({ cluster, steps: lines, asksQueueUrl }, output, () => '');
    }
    printLines(`\n${await nextSteps(plan, request, asksQueueUrl)}`);
  } finally {
    administration.close();
    session.close();
  }
}

/** Refuses them before a file is read or a server is asked. @returns the virtual nodes that they name */
function refuseContradictions(options: AddOptions): VirtualNodeSettings[] {
  const { relay, image, identity, eksCluster, eksRegion, relayNamespace, namespaces = [], access, server, credential } = options;
  const { manage = USUAL_MANAGES } = options;
  if (access === 'relayed' && (server !== undefined || credential !== 'service-account'))
    throw new UsageError(
      `--access relayed and ${server === undefined ? '--credential' : '--server'} contradict each other: nothing dials such a cluster, and nothing of its credentials is kept`,
    );
  if (relay && image === undefined)
    throw new UsageError('--image is missing: name the image that you built from infra/relay, or run the relay elsewhere with --no-relay');
  if (!relay && image !== undefined) throw new UsageError('--image and --no-relay contradict each other: the image is what would run');
  if (!relay && identity === 'pod-identity')
    throw new UsageError(
      '--identity pod-identity and --no-relay contradict each other: EKS gives that identity to pods on the cluster only',
    );
  if (identity === 'pod-identity' && eksCluster === undefined)
    throw new UsageError('--identity pod-identity needs --eks-cluster: the role is handed to that cluster alone');
  if (credential === 'eks' && eksCluster === undefined)
    throw new UsageError('--credential eks needs --eks-cluster: that cluster is told to let the functions in');
  if (identity !== 'pod-identity' && credential !== 'eks' && eksCluster !== undefined)
    throw new UsageError(
      `--eks-cluster is for --identity pod-identity and --credential eks, but the identity is ${identity} and the credential ${credential}`,
    );
  if (eksRegion !== undefined && eksCluster === undefined) throw new UsageError('--eks-region needs --eks-cluster');
  refuseManyNamespaces('--namespaces', namespaces);
  const nodes = nodesGiven(givenKindOptions(options), { manage: options.manage, namespaces, option: '--namespaces' });
  refuseNarrowScope('--namespaces', { manages: manage, namespaces });
  if (namespaces.includes(relayNamespace))
    throw new UsageError(`--namespaces names ${relayNamespace}, where the relay itself lives: choose another --relay-namespace`);
  return nodes;
}

/** A setting of the earlier registration that is not given again was probably forgotten. */
async function refuseUnasked(
  planned: RegistrationPlan,
  { found, clusters, given }: { found: Survey; clusters: Pick<DynamoDbClusters, 'accessOf'>; given: ReadonlySet<string> },
): Promise<void> {
  const { record } = found;
  if (!record) return;
  const { unaskedChanges } = await import('../../onboarding/unasked-changes.ts');
  const before = { record, access: accessIn(clusters, record.name) };
  const changed = unaskedChanges(before, planned, (option) => given.has(option));
  if (changed.length === 0) return;
  throw new UsageError(
    `${record.name} is registered with ${changed.join(' ')}: give ${changed.length === 1 ? 'it' : 'them'} again or say otherwise; --change registers it as asked for here`,
  );
}

/** Workloads, and pods that outlive theirs, of kinds or in namespaces that it is not to be registered for any more. */
async function refuseToLeave(
  { record: next }: RegistrationPlan,
  { found: { record }, administration }: { found: Survey; administration: Pick<KubernetesAdministration, 'list'> },
): Promise<void> {
  if (!record) return;
  const { narrowedBy, remainsLeft } = await import('../../onboarding/left-namespaces.ts');
  const refusal = leavingRefusal(await remainsLeft(administration, record, next), narrowedBy(record, next));
  if (refusal !== undefined) throw new FailedError(refusal);
}

function accessIn(clusters: Pick<DynamoDbClusters, 'accessOf'>, name: string): StoredAccess | undefined {
  try {
    return clusters.accessOf(name);
  } catch {
    // Absent or unusable: keep nothing of it.
    return undefined;
  }
}

/** Of the names that are made of it, those of IAM may be the least long. */
const IDENTITY_NAME_MAX = 64;

async function refuseLongName(cluster: string, { stage = '' }: AddOptions): Promise<void> {
  const [{ relayIdentityName }, { stackNameOf }] = await Promise.all([
    import('../../adapters/sqs/sender-identities.ts'),
    import('../../adapters/aws/stack-outputs.ts'),
  ]);
  const excess = relayIdentityName(stackNameOf(stage), cluster).length - IDENTITY_NAME_MAX;
  if (excess > 0)
    throw new UsageError(
      `${cluster} is too long a name for a cluster of the stage ${stage}, for its identity in IAM gets both: at most ${cluster.length - excess} letters`,
    );
}

function requestOf(cluster: string, options: AddOptions, access: ClusterAccess): RegistrationRequest {
  const { kubeconfig, manage = USUAL_MANAGES, namespaces = [], image, identity, credential, tokenDays, budget, relayNamespace } = options;
  const kindOptions = givenKindOptions(options);
  if (access.insecureSkipTls)
    throw new UsageError(
      `kubeconfig ${kubeconfig}: it takes any certificate (insecure-skip-tls-verify), which functions never do: give its certificate authority`,
    );
  const { caPem, proxy } = access;
  if (proxy?.source === 'proxy-url' && options.access === 'direct' && options.server === undefined)
    throw new UsageError(
      `kubeconfig ${kubeconfig}: it leads through a proxy (proxy-url ${proxy.url.host}), which functions never use: give the address at which they reach the API server with --server, or --access relayed`,
    );
  if (caPem === undefined && options.access === 'direct')
    throw new UsageError(
      `kubeconfig ${kubeconfig}: it names no certificate authority, and functions believe the cluster's own alone: add certificate-authority-data`,
    );
  const tlsServerName = options.tlsServerName ?? access.tlsServerName;
  return {
    cluster,
    manages: withVirtualNodes(manage, virtualNodesIn(kindOptions).length > 0),
    namespaces,
    budget: { writesPerSecond: budget, burst: budget * 2 },
    ...(Object.keys(kindOptions).length > 0 && { options: kindOptions }),
    ...(options.actions && { actions: true }),
    relayNamespace,
    image,
    identity: identity === 'pod-identity' ? { kind: 'podIdentity' } : { kind: identity },
    credential:
      options.access === 'relayed'
        ? { kind: 'none' }
        : credential === 'service-account'
          ? { kind: 'serviceAccount', tokenSeconds: tokenDays * DAY_SECONDS }
          : credential === 'eks'
            ? { kind: 'eks' }
            : { kind: 'given', credential: lastingCredential(kubeconfig, access) },
    server: {
      server: options.server ?? access.server,
      ...(caPem !== undefined && { caPem }),
      ...(tlsServerName !== undefined && { tlsServerName }),
    },
  };
}

/** A credential that a function can keep: it runs no plugin, reads no file and logs in nowhere. */
function lastingCredential(kubeconfig: string, { auth }: ClusterAccess): Credential {
  if (auth.kind === 'token' || auth.kind === 'clientCertificate') return auth;
  const what =
    auth.kind === 'none'
      ? 'it holds no credential'
      : 'its user logs in by a plugin, a password or a file that is renewed, none of which a function can use';
  throw new UsageError(`kubeconfig ${kubeconfig}: ${what}: leave --credential service-account, and functions get a token of their own`);
}

/** The same rule by which functions refuse an address, before anything is made for it. */
async function refuseAddress({ server: given }: RegistrationRequest, { installation }: Pick<AwsSession, 'installation'>): Promise<void> {
  const [v, { serverFields }] = await Promise.all([import('valibot'), import('../../adapters/cluster-record/registered-access.ts')]);
  if (!v.safeParse(v.object(serverFields(installation.allowLoopback)), given).success)
    throw new UsageError(
      `functions could not use ${given.server}: give the address at which they reach the API server with --server (https, neither loopback nor link-local)`,
    );
}

async function show(plan: RegistrationPlan, { version, namespaceIsForeign }: Survey, output: OutputFormat): Promise<void> {
  const { manifests, queue, sender, eks, secret, providersSecret, record, access } = plan;
  const aws = { queues: [queue, `${queue}-dead`], sender, eks, secret, providersSecret, record, access };
  if (output === 'json') {
    return await print({ aws, manifests }, output, () => '');
  }
  if (output === 'yaml') {
    // kubectl reads comments over: the whole output can be given to it.
    const commented = (await yamlText({ aws })).replaceAll(/^(?=.)/gm, '# ');
    const documents = await Promise.all(manifests.map(yamlText));
    return printLines([commented, ...documents].join('---\n').trimEnd());
  }
  const lines = [
    `on AWS, nothing of which is made yet:`,
    `  queues ${queue}, ${queue}-dead`,
    `  IAM ${sender.kind} ${sender.name}`,
    ...(eks?.podIdentity
      ? [`  Pod Identity of ${eks.podIdentity.namespace}/${eks.podIdentity.serviceAccount} on the EKS cluster ${eks.cluster.name}`]
      : []),
    ...(eks?.accessEntry ? [`  access entry of ${eks.accessEntry.principalArn} on the EKS cluster ${eks.cluster.name}`] : []),
    ...[secret, providersSecret].flatMap((name) => (name === undefined ? [] : [`  secret ${name}`])),
    `  record ${record.name} in the clusters' table; ${access === undefined ? 'its relay carries out what functions want' : `functions reach ${access.server}`}`,
    `on the cluster (${version}):`,
    ...manifests.map(
      ({ kind, metadata }) => `  ${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`,
    ),
    ...(namespaceIsForeign ? ['its namespace is there already and stays what it is'] : []),
    '',
    'see all of it with -o yaml; leave --dry-run away to make it',
  ];
  return printLines(lines.map(shownText).join('\n'));
}

async function nextSteps(
  { relay, sender }: RegistrationPlan,
  { image, cluster }: RegistrationRequest,
  asksQueueUrl: string,
): Promise<string> {
  const { flagsOf } = await import('../../onboarding/relay-manifests.ts');
  const lines = [`farloop cluster list shows ${cluster} as Watching once its relay has sent its first heartbeat`];
  if (image === undefined)
    lines.unshift(
      `run the relay, with credentials of the IAM ${sender.kind} ${sender.name}:`,
      `  farloop relay --cluster ${cluster} --events-queue-url ${relay.eventsQueueUrl} --asks-queue-url ${asksQueueUrl} ${relayWords(
        relay.manages,
      )
        .map((word) => `--manage ${word}`)
        .join(' ')}${flagsOf(relayOptions(relay.manages, relay.options))
        .map((flag) => ` ${flag}`)
        .join(
          '',
        )}${relay.namespaces.map((name) => ` --namespace ${name}`).join('')} --era ${relay.era} --access ${relay.access}${relay.access === 'relayed' ? ` --commander ${relay.commander}` : ''}`,
    );
  return lines.join('\n');
}
