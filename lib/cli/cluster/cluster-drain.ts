// `farloop cluster drain`: what runs is finished, nothing is begun.
import { Command } from 'commander';
import type { ClusterRecord } from '../../ports/clusters.ts';
import type { AwsOptions } from './aws-session.ts';
import { openAwsSession, regionOption, registryOf, stageOption } from './aws-session.ts';
import { registeredName } from './cluster-add.ts';
import { administrationOf, enumeration, pluralOf, unknownWordsSentence, workloadsSentence } from './cluster-administration.ts';
import { wholeNumber } from '../terminal/arguments.ts';
import { FailedError, UsageError } from '../terminal/exit.ts';
import { printLine, printLines } from '../terminal/output.ts';

interface DrainOptions extends AwsOptions {
  undo?: boolean;
  kubeconfig?: string;
  context?: string;
  waitMinutes?: number;
}

const LOOK_EVERY_MS = 2_000;

export const clusterDrainCommand = (): Command =>
  new Command('drain')
    .description('Let a cluster finish the workloads that have begun, and begin no others. Safe to repeat.')
    .argument('<name>', 'as it was registered', registeredName)
    .addOption(stageOption())
    .addOption(regionOption())
    .option('--undo', 'let it take work again: workloads that were held are looked at within five minutes')
    .option('--kubeconfig <file>', 'list the workloads that are still running')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('--wait-minutes <number>', 'wait so long at most until none runs; needs --kubeconfig', wholeNumber({ min: 1, max: 10_080 }))
    .addHelpText('after', '\nExample:\n  farloop cluster drain staging --stage prod --kubeconfig ~/.kube/staging --wait-minutes 60')
    .action(async (name: string, options: DrainOptions) => {
      await drain(name, options);
    });

async function drain(name: string, options: DrainOptions): Promise<void> {
  const { undo = false, kubeconfig, context, waitMinutes } = options;
  if (undo && (kubeconfig !== undefined || waitMinutes !== undefined))
    throw new UsageError('--undo contradicts --kubeconfig and --wait-minutes: there is nothing to wait for');
  if (kubeconfig === undefined && (context !== undefined || waitMinutes !== undefined))
    throw new UsageError(`${context === undefined ? '--wait-minutes' : '--context'} needs --kubeconfig`);
  const session = await openAwsSession(options);
  try {
    const { clusters } = await registryOf(session);
    const record = await clusters.get(name);
    if (!record) throw new FailedError(`no cluster ${name} is registered with the stage ${session.installation.stage}`);
    const { version, draining = false, ...rest } = record;
    if (draining === undo) await clusters.put({ ...rest, ...(!undo && { draining: true }) }, version);
    const { kindsWithOwners } = await import('../../onboarding/owners-on-cluster.ts');
    const plurals = enumeration(
      kindsWithOwners(record).map(({ kind }) => pluralOf(kind)),
      'or',
    );
    const unknown = unknownWordsSentence(record);
    if (unknown !== undefined) printLine(unknown);
    printLines(
      undo ? `${name} takes work again within ten seconds` : `${name} begins no ${plurals} any more, ten seconds from now at the latest`,
    );
    if (kubeconfig !== undefined) await follow(record, { kubeconfig, context, waitMinutes });
  } finally {
    session.close();
  }
}

async function follow(
  record: ClusterRecord,
  { kubeconfig: file, context, waitMinutes = 0 }: { kubeconfig: string; context: string | undefined; waitMinutes: number | undefined },
): Promise<void> {
  const { runningOn } = await import('../../onboarding/owners-on-cluster.ts');
  const administration = await administrationOf(file, context);
  try {
    const untilMs = performance.now() + waitMinutes * 60_000;
    let told: number | undefined;
    for (;;) {
      const running = await runningOn(administration, record);
      const count = running.found.length;
      if (count !== told) printLine(workloadsSentence(running, 'running'));
      told = count;
      if (count === 0 || waitMinutes === 0) return;
      if (performance.now() > untilMs) throw new FailedError(`after ${waitMinutes} minutes ${workloadsSentence(running, 'running')}`);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  } finally {
    administration.close();
  }
}
