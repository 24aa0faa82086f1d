// `farloop cluster remove`: says what will happen before it does, and does nothing to running workloads unasked.
import { Command } from 'commander';
import { shownText } from '../../objects/values/shown-text.ts';
import type { KubernetesAdministration } from '../../adapters/kubernetes/kubernetes-administration.ts';
import type { ClusterRecord } from '../../ports/clusters.ts';
import { nodeKindOf } from '../../kinds/settings.ts';
import { findFacts } from '../../kinds/facts.ts';
import type { NamedWorkloads } from '../../onboarding/owners-on-cluster.ts';
import type { Leftovers, Remains } from '../../onboarding/removal.ts';
import type { AwsOptions } from './aws-session.ts';
import { openAwsSession, regionOption, registryOf, stageOption, storeOf } from './aws-session.ts';
import { namespaceName, registeredName } from './cluster-add.ts';
import { administrationOf, enumeration, firstOf, pluralOf, unknownWordsSentence, workloadsSentence } from './cluster-administration.ts';
import { FailedError, UsageError } from '../terminal/exit.ts';
import { printLine, printLines } from '../terminal/output.ts';

interface RemoveOptions extends AwsOptions {
  kubeconfig?: string;
  context?: string;
  unreachable?: boolean;
  relayNamespace?: string;
  force?: boolean;
  dryRun?: boolean;
}

export const clusterRemoveCommand = (): Command =>
  new Command('remove')
    .description('Take a cluster out of an installation on AWS: nothing of ours is left on it. Safe to repeat.')
    .argument('<name>', 'as it was registered', registeredName)
    .addOption(stageOption())
    .addOption(regionOption())
    .option('--kubeconfig <file>', 'administrator of the cluster')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('--unreachable', 'the cluster is gone, or cannot be reached any more: remove what is on AWS only')
    .option('--relay-namespace <name>', 'namespace of the relay (default: as it was registered)', namespaceName)
    .option('--force', 'although workloads are unfinished')
    .option('--dry-run', 'say what would happen, and do nothing')
    .addHelpText('after', '\nExample:\n  farloop cluster remove staging --stage prod --kubeconfig ~/.kube/staging')
    .action(async (name: string, options: RemoveOptions) => {
      await remove(name, options);
    });

async function remove(name: string, options: RemoveOptions): Promise<void> {
  const { kubeconfig, context, unreachable = false, force = false, dryRun = false } = options;
  if (unreachable === (kubeconfig !== undefined))
    throw new UsageError(
      unreachable
        ? '--unreachable and --kubeconfig contradict each other: the one leaves the cluster as it is, the other is for clearing it'
        : 'give --kubeconfig, so that what is ours can be removed from the cluster, or --unreachable to leave it there',
    );
  if (context !== undefined && kubeconfig === undefined) throw new UsageError('--context needs --kubeconfig');
  const session = await openAwsSession(options);
  const administration = kubeconfig === undefined ? undefined : await administrationOf(kubeconfig, context);
  try {
    const [
      registry,
      storage,
      { leftOnAws, removeCluster, removeUnregistered, remainsOn },
      { refuseOtherRelays, relayNamespaceOf },
      { kindsWithOwners },
    ] = await Promise.all([
      registryOf(session),
      storeOf(session),
      import('../../onboarding/removal.ts'),
      import('../../onboarding/ours.ts'),
      import('../../onboarding/owners-on-cluster.ts'),
    ]);
    const record = await registry.clusters.get(name);
    if (!record) {
      // Where a record was merely lost, what is on the cluster would stay: that is not done in passing.
      if (unreachable && force && !dryRun && (await removeUnregistered({ ...registry, ...storage }, name, tell))) return;
      const left = await leftOnAws({ ...registry, ...storage }, name);
      if (dryRun && unreachable && isAnything(left)) {
        printLine(`${leftText(left)}: --unreachable --force removes that`);
        return;
      }
      const names = (await registry.clusters.list()).map((other) => other.name);
      throw new FailedError(absence({ name, stage: session.installation.stage, names, left }));
    }
    const relayNamespace = relayNamespaceOf(record, { cluster: name, given: options.relayNamespace });
    if (administration) {
      await refuseOther(record, administration);
      const { stackName } = session.installation;
      const meant = { stackName, cluster: name, relayNamespace, leavesInstalled: false, namespaces: undefined };
      await refuseOtherRelays(administration, meant);
    }
    const remains = administration
      ? await remainsOn(administration, record)
      : { unfinished: { kinds: kindsWithOwners(record).map(({ kind }) => kind), found: [] }, tracked: [] };
    const unknown = unknownWordsSentence(record);
    const sentences = [
      ...consequences(remains, unreachable, nodeKindOf(record) !== undefined),
      ...(unknown === undefined ? [] : [unknown]),
    ];
    if (dryRun) {
      printLines(sentences.map(shownText).join('\n'));
      return;
    }
    if (!force && (remains.unfinished.found.length > 0 || unreachable))
      throw new FailedError(
        `${sentences.join('; ')}; "farloop cluster drain ${name}" lets ${enumeration(remains.unfinished.kinds.map(pluralOf), 'and')} end first, --force removes it all the same`,
      );
    await removeCluster({ ...registry, ...storage, administration }, { record, relayNamespace }, tell);
    printLines(`\n${sentences.map(shownText).join('\n')}`);
  } finally {
    administration?.close();
    session.close();
  }
}

function tell(step: string, what: string): void {
  printLine(`${step.padEnd(11)} ${what}`);
}

/** A kubeconfig of another cluster must not cost that one its relay. */
async function refuseOther(
  { name, kubeSystemUid }: ClusterRecord,
  administration: { get: KubernetesAdministration['get'] },
): Promise<void> {
  const [{ NAMESPACES }, { IDENTITY_NAMESPACE }] = await Promise.all([
    import('../../objects/resources.ts'),
    import('../../onboarding/rights.ts'),
  ]);
  const found = (await administration.get(NAMESPACES, { name: IDENTITY_NAMESPACE }))?.metadata.uid;
  if (kubeSystemUid !== undefined && found !== kubeSystemUid)
    throw new FailedError(
      `the kubeconfig leads to another cluster than ${name} (its kube-system has the uid ${found}, expected ${kubeSystemUid}): give that cluster's own`,
    );
}

function consequences({ unfinished, tracked }: Remains, unreachable: boolean, hasNodes: boolean): string[] {
  if (unreachable)
    return [
      ...(hasNodes ? ['its virtual nodes stay, and what their providers run for them runs on'] : []),
      'what is ours stays on the cluster: the relay (which sends no more, for its AWS identity goes), its rights, and finalizers of pods of unfinished workloads',
    ];
  const areStopped = ({ kind }: NamedWorkloads['found'][number]): boolean => findFacts(kind)?.hasTasks === true;
  const stopped = unfinished.found.filter(areStopped);
  const left: NamedWorkloads = {
    kinds: unfinished.kinds.filter((kind) => findFacts(kind)?.hasTasks !== true),
    found: unfinished.found.filter((each) => !areStopped(each)),
  };
  const said = [
    workloadsSentence(left, 'unfinished'),
    ...(stopped.length === 0
      ? []
      : [
          `${stopped.length === 1 ? '1 pod runs' : `${stopped.length} pods run`} on virtual nodes: ${firstOf(stopped.map(({ name }) => name))}; ${stopped.length === 1 ? 'it is' : 'they are'} deleted, and what runs for ${stopped.length === 1 ? 'it' : 'them'} is stopped`,
        ]),
  ];
  if (left.found.length === 0) return said;
  return [
    ...said,
    `nobody will look after ${left.found.length === 1 ? 'it' : 'them'}: ${tracked.length} pods lose the finalizer by which they are counted and run on, none is begun, replaced or counted, and no status is written`,
  ];
}

const isAnything = ({ isUnreadable, others }: Leftovers): boolean => isUnreadable || others.length > 0;

const leftText = ({ isUnreadable, others }: Leftovers): string =>
  `of that name there is on AWS: ${[...(isUnreadable ? ['a record that cannot be read'] : []), ...others].join(', ')}`;

/**
 * Why there is nothing to go by, and what to do. The form that asks nothing is named only to those for whom there is something that no
 * other one removes.
 * @param names of the clusters that are registered
 */
export function absence(given: { name: string; stage: string; names: readonly string[]; left: Leftovers }): string {
  const { name, stage, names, left } = given;
  const known = names.length === 0 ? 'there is none' : `there ${names.length === 1 ? 'is' : 'are'} ${names.slice(0, 10).join(', ')}`;
  if (left.isUnreadable)
    return `the record of ${name} with the stage ${stage} cannot be read: mend it, or have it removed with all else of that name on AWS by --unreachable --force (--dry-run shows it first), which leaves the cluster as it is; ${leftText(left)}`;
  const unknown = `no cluster ${name} is registered with the stage ${stage}: ${known}`;
  return isAnything(left)
    ? `${unknown}; ${leftText(left)}: "farloop cluster add" goes on with it, --unreachable --force removes it if nobody is registering that cluster`
    : `${unknown}; nothing of that name is on AWS`;
}
