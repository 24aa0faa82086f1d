// The mounts of a container as a shell script for a mount namespace of its own, and the files that the script needs beside it. Nothing is made
// outside the pod's folder: a path that this machine lacks is made in a copy of the folder above it, whose other entries lead to the real ones.
import { lstatSync, mkdirSync, readdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize, relative } from 'node:path';

export interface VolumeMount {
  /** Folder or file of this machine. */
  source: string;
  /** As the container names it. A relative one lies below the pod's home. */
  target: string;
  isReadOnly: boolean;
}

export interface MountScript {
  text: string;
  /** The folder that is the container's root; absent: the machine's own. */
  root?: string;
}

/** A folder with more entries is not copied. */
const MOST_ENTRIES = 5_000;

/**
 * @param folder of the container alone; it is filled
 * @throws Error one sentence for a path that cannot be made
 */
export function mountScript(folder: string, mounts: readonly VolumeMount[]): MountScript {
  const lines = ['set -e'];
  /** Real folders that are covered by a copy, and the copies. */
  const copies = new Map<string, string>();
  const newRoot = join(folder, 'root');
  const inRoot: string[] = [];
  const done: { target: string; place: string }[] = [];
  const ordered = mounts
    .map((mount) => ({ ...mount, target: trimmed(mount.target) }))
    .toSorted((one, other) => (one.target < other.target ? -1 : 1));
  for (const { source, target, isReadOnly } of ordered) {
    const isFolder = statSync(source).isDirectory();
    const above = done.findLast((each) => target.startsWith(`${each.target}/`));
    const bind = (place: string): string[] => [
      `mount -n ${isFolder ? '--rbind' : '--bind'} ${quoted(source)} ${quoted(place)}`,
      // Only a courtesy to the pod's own files: a system that does not allow it runs the pod all the same.
      ...(isReadOnly ? [`mount -n -o remount,bind,ro ${quoted(place)} 2>/dev/null || true`] : []),
    ];
    if (above) {
      const place = `${above.place}${target.slice(above.target.length)}`;
      const making = isFolder ? `mkdir -p ${quoted(place)}` : `mkdir -p ${quoted(dirname(place))}; : >> ${quoted(place)}`;
      (inRoot.length > 0 && place.startsWith(newRoot) ? inRoot : lines).push(making, ...bind(place));
      done.push({ target, place });
      continue;
    }
    const { existing, missing } = splitAt(target);
    if (missing === '') {
      if (statSync(existing).isDirectory() !== isFolder)
        throw new Error(
          `${target} cannot be mounted: it is ${isFolder ? 'a file' : 'a folder'} on this machine, and the volume has ${isFolder ? 'a folder' : 'a file'} there`,
        );
      lines.push(...bind(existing));
      done.push({ target, place: existing });
    } else if (existing === '/') {
      const place = join(newRoot, missing);
      make(place, isFolder);
      inRoot.push(...bind(place));
      done.push({ target, place });
    } else {
      let copy = copies.get(existing);
      if (copy === undefined) {
        copy = join(folder, `copy-${copies.size}`);
        copies.set(existing, copy);
        lines.push(...cover(existing, copy, join(folder, `real-${copies.size}`)));
      }
      // Made through the copy: once that covers the folder, the path is there.
      make(join(copy, missing), isFolder);
      const place = join(existing, missing);
      lines.push(...bind(place));
      done.push({ target, place });
    }
  }
  if (inRoot.length === 0) return { text: lines.join('\n') };
  return { text: [...lines, ...linesOfRoot(newRoot), ...inRoot].join('\n'), root: newRoot };
}

/** The deepest folder of the path that exists, without links, and what is missing below it. */
function splitAt(target: string): { existing: string; missing: string } {
  for (let at = target; ; at = dirname(at))
    try {
      const existing = realpathSync(at);
      if (at !== target && !statSync(existing).isDirectory())
        throw new Error(`${target} cannot be mounted: ${at} is a file on this machine`);
      return { existing, missing: relative(at, target) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
}

/** Puts a copy of links in a folder's place. */
function cover(existing: string, copy: string, real: string): string[] {
  const names = readdirSync(existing);
  if (names.length > MOST_ENTRIES)
    throw new Error(
      `nothing can be mounted below ${existing}: it has ${names.length} entries, and ${MOST_ENTRIES} are the most that are copied as links`,
    );
  mkdirSync(copy, { recursive: true });
  mkdirSync(real, { recursive: true });
  for (const name of names.filter((each) => !isIdleDevice(existing, each))) symlinkSync(join(real, name), join(copy, name));
  return [`mount -n --rbind ${quoted(existing)} ${quoted(real)}`, `mount -n --rbind ${quoted(copy)} ${quoted(existing)}`];
}

/** Consoles and such, by the hundred: no container opens them, and links cost time. */
const isIdleDevice = (folder: string, name: string): boolean => folder === '/dev' && /^(?:ttyS?\d+|vcs\w*|loop\d+|ram\d+)$/.test(name);

/** All of the machine's root, so that something may stand beside it. */
function linesOfRoot(root: string): string[] {
  const lines: string[] = [];
  for (const name of readdirSync('/')) {
    const [from, to] = [join('/', name), join(root, name)];
    const entry = lstatSync(from, { throwIfNoEntry: false });
    if (!entry) continue;
    if (entry.isSymbolicLink()) symlinkSync(realpathSync(from), to);
    else if (entry.isDirectory()) {
      mkdirSync(to, { recursive: true });
      lines.push(`mount -n --rbind ${quoted(from)} ${quoted(to)}`);
    }
  }
  return lines;
}

function make(path: string, isFolder: boolean): void {
  mkdirSync(isFolder ? path : dirname(path), { recursive: true });
  if (!isFolder) writeFileSync(path, '', { flag: 'a' });
}

/** Without a slash at its end. */
const trimmed = (target: string): string => {
  const path = normalize(isAbsolute(target) ? target : `/${target}`);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
};

export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
