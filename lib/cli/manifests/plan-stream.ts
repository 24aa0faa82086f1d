// `farloop plan --stream`: one case a line in, its plan a line out. A bad line gets an error of its own and never ends the stream.
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { shownText } from '../../objects/values/shown-text.ts';
import { isTime } from '../../objects/values/time.ts';
import { isFields } from '../../objects/values/untyped-fields.ts';
import { SeveralWorkloadsError, UnusableManifestError } from '../../kinds/rows/manifest-documents.ts';
import { planManifests, type ManifestPlan, type PlanRequest } from '../../kinds/planning/manifest-plan.ts';
import type { ManifestReader } from '../../kinds/planning/manifest-sorting.ts';
import { readManifest } from './manifest-types.ts';

/** The result of one line. */
type Answer = { id: unknown; /** Fields that there are not, each with its object: planned without them. */ unknownFields?: string[] } & (
  ManifestPlan | { error: string }
);

/** Reads cases until the input ends. Each line: `{"id", "now", "objects": […], "workload"?}`. @returns how many there were, and how many got an error */
export async function planStream(
  input: Readable,
  output: Writable,
  options: Pick<PlanRequest, 'options'> = {},
): Promise<{ lines: number; unplanned: number }> {
  let [lines, unplanned] = [0, 0];
  let isFirst = true;
  for await (const texts of endedLines(input)) {
    let block = '';
    for (const text of texts) {
      const line = isFirst ? text.replace(/^\uFEFF/, '') : text;
      isFirst = false;
      if (line.trim() === '') continue;
      const { answer, isPlan } = writtenAnswer(planLine(line, options));
      lines += 1;
      if (!isPlan) unplanned += 1;
      block += `${answer}\n`;
    }
    if (block !== '' && !output.write(block)) await once(output, 'drain');
  }
  return { lines, unplanned };
}

/** Lines as each piece of the input ends them. Only `\n` ends one: JSON's texts may hold U+2028 and U+2029, and a `\r` before it is white space. */
async function* endedLines(input: Readable): AsyncGenerator<string[]> {
  let begun = '';
  for await (const piece of input.setEncoding('utf8') as AsyncIterable<string>) {
    const [end = '', ...next] = piece.split('\n');
    const lines = [begun + end, ...next];
    begun = lines.pop() ?? '';
    yield lines;
  }
  yield [begun];
}

/** JSON that can be read may be nested too deep to be written. */
function writtenAnswer(answer: Answer): { answer: string; isPlan: boolean } {
  try {
    return { answer: shownText(JSON.stringify(answer)), isPlan: !('error' in answer) };
  } catch (error) {
    const problem = `the answer cannot be written, as when its id is nested too deep: ${error instanceof Error ? error.message : String(error)}`;
    return { answer: shownText(JSON.stringify({ id: null, error: problem } satisfies Answer)), isPlan: false };
  }
}

/** The answer to one line. */
function planLine(line: string, options: Pick<PlanRequest, 'options'>): Answer {
  let given: unknown;
  try {
    given = JSON.parse(line);
  } catch (error) {
    return { id: null, error: `not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (!isFields(given)) return { id: null, error: 'expected an object with id, now and objects' };
  const { id = null, now, objects, workload } = given;
  if (typeof now !== 'string' || !isTime(now)) return { id, error: 'now: expected an RFC 3339 time' };
  if (!Array.isArray(objects)) return { id, error: 'objects: expected a list of Kubernetes objects' };
  if (workload !== undefined && typeof workload !== 'string') return { id, error: 'workload: expected KIND/[NAMESPACE/]NAME' };
  const unknownFields: string[] = [];
  const read: ManifestReader = (schema, document, source) => {
    const result = readManifest(schema, document);
    if ('unknown' in result) for (const field of result.unknown) unknownFields.push(`${source}: ${field.path}`);
    return result;
  };
  const answered = (answer: ManifestPlan | { error: string }): Answer => ({
    id,
    ...answer,
    ...(unknownFields.length > 0 && { unknownFields }),
  });
  try {
    const documents = objects.map((document: unknown, at) => ({ document, source: `objects[${at}]` }));
    return answered(planManifests(documents, { ...options, read, now: new Date(now), ...(workload !== undefined && { workload }) }));
  } catch (error) {
    if (error instanceof UnusableManifestError || error instanceof SeveralWorkloadsError) return answered({ error: error.message });
    // A fault of ours in one case must not take the others with it.
    return answered({ error: `cannot be planned: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}` });
  }
}
