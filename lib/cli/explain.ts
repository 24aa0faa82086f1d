// `farloop explain`: what was decided about a workload, and why, from the recorded passes of the running instance.
import { Argument, Command } from 'commander';
import type { ToldPass } from '../api/passes.ts';
import type { WorkloadDetail, WorkloadSummary } from '../api/workloads.ts';
import { KIND_NAMES } from '../kinds/facts.ts';
import type { Reason } from '../kinds/reasons.ts';
import { connectToInstance, endpointOption, type ApiClient } from './api-client.ts';
import { AmbiguousError, FailedError, UsageError } from './exit.ts';
import { allWorkloads, paintState } from './get.ts';
import { withWords } from './completion-hints.ts';
import { stateOption } from './instance-file.ts';
import type { OutputFormat } from './output.ts';
import { outputOption, paint, print, spanText } from './output.ts';
import { wholeNumber } from './arguments.ts';
import { absenceOf } from './workload-absence.ts';

interface ExplainOptions {
  namespace?: string;
  cluster?: string;
  limit: number;
  output: OutputFormat;
  state?: string;
  endpoint?: string;
}

export const explainCommand = (): Command =>
  new Command('explain')
    .description('Show what was decided about a workload, and why.')
    .addArgument(
      withWords(
        new Argument('<workload>', 'KIND/NAME, as in job/demo'),
        KIND_NAMES.map((kind) => `${kind.toLowerCase()}/`),
      ),
    )
    .option('-n, --namespace <namespace>', 'its namespace, where several have one of that name')
    .option('--cluster <cluster>', 'its cluster, where several have one of that name')
    .option('--limit <passes>', 'how many of the latest passes', wholeNumber({ min: 1, max: 1_000 }), 20)
    .addOption(outputOption())
    .addOption(endpointOption())
    .addOption(stateOption())
    .addHelpText(
      'after',
      '\nExample:\n  farloop explain job/demo -n default\n\nExit codes: 0 it is explained, 1 there is no such workload, or somebody else manages it; 3 several have that name.',
    )
    .action(async (text: string, options: ExplainOptions) => {
      const { kind, name } = workloadOf(text);
      const api = connectToInstance(options);
      const { namespace, cluster } = options;
      const found = await allWorkloads(api, {
        kind,
        name,
        ...(namespace !== undefined && { namespace }),
        ...(cluster !== undefined && { cluster }),
      });
      if (found.length === 0)
        throw new FailedError(await absenceOf(api, { kind, name, namespace, cluster }, await allWorkloads(api, { kind })));
      const path = pathOf(text, found);
      const described = await api.get<{ items: WorkloadDetail[] }>(path);
      const [workload] = described.items;
      if (!workload) throw new FailedError(`there is no ${text}`);
      const { passes, failure } = await recordedPasses(api, `${path}/passes?limit=${options.limit}`);
      await print({ workload, passes }, options.output, (shown) => explanationOf(shown.workload, shown.passes, failure !== undefined));
      // What is known stands there; the command fails all the same.
      if (failure) throw failure;
    });

/** On AWS they are searched for in a log, which may take longer than there is time for. */
async function recordedPasses(api: ApiClient, path: string): Promise<{ passes: ToldPass[]; failure?: FailedError }> {
  try {
    return { passes: (await api.get<{ items: ToldPass[] }>(path)).items };
  } catch (error) {
    if (!(error instanceof FailedError)) throw error;
    return { passes: [], failure: new FailedError(`its passes cannot be shown: ${error.message}`, { cause: error }) };
  }
}

/** @throws UsageError */
function workloadOf(text: string): { kind: string; name: string } {
  const [given, name, ...rest] = text.split('/');
  if (!given || !name || rest.length > 0) throw new UsageError(`"${text}" names no workload: expected KIND/NAME, as in job/demo`);
  const kind = KIND_NAMES.find((known) => [known, `${known}s`].some((word) => word.toLowerCase() === given.toLowerCase()));
  if (!kind)
    throw new UsageError(
      `"${text}" names no workload: the kinds are ${KIND_NAMES.map((known) => known.toLowerCase()).join(', ')}, as in job/demo`,
    );
  return { kind, name };
}

/** @param found one or more */
function pathOf(text: string, found: readonly WorkloadSummary[]): string {
  const paths = new Set(found.map((key) => [key.cluster, key.kind, key.namespace, key.name].map(encodeURIComponent).join('/')));
  const [path] = paths;
  if (paths.size > 1) {
    const places = found.map((key) => `${key.namespace} on ${key.cluster}`).join(', ');
    throw new AmbiguousError(`${text} is in more than one place: ${places}; say which with --namespace or --cluster`);
  }
  return `/v1/workloads/${path ?? ''}`;
}

function explanationOf(workload: WorkloadDetail, passes: readonly ToldPass[], isUnknown: boolean): string {
  const {
    kind,
    namespace,
    name,
    uid,
    cluster,
    state,
    reason,
    succeeded = 0,
    completions,
    active = 0,
    failed = 0,
    nextWake,
    queued,
  } = workload;
  // Passes are found by name: among them may be those of one of a former uid.
  const latest = passes.find(({ key }) => key.uid === uid);
  const lines = [
    `${paint(`${kind.toLowerCase()}/${name}`, 'bold')} in ${namespace} on ${cluster}: ${paintState(state)}${reason === undefined ? '' : ` (${reason})`}`,
    `  succeeded ${succeeded}${completions === undefined ? '' : ` of ${completions}`}, active ${active}, failed ${failed}, pods known ${workload.pods.length + workload.podsLeftOut}`,
    ...workload.reasons.map((one) => `  ${paint(one.code, 'bold')}: ${one.text}${evidenceText(one)}`),
    ...(latest && latest.why.length > 0 ? [`  latest pass: ${latest.why.join('; ')}`] : []),
    `  next look: ${queued ? 'a wake is on its way' : nextWake ? nextLookText(nextWake) : 'when something happens'}`,
    '',
    isUnknown ? 'Its passes are not known.' : passes.length === 0 ? 'No pass is recorded.' : 'Passes, newest first:',
  ];
  for (const pass of passes) lines.push(...passLines(pass, uid));
  return lines.join('\n');
}

/** What the text does not say itself; the console shows the same. */
export function evidenceText({ text, pods = [], exitCode, podReason, rule, index }: Reason): string {
  const shown = [
    ...(index === undefined || text.includes(`index ${index} `) ? [] : [`${/^\d+$/.test(index) ? 'index' : 'indexes'} ${index}`]),
    ...(pods.length === 0 || text.includes(pods.join(', ')) ? [] : [`pod${pods.length > 1 ? 's' : ''} ${pods.join(', ')}`]),
    ...(exitCode === undefined || text.includes(`exit code ${exitCode}`) ? [] : [`exit code ${exitCode}`]),
    ...(podReason === undefined || text.includes(podReason) ? [] : [podReason]),
    ...(rule === undefined || text.includes(`index ${rule}`) ? [] : [`rule ${rule}`]),
  ];
  return shown.length === 0 ? '' : ` (${shown.join(', ')})`;
}

const nextLookText = ({ dueTime, attempt }: { dueTime: string; attempt: number }): string =>
  `in ${spanText(Date.parse(dueTime) - Date.now())}${attempt > 0 ? `, attempt ${attempt}` : ''}`;

/** The status has no target beside itself. */
const actionText = (verb: string, target: string): string => (verb === target ? `write ${target}` : `${verb} ${target}`);

function passLines(
  { key, passId, startTime, durationMs, outcome, why, actions, saw, nextWakeTime, error }: ToldPass,
  uid: string,
): string[] {
  const seen = Object.entries(saw).map(([what, value]) => `${what} ${value}`);
  const again =
    nextWakeTime === undefined
      ? []
      : [`looks again ${((Date.parse(nextWakeTime) - Date.parse(startTime)) / 1000).toFixed(1)} s after its start`];
  return [
    `  ${startTime}  ${paintState(outcome)}, ${durationMs} ms  ${paint(`${seen.join(', ')}, pass ${passId}${key.uid === uid ? '' : `, uid ${key.uid}`}`, 'dim')}`,
    ...why.map((reason) => `    because: ${reason}`),
    ...actions.map(
      ({ verb, target, why: reason, result, detail, count = 1 }) =>
        `    ${actionText(verb, target)}${count > 1 ? ` and ${count - 1} more` : ''}: ${reason}${result === 'done' ? '' : ` [${result}${detail === undefined ? '' : `: ${detail}`}]`}`,
    ),
    ...again.map((text) => `    ${text}`),
    ...(error === undefined ? [] : [`    ${paint(error, 'red')}`]),
  ];
}
