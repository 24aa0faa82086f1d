// `farloop explain`: what was decided about a workload, and why, from the recorded passes of the running instance.
import { Command } from 'commander';
import type { ToldPass } from '../../api/passes.ts';
import type { ContainerSummary, PodSummary, WorkloadDetail, WorkloadSummary } from '../../api/told-workload.ts';
import { ALL_FACTS, findFacts } from '../../kinds/facts.ts';
import type { KindFacts } from '../../kinds/rows/kind.ts';
import { aboutWorkload, nameWorkload, textsNamed, workloadAt, workloadPathNamed, workloadText } from './named-workload.ts';
import { pathOfKey, placeText } from './place-text.ts';
import type { Reason } from '../../kinds/rows/reasons.ts';
import { laggingText } from '../../objects/detail/workload-map.ts';
import { shownData } from '../../objects/values/shown-text.ts';
import { connectToInstance, endpointOption, type ApiClient } from '../instance/api-client.ts';
import { explainRun } from '../run-records/explain-run.ts';
import { findRun } from '../run-records/run-named.ts';
import { FailedError, UsageError } from '../terminal/exit.ts';
import { followed, type Connect } from './followed.ts';
import { figuresText, progressText } from './figures.ts';
import { colourOfOutcome, colourOfState } from '../terminal/state-colour.ts';
import { standingText } from './standing-text.ts';
import { stateOption } from '../instance/instance-file.ts';
import type { OutputFormat } from '../terminal/output.ts';
import { outputOption, paint, print, printInstead, printProblem, spanText } from '../terminal/output.ts';
import { wholeNumber } from '../terminal/arguments.ts';

interface ExplainOptions {
  namespace?: string;
  cluster?: string;
  limit: number;
  watch?: true;
  output: OutputFormat;
  state?: string;
  endpoint?: string;
}

export const explainCommand = (kinds: readonly KindFacts[] = ALL_FACTS): Command =>
  aboutWorkload(new Command('explain').description('Show what was decided about a workload or a run of run-once, and why.'), kinds, [
    'run/',
  ])
    .option('-w, --watch', 'go on, and show it anew when it changes')
    .option('--limit <passes>', 'how many of the latest passes', wholeNumber({ min: 1, max: 1_000 }), 20)
    .addOption(outputOption())
    .addOption(endpointOption())
    .addOption(stateOption())
    .addHelpText(
      'after',
      '\nExample:\n  farloop explain job/demo -n default\n  farloop explain run/nightly-07\n\nExit codes: 0 it is explained, 1 there is no such workload or run, or somebody else manages it; 3 several have that name.',
    )
    .action(async (first: string, second: string | undefined, options: ExplainOptions) => {
      if (options.watch && options.output !== 'text')
        throw new UsageError(`--watch prints text for people: leave out -o ${options.output}`);
      const text = workloadText(first, second);
      const run = await findRun(
        { ...options, text, kinds, workloadsNamed: async (name) => await textsNamed(connectToInstance(options), name) },
        async (source, id) => await source.summary(id),
      );
      if (run) return await explainRun(run.found, { ...run, ...options });
      const named = nameWorkload(text, kinds);
      const api = connectToInstance(options);
      const { namespace, cluster } = options;
      const path = await workloadPathNamed(
        api,
        { ...options, text, named },
        async (kind, name, removed) =>
          await explainGone(
            api,
            {
              facts: kinds.find((each) => each.kind === kind),
              kind,
              name,
              namespace: namespace ?? removed?.namespace,
              cluster: cluster ?? removed?.cluster,
              removed,
            },
            options,
          ),
      );
      if (path === undefined) return;
      const { workload, passes, failure } = await readExplained(api, path, options);
      if (!workload) throw new FailedError(`there is no ${text}`);
      if (options.watch) return await watchExplained({ text, path, first: { workload, passes, failure } }, options);
      await print({ workload, passes }, options.output, (shown) => explanationOf(shown.workload, shown.passes, failure !== undefined));
      // The known part is printed; the command fails all the same.
      if (failure) throw failure;
    });

interface Explained {
  /** Undefined: it is gone. */
  workload: WorkloadDetail | undefined;
  passes: ToldPass[];
  failure?: FailedError | undefined;
}

async function readExplained(api: ApiClient, path: string, { limit }: ExplainOptions): Promise<Explained> {
  const workload = await workloadAt(api, path);
  return { workload, ...(await recordedPasses(api, `${path}/passes?limit=${limit}`)) };
}

const WATCH_EVERY_MS = 2_000;

/** Ends once it is gone. */
async function watchExplained(
  { text, path, first }: { text: string; path: string; first: Explained },
  options: ExplainOptions,
): Promise<void> {
  let shown: string | undefined;
  /** @returns whether it is still there */
  const show = ({ workload, passes, failure }: Explained): boolean => {
    if (!workload) return false;
    const explanation = explanationOf(shownData(workload), shownData(passes), failure !== undefined);
    // The moment of the next look comes nearer all the time.
    const content = explanation.replace(/^ {2}next look: .*$/m, '');
    if (content !== shown) printInstead(explanation, shown === undefined);
    shown = content;
    return true;
  };
  show(first);
  const read = async (api: ApiClient): Promise<Explained> => await readExplained(api, path, options);
  const connect: Connect = (again) => connectToInstance(options, process.env, again);
  for await (const now of followed(connect, { read, everyMs: WATCH_EVERY_MS, shownAtMs: Date.now() }))
    if (!show(now)) return printProblem(`farloop: ${text} is gone`);
}

/** More clusters are not asked for passes of a workload that is gone. */
const MOST_CLUSTERS_ASKED = 10;

/**
 * Passes outlive their workload by days.
 * @returns whether there are any of a workload of that name, which are then printed
 */
async function explainGone(
  api: ApiClient,
  {
    facts,
    kind,
    name,
    namespace = facts?.resource.namespaced === false ? '' : 'default',
    cluster,
    removed,
  }: {
    facts: KindFacts | undefined;
    kind: string;
    name: string;
    namespace?: string | undefined;
    cluster?: string | undefined;
    /** How it was when it was seen last. */
    removed?: WorkloadSummary | undefined;
  },
  { limit, output }: ExplainOptions,
): Promise<boolean> {
  const { items } = await api.get<{ items: { name: string }[] }>('/v1/clusters');
  const asked = items.filter(({ name: on }) => cluster === undefined || cluster === on).slice(0, MOST_CLUSTERS_ASKED);
  // At once: on AWS each is a search in a log.
  const found = await Promise.all(
    asked.map(async ({ name: on }) => {
      const path = pathOfKey({ cluster: on, kind, namespace, name });
      return { on, ...(await recordedPasses(api, `/v1/workloads/${path}/passes?limit=${limit}`)) };
    }),
  );
  const { on, passes } = found.find((each) => each.passes.length > 0) ?? { on: '', passes: [] };
  const [latest] = passes;
  if (!latest) return false;
  const { uid } = latest.key;
  await print({ passes }, output, (shown) =>
    [
      `${paint(`${kind.toLowerCase()}/${name}`, 'bold')} ${placeText({ namespace, cluster: on })} is gone; its last pass began at ${latest.startTime}`,
      ...(removed ? [`  seen last as ${standingText(withoutRemoval(removed))}: ${progressText(removed)}`] : []),
      '',
      `Passes, newest first: ${costText(shown.passes)}`,
      ...shown.passes.flatMap((pass) => passLines(pass, uid)),
    ].join('\n'),
  );
  return true;
}

const withoutRemoval = ({ removedTime: _removedTime, ...summary }: WorkloadSummary): Omit<WorkloadSummary, 'removedTime'> => summary;

/** On AWS they are searched for in a log, which may take longer than there is time for. */
async function recordedPasses(api: ApiClient, path: string): Promise<{ passes: ToldPass[]; failure?: FailedError }> {
  try {
    return { passes: (await api.get<{ items: ToldPass[] }>(path)).items };
  } catch (error) {
    if (!(error instanceof FailedError)) throw error;
    return { passes: [], failure: new FailedError(`its passes cannot be shown: ${error.message}`, { cause: error }) };
  }
}

/** Empty for a kind that has none. */
function podsText({ kind, pods, podsLeftOut }: WorkloadDetail): string {
  const known = pods.length + podsLeftOut;
  const facts = findFacts(kind);
  return known === 0 && facts !== undefined && !facts.pods ? '' : `pods known ${known}`;
}

function explanationOf(workload: WorkloadDetail, passes: readonly ToldPass[], isUnknown: boolean): string {
  const { kind, name, uid, state, reason, nextWake, queued } = workload;
  // Passes are found by name: among them may be those of one of a former uid.
  const latest = passes.find(({ key, by }) => key.uid === uid && by === undefined);
  const figures = [figuresText(workload), podsText(workload)].filter((part) => part !== '').join(', ');
  const lines = [
    `${paint(`${kind.toLowerCase()}/${name}`, 'bold')} ${placeText(workload)}: ${paint(state, colourOfState(standingText(workload)))}${reason === undefined ? '' : ` (${reason})`}`,
    ...(figures === '' ? [] : [`  ${figures}`]),
    ...causeLines(workload),
    ...workload.reasons.map((one) => `  ${paint(one.code, 'bold')}: ${one.text}${evidenceText(one, workload.pods)}`),
    ...podLines(workload.pods),
    ...(latest && latest.why.length > 0 ? [`  latest pass: ${latest.why.join('; ')}`] : []),
    `  next look: ${queued ? 'a wake is on its way' : nextWake ? nextLookText(nextWake) : 'when something happens'}`,
    '',
    isUnknown ? 'Its passes are not known.' : passes.length === 0 ? 'No pass is recorded.' : `Passes, newest first: ${costText(passes)}`,
  ];
  for (const pass of passes) lines.push(...passLines(pass, uid));
  return lines.join('\n');
}

/** The first sentence of all: unless the first reason says the same. Lagging indexes too, where something else holds it up. */
function causeLines({ cause, reasons, lagging }: WorkloadDetail): string[] {
  const told = cause === undefined || cause === reasons[0]?.text ? [] : [cause];
  const lags = lagging && laggingText({ count: lagging.count, lagging: lagging.indexes, medianSeconds: lagging.medianSeconds });
  return [...told, ...(lags === undefined || lags === cause ? [] : [lags])].map((text) => `  ${text}`);
}

/** More pods are not listed; the console has all of them. */
const MOST_PODS = 5;

/** Pods whose containers failed or were started again. */
function podLines(pods: readonly PodSummary[]): string[] {
  const told = pods.filter(({ containers }) => containers.some(({ restarts, exitCode = 0 }) => restarts > 0 || exitCode !== 0));
  const lines = told.slice(0, MOST_PODS).map(({ name, phase, containers }) => {
    const texts = containers.flatMap((container) => containerText(container) ?? []);
    return `  pod ${name} ${phase}: ${texts.join('; ')}`;
  });
  return told.length > MOST_PODS ? [...lines, `  and ${told.length - MOST_PODS} more pods whose containers failed or restarted`] : lines;
}

/** @returns undefined for a container that runs and never ended; the console shows the same */
function containerText({ name, role, restarts, exitCode, lastExitCode, reason }: ContainerSummary): string | undefined {
  const code = exitCode ?? lastExitCode;
  if (code === undefined && restarts === 0) return undefined;
  const ended =
    code === undefined ? [] : [`${exitCode === undefined ? 'last ' : ''}exit code ${code}${reason === undefined ? '' : ` (${reason})`}`];
  const again = restarts === 0 ? [] : [`${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`];
  return `${role === 'container' ? '' : `${role} `}${name}: ${[...ended, ...again].join(', ')}`;
}

/** Time and writes of these passes together. */
function costText(passes: readonly ToldPass[]): string {
  const own = passes.filter(({ by }) => by === undefined);
  const took = own.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const sent = own.flatMap(({ actions }) => actions).filter(({ result }) => result !== 'notDone');
  const writes = sent.reduce((sum, { count = 1 }) => sum + count, 0);
  return `${own.length} in ${took} ms, ${writes} ${writes === 1 ? 'write' : 'writes'} to the cluster`;
}

/** When the oldest of these pods was created; empty where none of them is known. */
function sinceText(names: readonly string[], pods: readonly PodSummary[]): string {
  const times = pods
    .flatMap(({ name, creationTime }) => (names.includes(name) && creationTime !== undefined ? [creationTime] : []))
    .toSorted();
  const [oldest] = times;
  if (oldest === undefined) return '';
  return `, ${names.length > 1 ? 'the oldest ' : ''}created ${oldest.replace(/\.\d+Z$/, 'Z')}`;
}

/** Evidence that the text does not say itself; the console shows the same. */
export function evidenceText({ text, pods = [], exitCode, podReason, rule, index }: Reason, known: readonly PodSummary[] = []): string {
  const shown = [
    ...(index === undefined || text.includes(`index ${index} `) ? [] : [`${/^\d+$/.test(index) ? 'index' : 'indexes'} ${index}`]),
    ...(pods.length === 0 || text.includes(pods.join(', '))
      ? []
      : [`pod${pods.length > 1 ? 's' : ''} ${pods.join(', ')}${sinceText(pods, known)}`]),
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

/** @returns nothing for what was not there */
function seenText(what: string, value: unknown): string[] {
  if (value === '') return [];
  if (what === 'live') return [value === true ? 'owner read live' : 'owner from the view'];
  if (what === 'listed') return [value === true ? 'children listed live' : 'children from the view'];
  return [`${what} ${String(value)}`];
}

function passLines(
  { key, passId, by, startTime, durationMs, outcome, why, actions, saw, nextWakeTime, error }: ToldPass,
  uid: string,
): string[] {
  // A record of a person among those of passes.
  if (by !== undefined) return [`  ${startTime}  ${paint(why.join('; '), 'bold')}`, ...actions.map(({ why: what }) => `    ${what}`)];
  const seen = Object.entries(saw).flatMap(([what, value]) => seenText(what, value));
  const again =
    nextWakeTime === undefined
      ? []
      : [`looks again ${((Date.parse(nextWakeTime) - Date.parse(startTime)) / 1000).toFixed(1)} s after its start`];
  return [
    `  ${startTime}  ${paint(outcome, colourOfOutcome(outcome))}, ${durationMs} ms  ${paint(`${seen.join(', ')}, pass ${passId}${key.uid === uid ? '' : `, uid ${key.uid}`}`, 'dim')}`,
    ...why.map((reason) => `    because: ${reason}`),
    ...actions.map(
      ({ verb, target, why: reason, result, detail, count = 1 }) =>
        `    ${actionText(verb, target)}${count > 1 ? ` and ${count - 1} more` : ''}: ${reason}${result === 'done' ? '' : ` [${result}${detail === undefined ? '' : `: ${detail}`}]`}`,
    ),
    ...again.map((text) => `    ${text}`),
    ...(error === undefined ? [] : [`    ${paint(error, 'red')}`]),
  ];
}
