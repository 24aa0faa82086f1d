// A pod's volumes as folders of its own, and which of them each container sees where.
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import type { ResolvedPod, VolumeContent } from '../../../../objects/environment/sources.ts';
import type { Container, Pod } from '../../../../objects/kubernetes.ts';
import { listOf, textOf } from '../../../../objects/values/untyped-fields.ts';
import type { VolumeMount } from '../machine/mount-script.ts';

const VOLUMES = 'volumes';
const SECRET_FOLDER_MODE = 0o700;

/** All of them, with what those hold that come from the API server. @param folder the pod's, which nobody else can enter */
export function writeVolumes(folder: string, pod: ResolvedPod): void {
  const contents = new Map((pod.volumeContents ?? []).map((content) => [content.name, content]));
  for (const volume of listOf(pod.spec['volumes'])) {
    const name = textOf(volume['name']);
    const path = volumePath(folder, name);
    mkdirSync(path, { recursive: true, mode: SECRET_FOLDER_MODE });
    const content = contents.get(name);
    if (content) writeContent(path, content);
  }
}

/** Each file whole or not at all, as one may be read meanwhile. */
function writeContent(path: string, { files }: VolumeContent): void {
  for (const { path: name, mode, data } of files) {
    const file = insideOf(path, name);
    mkdirSync(dirname(file), { recursive: true, mode: SECRET_FOLDER_MODE });
    const beside = `${file}.farloop-new`;
    rmSync(beside, { force: true });
    writeFileSync(beside, Buffer.from(data, 'base64'), { mode: 0o600 });
    // The owner must be able to remove and replace it, whatever the mode says of writing.
    chmodSync(beside, mode & 0o777);
    renameSync(beside, file);
  }
}

/** @throws Error one sentence for a path that leads out of the folder */
function insideOf(folder: string, path: string): string {
  const relative = normalize(path);
  if (isAbsolute(relative) || relative === '..' || relative.startsWith('../'))
    throw new Error(`the path ${JSON.stringify(path)} leads out of its volume`);
  return join(folder, relative);
}

const volumePath = (folder: string, name: string): string => join(folder, VOLUMES, name.replaceAll('/', '_'));

/** Those of a container. Folders below a volume that a mount names and that are absent are made. @throws Error one sentence */
export function mountsOf(folder: string, container: Container): VolumeMount[] {
  return listOf(container['volumeMounts']).map((mount) => {
    const volume = volumePath(folder, textOf(mount['name']));
    const below = textOf(mount['subPath']) || expanded(textOf(mount['subPathExpr']), container);
    const source = below === '' ? volume : insideOf(volume, below);
    if (below !== '') makeUnlessThere(source);
    return { source, target: textOf(mount['mountPath']), isReadOnly: mount['readOnly'] === true };
  });
}

function makeUnlessThere(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o777 });
  } catch (error) {
    // A file of a config map, by its name.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** `$(NAME)` by the container's variables. */
const expanded = (text: string, { env = [] }: Container): string =>
  text.replaceAll(/\$\(([^()]+)\)/g, (whole, name: string) => env.find((each) => each.name === name)?.value ?? whole);

/** Nothing of what the API server gave is kept. */
export const removeVolumes = (folder: string): void => rmSync(join(folder, VOLUMES), { recursive: true, force: true });

/** Where nearly every pod has a token mounted, whether it wants one or not. */
export const TOKEN_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Mounts at absolute paths, by field: they need a mount namespace. */
export const absoluteMountsOf = ({ spec }: Pod): string[] =>
  (['initContainers', 'containers'] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap((container, at) =>
      listOf(container['volumeMounts']).flatMap(({ mountPath }, mountAt) =>
        isAbsolute(textOf(mountPath)) && mountPath !== TOKEN_FOLDER ? [`spec.${list}[${at}].volumeMounts[${mountAt}].mountPath`] : [],
      ),
    ),
  );
