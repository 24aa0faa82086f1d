// `farloop plan`: what one pass would do with objects from files; nothing is contacted.
import { Argument, Command, Option } from 'commander';
import { shownData, shownText } from '../../objects/values/shown-text.ts';
import { isTime } from '../../objects/values/time.ts';
import { ALL_FACTS } from '../../kinds/facts.ts';
import { objectsIn, type SourcedDocument } from '../../kinds/rows/manifest-documents.ts';
import type { ManifestReader } from '../../kinds/planning/manifest-sorting.ts';
import { endpointOption } from '../instance/api-client.ts';
import { stateOption } from '../instance/instance-file.ts';
import { withWords, withWorkloads } from '../terminal/completion-hints.ts';
import { AmbiguousError, UsageError } from '../terminal/exit.ts';
import { addKindOptions, featuresFor, givenKindOptions } from '../terminal/kind-options.ts';
import type { OutputFormat } from '../terminal/output.ts';
import { outputOption, print, printProblem } from '../terminal/output.ts';
import { suggestionText } from '../terminal/suggestions.ts';

/** The planned workload is invalid: no pass does anything for it before its spec changes. */
const INVALID = 3;

const KINDS = ALL_FACTS;

interface PlanOptions {
  namespace?: string;
  cluster?: string;
  state?: string;
  endpoint?: string;
  filename?: string[];
  now?: string;
  workload?: string;
  stream?: boolean;
  output: OutputFormat;
}

export const planCommand = (): Command =>
  addKindOptions(
    new Command('plan')
      .description(
        'Show what one pass would do: with objects from files, contacting nothing, or now with a workload of the running instance or a run of run-once. Nothing is done.',
      )
      .addArgument(
        withWords(
          withWorkloads(new Argument('[workload]', 'KIND/NAME, as in job/demo, of the running instance, or run/ID; in place of -f')),
          [...KINDS.map(({ kind }) => `${kind.toLowerCase()}/`), 'run/'],
        ),
      )
      .argument('[name]', 'NAME, where only the kind stands before it')
      .option('-n, --namespace <namespace>', 'of the running instance: its namespace, where several have one of that name')
      .option('--cluster <cluster>', 'its cluster, where several have one of that name')
      .option('-f, --filename <files...>', 'Kubernetes objects as YAML or JSON; - is standard input')
      .option('--now <time>', 'the time of the pass (RFC 3339; default: now)')
      .option('--workload <name>', 'which one, where there are several: KIND/[NAMESPACE/]NAME; of a Pod: whether its node admits it')
      .addOption(outputOption())
      .addOption(endpointOption())
      .addOption(stateOption())
      .addOption(
        new Option(
          '--stream',
          'plan many cases: each line of standard input is {"id", "now", "objects", "workload"?} and gets a plan or an error, with the unknownFields that it has',
        ).conflicts(['filename', 'now', 'workload']),
      )
      .addHelpText(
        'after',
        '\nExamples:\n  farloop plan job/demo\n  farloop plan run/nightly-07\n  farloop plan -f examples/job.yaml\n  kubectl get jobs,pods -o yaml | farloop plan -f - --workload job/demo' +
          '\n  (kubectl get node N -o yaml; echo ---; kubectl get pods -A -o yaml) | farloop plan -f - --workload Pod/kube-system/agent' +
          '\n\nExit codes: 0 planned, 2 unusable input or one that the API server refuses, 3 the workload is invalid, or several are there and --workload names none.',
      )
      .action(runPlan),
    { kinds: KINDS },
  );

async function runPlan(
  named: string | undefined,
  secondWord: string | undefined,
  { filename, now, workload, stream, output, namespace, cluster, state, endpoint, ...others }: PlanOptions,
): Promise<void> {
  if (named !== undefined) {
    if (filename !== undefined || stream || now !== undefined || workload !== undefined)
      throw new UsageError(
        `${named} is planned as the running instance knows it: leave out -f, --workload, --now and --stream, or the name`,
      );
    const { planWorkload } = await import('./plan-now.ts');
    const place = { ...(namespace !== undefined && { namespace }), ...(cluster !== undefined && { cluster }) };
    return await planWorkload(secondWord === undefined ? named : `${named}/${secondWord}`, { ...place, state, endpoint, output });
  }
  // Before the types are read: theirs is `spec.scheduling`.
  const options = givenKindOptions(others, KINDS);
  const { isFeature, switchOn } = await import('../../sandbox/objects/features.ts');
  for (const feature of featuresFor(options)) if (isFeature(feature)) switchOn(feature);
  if (stream) {
    const { planStream } = await import('./plan-stream.ts');
    const { lines, unplanned } = await planStream(process.stdin, process.stdout, { options });
    if (unplanned > 0)
      throw new UsageError(`${unplanned} of ${lines} lines could not be planned: the error in the answer to each says why`);
    return;
  }
  if (filename === undefined)
    throw new UsageError('expected the name of a workload, -f FILE with the objects to plan from, or --stream; see farloop plan --help');
  const time = now === undefined ? new Date() : timeOf(now);
  const { readManifests } = await import('./manifest-files.ts');
  const { SeveralWorkloadsError, UnusableManifestError } = await import('../../kinds/rows/manifest-documents.ts');
  const { decideFromManifests, printedPlan } = await import('../../kinds/planning/manifest-plan.ts');
  const { readManifest, unknownFieldText } = await import('./manifest-types.ts');
  const { explainPlan } = await import('../../kinds/planning/plan-text.ts');
  const { unknownDefinedFields } = await import('./defined-fields.ts');
  const documents = await readManifests(filename, process.stdin);
  const places = placesIn(documents);
  const read: ManifestReader = (schema, document, source) => {
    // Of a training job the API server knows what its definition says. It drops the others, and so does its planner, which never reads them.
    const unknown = schema === undefined ? unknownDefinedFields(document) : [];
    const result = readManifest(schema, document);
    for (const field of 'unknown' in result ? [...result.unknown, ...unknown] : [])
      printProblem(
        `farloop: ${places.get(source)?.(field.path) ?? source}: ${unknownFieldText(field)}; the API server drops it, and kubectl refuses it`,
      );
    return result;
  };
  try {
    const decision = decideFromManifests(documents, {
      now: time,
      read,
      ...(workload !== undefined && { workload }),
      options,
    });
    const { workload: decided } = decision;
    const full = shownText([decided.kind, ...(decided.namespace === '' ? [] : [decided.namespace]), decided.name].join('/'));
    await print(printedPlan(decision), output, () =>
      explainPlan(full, shownData(decision.plan), { shown: decision.kind.shown, extra: shownData(decision.extra) }),
    );
    if (decision.plan.outcome === 'parked' && decision.plan.untilChanged) process.exitCode = INVALID;
  } catch (error) {
    if (error instanceof SeveralWorkloadsError) throw new AmbiguousError(error.message, { cause: error });
    if (error instanceof UnusableManifestError)
      throw new UsageError(`${placed(error.message, places)}${nearestText(error.message, documents)}`, { cause: error });
    throw error;
  }
}

/** The place of each object's fields, by its source. */
function placesIn(documents: readonly SourcedDocument[]): Map<string, (path: string) => string> {
  const places = new Map<string, (path: string) => string>();
  try {
    for (const { source, placeOf } of objectsIn(documents)) if (placeOf) places.set(source, placeOf);
  } catch {
    // An unusable document is refused where the documents are planned from.
  }
  return places;
}

/** `FILE:LINE: FIELD: …` with the line of the field instead of that of its object. */
function placed(message: string, places: ReadonlyMap<string, (path: string) => string>): string {
  for (const [source, placeOf] of places) {
    if (!message.startsWith(`${source}: `)) continue;
    const rest = message.slice(source.length + 2);
    const [, field] = /^([\w.[\]-]+): /.exec(rest) ?? [];
    return field === undefined ? message : `${placeOf(field)}: ${rest}`;
  }
  return message;
}

/** Where no workload was found: the first object that is nearly one, with what was meant. */
function nearestText(message: string, documents: readonly SourcedDocument[]): string {
  if (!message.startsWith('no workload in the input')) return '';
  for (const { object, source, placeOf = () => source } of objectsIn(documents)) {
    const { apiVersion, kind } = object;
    const group = apiVersion.split('/')[0];
    const ofKind = KINDS.find((facts) => facts.resource.kind === kind);
    if (ofKind && ofKind.resource.apiVersion !== apiVersion)
      return `. ${placeOf('apiVersion')}: apiVersion: ${kind} is of ${ofKind.resource.apiVersion}, not of ${apiVersion}`;
    const ofGroup = KINDS.filter(({ resource }) => resource.apiVersion.split('/')[0] === group).map(({ resource }) => resource.kind);
    const suggestion = suggestionText(kind, ofGroup);
    if (suggestion !== '') return `. ${placeOf('kind')}: kind: there is no ${kind} in ${apiVersion}${suggestion}`;
  }
  return '';
}

function timeOf(text: string): Date {
  if (!isTime(text)) throw new UsageError(`--now ${text}: expected an RFC 3339 time such as 2026-05-01T10:00:00Z`);
  return new Date(text);
}
