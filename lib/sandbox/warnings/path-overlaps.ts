// Files of one volume that lie in each other's place: the server takes them and warns, for one of them will not be seen.
import { fieldsAt, listAt, textAt } from '../api-object.ts';
import type { Fields } from '../api-object.ts';
import { quoted } from './go-text.ts';

interface File {
  path: string;
  /** The source that shows it, in a volume of several sources. */
  source: string;
}

/** Nobody lists more by hand; what comes behind is not compared. */
const MOST_FILES = 1_000;
/** More warnings do not fit into a server's 4096 characters. */
const MOST_OVERLAPS = 100;

/** The warnings of a pod's volumes, each once. */
export const ofOverlaps = (volumes: readonly Fields[]): string[] => volumes.flatMap(ofVolume);

function ofVolume(volume: Fields): string[] {
  const name = quoted(textAt(volume, 'name'));
  const { configMap, secret, downwardAPI, projected } = volume;
  const warnings = (kind: string, files: readonly File[]): string[] =>
    overlapsOf(files).map((overlap) => `volume ${name} (${kind}): overlapping paths: ${overlap}`);
  const itemsOf = (field: string): File[] => filesOf(fieldsAt(volume, field), '');
  const sources = listAt(fieldsAt(volume, 'projected'), 'sources');
  return [
    ...(configMap ? warnings(`ConfigMap ${quoted(textAt(fieldsAt(volume, 'configMap'), 'name'))}`, itemsOf('configMap')) : []),
    ...(secret ? warnings(`Secret ${quoted(textAt(fieldsAt(volume, 'secret'), 'secretName'))}`, itemsOf('secret')) : []),
    ...(downwardAPI ? warnings('DownwardAPI', itemsOf('downwardAPI')) : []),
    ...(sources.some((source) => Object.keys(source).length === 0) ? [`volume ${name} (Projected) has no sources provided`] : []),
    ...(projected ? warnings('Projected', sources.flatMap(filesOfSource)) : []),
  ];
}

const filesOf = (fields: Fields, source: string): File[] => listAt(fields, 'items').map((item) => ({ path: textAt(item, 'path'), source }));

function filesOfSource(source: Fields): File[] {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  const named = (kind: string, field: string): string => `${kind} ${quoted(textAt(fieldsAt(source, field), 'name'))}`;
  if (configMap) return filesOf(fieldsAt(source, 'configMap'), named('ConfigMap', 'configMap'));
  if (secret) return filesOf(fieldsAt(source, 'secret'), named('Secret', 'secret'));
  if (downwardAPI) return filesOf(fieldsAt(source, 'downwardAPI'), 'DownwardAPI');
  if (!serviceAccountToken) return [];
  return [{ path: textAt(fieldsAt(source, 'serviceAccountToken'), 'path'), source: 'ServiceAccountToken' }];
}

const shown = ({ path, source }: File): string => quoted(path) + (source === '' ? '' : ` (${source})`);

function overlapsOf(files: readonly File[]): string[] {
  const overlaps = new Set<string>();
  const earlier: { folder: string; file: File }[] = [];
  for (const { path: given, source } of files.slice(0, MOST_FILES)) {
    const path = given.replace(/(?<!\/)\/+$/, '');
    const [folder, file] = [`${path}/`, { path, source }];
    for (const other of earlier) {
      if (folder.startsWith(other.folder) || other.folder.startsWith(folder)) overlaps.add(`${shown(file)} with ${shown(other.file)}`);
      if (overlaps.size >= MOST_OVERLAPS) return [...overlaps];
    }
    earlier.push({ folder, file });
  }
  return [...overlaps];
}
