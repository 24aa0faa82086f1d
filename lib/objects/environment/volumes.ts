// The contents of a pod's volumes, written out as files: who runs the pod elsewhere can mount nothing from the API server.
import type { Pod } from '../kubernetes.ts';
import { UnresolvedReferenceError, valueOfField, valueOfResource, type FieldReference, type ResourceReference } from './downward-fields.ts';
import type {
  Around,
  ReadSource,
  ResolutionEvent,
  Source,
  SourceKind,
  SourceName,
  TokenAsk,
  VolumeContent,
  VolumeFile,
} from './sources.ts';

interface Item {
  key: string;
  path: string;
  mode?: number;
}

interface KeyProjection {
  name?: string;
  secretName?: string;
  items?: Item[];
  optional?: boolean;
}

interface DownwardProjection {
  items?: { path: string; fieldRef?: FieldReference; resourceFieldRef?: ResourceReference; mode?: number }[];
}

interface Projection {
  configMap?: KeyProjection;
  secret?: KeyProjection;
  downwardAPI?: DownwardProjection;
  serviceAccountToken?: { path: string; audience?: string; expirationSeconds?: number };
  [other: string]: unknown;
}

interface Volume {
  name: string;
  configMap?: KeyProjection & { defaultMode?: number };
  secret?: KeyProjection & { defaultMode?: number };
  downwardAPI?: DownwardProjection & { defaultMode?: number };
  projected?: { sources?: Projection[]; defaultMode?: number };
}

const DEFAULT_MODE = 0o644;
/** The API server gives such a token to its own audience for a year, however short it was asked for; any other ends when it says. */
export const LASTING_TOKEN_SECONDS = 3_607;

const volumesOf = ({ spec }: Pod): Volume[] => (spec['volumes'] ?? []) as Volume[];

/** The parts of a volume; undefined: nothing of it is the API server's. */
function projectionsOf({ configMap, secret, downwardAPI, projected }: Volume): { sources: Projection[]; mode: number } | undefined {
  if (configMap) return { sources: [{ configMap }], mode: configMap.defaultMode ?? DEFAULT_MODE };
  if (secret) return { sources: [{ secret }], mode: secret.defaultMode ?? DEFAULT_MODE };
  if (downwardAPI) return { sources: [{ downwardAPI }], mode: downwardAPI.defaultMode ?? DEFAULT_MODE };
  return projected && { sources: projected.sources ?? [], mode: projected.defaultMode ?? DEFAULT_MODE };
}

/** Of the volumes, some perhaps twice. */
export function sourcesInVolumes(pod: Pod): SourceName[] {
  return volumesOf(pod)
    .flatMap((volume) => projectionsOf(volume)?.sources ?? [])
    .flatMap(({ configMap, secret }): SourceName[] => [
      ...(configMap ? [{ kind: 'ConfigMap' as const, name: nameIn(configMap) }] : []),
      ...(secret ? [{ kind: 'Secret' as const, name: nameIn(secret) }] : []),
    ]);
}

/** A secret's volume calls it otherwise than a projection does. */
const nameIn = ({ name, secretName }: KeyProjection): string => name ?? secretName ?? '';

/** Each once. */
export function tokensAskedIn(pod: Pod): TokenAsk[] {
  const asked = volumesOf(pod).flatMap(({ projected }) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }) => (serviceAccountToken ? [askOf(serviceAccountToken)] : [])),
  );
  return [...new Map(asked.map((ask) => [tokenKeyOf(ask), ask])).values()];
}

const askOf = ({ audience, expirationSeconds = 3_600 }: NonNullable<Projection['serviceAccountToken']>): TokenAsk => ({
  ...(audience !== undefined && audience !== '' && { audience }),
  expirationSeconds,
});

export const tokenKeyOf = ({ audience = '', expirationSeconds }: TokenAsk): string => `${expirationSeconds} ${audience}`;

/** @param events grows. @throws UnresolvedReferenceError */
export function volumeContents(pod: Pod, around: Around, events: ResolutionEvent[]): VolumeContent[] {
  return volumesOf(pod).flatMap((volume) => {
    const projections = projectionsOf(volume);
    if (!projections) return [];
    const files = new Map<string, VolumeFile>();
    const put = (path: string, data: Buffer | string, mode = projections.mode): void =>
      void files.set(path, { path, mode, data: typeof data === 'string' ? data : data.toString('base64') });
    try {
      for (const source of projections.sources) project(source, { pod, around, events, put, volume: volume.name });
    } catch (error) {
      if (!(error instanceof UnresolvedReferenceError)) throw error;
      events.push({
        reason: 'FailedMount',
        message: `MountVolume.SetUp failed for volume ${JSON.stringify(volume.name)} : ${error.message}`,
      });
      throw error;
    }
    return [{ name: volume.name, files: [...files.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1)) }];
  });
}

interface Projecting {
  pod: Pod;
  around: Around;
  events: ResolutionEvent[];
  /** A later file of the same path replaces an earlier one. @param data in base64, where it is a text */
  put: (path: string, data: Buffer | string, mode?: number) => void;
  /** Its name. */
  volume: string;
}

function project(source: Projection, projecting: Projecting): void {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  if (configMap) putKeys('ConfigMap', configMap, projecting);
  else if (secret) putKeys('Secret', secret, projecting);
  else if (downwardAPI) putFields(downwardAPI, projecting);
  else if (serviceAccountToken) putToken(serviceAccountToken, projecting);
  else {
    const [kind = 'nothing'] = Object.keys(source);
    throw new UnresolvedReferenceError(`a projection of ${kind} cannot be written out for a virtual node; leave it out`);
  }
}

function putKeys(kind: SourceKind, { items, optional = false, ...named }: KeyProjection, { around, put }: Projecting): void {
  const name = nameIn(named);
  const word = kind.toLowerCase();
  const data = dataOf(kind, around.sourceOf({ kind, name }));
  if (typeof data === 'string') {
    if (optional && data === 'absent') return;
    throw new UnresolvedReferenceError(
      data === 'absent' ? `${word} ${JSON.stringify(name)} not found` : `failed to read ${word} ${JSON.stringify(name)}: ${data}`,
    );
  }
  for (const { key, path, mode } of items ?? [...data.keys()].map((each): Item => ({ key: each, path: each }))) {
    const value = data.get(key);
    if (value !== undefined) put(path, value, mode);
    else if (!optional)
      throw new UnresolvedReferenceError(`references non-existent ${kind === 'Secret' ? 'secret' : 'config'} key: ${key}`);
  }
}

/** @returns base64 by key; `absent`, or why it may not be read */
function dataOf(kind: SourceKind, read: ReadSource): Map<string, string> | string {
  if ('absent' in read) return 'absent';
  if ('unreadable' in read) return read.unreadable;
  const { data = {}, binaryData = {} }: Source = read.source;
  const inBase64 = (text: string): string => (kind === 'Secret' ? text : Buffer.from(text).toString('base64'));
  return new Map([...Object.entries(data).map(([key, text]): [string, string] => [key, inBase64(text)]), ...Object.entries(binaryData)]);
}

function putFields({ items = [] }: DownwardProjection, { pod, around: { allocatable }, put }: Projecting): void {
  const [own = { name: '' }] = pod.spec.containers;
  for (const { path, fieldRef, resourceFieldRef, mode } of items)
    if (fieldRef) put(path, Buffer.from(valueOfField(fieldRef, pod)), mode);
    else if (resourceFieldRef) put(path, Buffer.from(valueOfResource(resourceFieldRef, pod, { own, allocatable })), mode);
}

/** Nearly every pod mounts a token, and few look at it: one that is to have none starts without it, and that is told. */
function putToken(token: NonNullable<Projection['serviceAccountToken']>, { pod, around, events, put, volume }: Projecting): void {
  const ask = askOf(token);
  const read = around.tokenOf(ask);
  const [which, account] = [JSON.stringify(volume), JSON.stringify(accountOf(pod))];
  if ('token' in read) {
    put(token.path, Buffer.from(read.token));
    if (ask.audience !== undefined || ask.expirationSeconds !== LASTING_TOKEN_SECONDS)
      events.push({
        reason: 'ServiceAccountTokenNotRenewed',
        message: `the token of ${account} in volume ${which} ends after ${ask.expirationSeconds} s; a virtual node does not renew it`,
      });
    return;
  }
  if ('absent' in read) throw new UnresolvedReferenceError(`serviceaccount ${account} not found`);
  if ('unreadable' in read) throw new UnresolvedReferenceError(`failed to fetch a token of serviceaccount ${account}: ${read.unreadable}`);
  events.push({
    reason: 'ServiceAccountTokenWithheld',
    message: `volume ${which} has no token of serviceaccount ${account}: virtual nodes get them with --node-tokens; a pod that needs none says automountServiceAccountToken: false`,
  });
}

export const accountOf = ({ spec }: Pod): string => {
  const { serviceAccountName } = spec;
  return typeof serviceAccountName === 'string' && serviceAccountName !== '' ? serviceAccountName : 'default';
};
