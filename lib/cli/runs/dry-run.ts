// `farloop run-once --dry-run`: which pods of a run its node would take, and why not. It asks who else takes room, and starts nothing.
import { admissionsOf, type PodAdmission } from '../../kinds/run-once/admission.ts';
import { podsToRun } from '../../kinds/run-once/new-run.ts';
import type { RunOptions } from '../../kinds/run-once/options.ts';
import type { OthersOnNode } from '../../kinds/run-once/step-words.ts';
import type { Clock } from '../../ports/clock.ts';
import { FailedError, UsageError } from '../terminal/exit.ts';
import { print, printProblem, tableText } from '../terminal/output.ts';
import type { SourcedPod } from './run-manifest.ts';
import type { RunNode } from './run-node.ts';
import { isElsewhere, limitsOf, openProvider } from '../run-records/run-provider.ts';
import type { RunOutput } from './run-queries.ts';

interface DryRunGiven {
  output: RunOutput;
  stateFolder: string;
  providerTokenFile?: string;
  options: Partial<RunOptions>;
}

interface Row {
  pod: string;
  admitted: boolean;
  reason?: string;
  message?: string;
  /** Pods that would be evicted for it. */
  evicts?: string[];
}

/** @throws FailedError the provider does not say who takes room */
export async function showAdmission(pods: readonly SourcedPod[], runNode: RunNode, given: DryRunGiven): Promise<void> {
  if (given.output === 'junit') throw new UsageError('--dry-run has no results: leave -o junit out');
  const { SystemClock } = await import('../../adapters/clock/system-clock.ts');
  const clock = new SystemClock();
  const { node, provider: word } = runNode;
  const cannot = await limitsOf({ word, node: node.metadata.name ?? '', clock, tokenFile: given.providerTokenFile });
  const bound = podsToRun({ id: 'dry-run', node, pods: pods.map(({ pod }) => pod) });
  const admissions = admissionsOf({ node, pods: bound, others: await othersAround(runNode, given, clock), cannot });
  const rows = bound.map(({ metadata: { namespace = '', name = '' } }, at) => rowOf(`${namespace}/${name}`, admissions[at]));
  await print(rows, given.output, (shown) =>
    tableText(
      ['POD', 'ADMITTED', 'NOTE'],
      shown.map((row) => [row.pod, row.admitted ? 'yes' : 'no', noteOf(row)]),
    ),
  );
}

function rowOf(pod: string, { refusal, victims }: PodAdmission = { victims: [] }): Row {
  const evicts = victims.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`);
  return {
    pod,
    admitted: refusal === undefined,
    ...(refusal && { reason: refusal.reason, message: refusal.message }),
    ...(evicts.length > 0 && { evicts }),
  };
}

const noteOf = ({ admitted, reason = '', message = '', evicts = [] }: Row): string =>
  admitted ? (evicts.length > 0 ? `once these are evicted: ${evicts.join(', ')}` : '') : `${reason}: ${message}`;

async function othersAround(
  { node, provider: word }: RunNode,
  { stateFolder, providerTokenFile: tokenFile, options: { capacity, preempt } }: DryRunGiven,
  clock: Clock,
): Promise<OthersOnNode> {
  // Tasks of a provider on this machine lie in the folder of their run, and a new run has none.
  if (capacity !== 'node' || !isElsewhere(word)) return { pods: [] };
  const [{ othersOn }, { openNodeCluster }] = await Promise.all([
    import('../../reconciler/runs/provider-answers.ts'),
    import('./node-cluster.ts'),
  ]);
  const name = node.metadata.name ?? '';
  const report = (problem: string): void => printProblem(`farloop: ${problem}`);
  const opened = await openProvider({ word, node: name, folder: '', clock, tokenFile });
  const ofNode = preempt ? await openNodeCluster({ stateFolder, node: name, clock, report }) : undefined;
  try {
    const others = await othersOn({ provider: opened.provider, clock, cluster: ofNode?.cluster }, new Set());
    if ('problem' in others) throw new FailedError(`--capacity node: the pods on node ${name} are not known: ${others.problem.message}`);
    return others;
  } finally {
    ofNode?.close();
    opened.close();
  }
}
