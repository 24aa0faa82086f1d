// The pods of a run's manifest, read from files with the types of an API server.
import { checkTogether, podDocument, podToAdmit, type SourcedPod } from '../../kinds/run-once/given-pods.ts';
import { NO_PODS } from '../../kinds/run-once/texts.ts';
import { objectsIn, UnusableManifestError, type ManifestObject } from '../../kinds/rows/manifest-documents.ts';
import { UsageError } from '../terminal/exit.ts';

/** Larger manifests are refused: a run of so many pods is several runs. */
const MOST_BYTES = 4 * 1024 * 1024;

export type { SourcedPod } from '../../kinds/run-once/given-pods.ts';

/** @throws UsageError with file, document and field */
export async function readPods(files: readonly string[]): Promise<SourcedPod[]> {
  const { readManifests } = await import('../manifests/manifest-files.ts');
  const documents = await readManifests(files, process.stdin, { mostBytes: MOST_BYTES });
  const source = files.map((file) => (file === '-' ? 'standard input' : file)).join(', ');
  const pods: SourcedPod[] = [];
  try {
    for (const { object, source: at, placeOf = () => at } of objectsIn(documents)) pods.push(await readPod(object, placeOf));
    checkTogether(pods, source);
  } catch (error) {
    if (error instanceof UnusableManifestError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
  if (pods.length === 0) throw new UsageError(`${source}: ${NO_PODS}: expected at least one document of kind Pod`);
  return pods;
}

async function readPod(object: ManifestObject, placeOf: SourcedPod['placeOf']): Promise<SourcedPod> {
  const { readManifest, unknownFieldText } = await import('../manifests/manifest-types.ts');
  const read = readManifest('Pod', podDocument(object, placeOf));
  if ('problem' in read) {
    const { field, expected, found } = read.problem;
    throw new UsageError(`${placeOf(field)}: ${field}: expected ${expected}, found ${found ?? 'nothing'}`);
  }
  const [unknown] = read.unknown;
  if (unknown) throw new UsageError(`${placeOf(unknown.path)}: ${unknownFieldText(unknown)}`);
  return podToAdmit(read.object, placeOf);
}
