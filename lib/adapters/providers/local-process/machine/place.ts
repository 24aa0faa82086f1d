// The place where the processes of a container start: a mount namespace of its own where the system gives one to this user, else the machine as it is.
import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { EngineContainer } from './engine.ts';
import { mountScript, type VolumeMount } from './mount-script.ts';
import { systemProgram } from './system-program.ts';

/** `root`: this user may mount without a user namespace. */
export type Isolation = 'user' | 'root' | 'none';

export interface Place {
  /** Words before each command that is to start there. */
  prefix: readonly string[];
  /** Before an absolute path of the container, it leads there from outside. */
  view: string;
  /** As /proc names it. */
  namespace?: string;
  /** It is a container of an engine. */
  engine?: EngineContainer;
}

export interface OpenPlace extends Place {
  close(): void;
}

const FLAGS: Record<'user' | 'root', string[]> = {
  user: ['--user', '--map-root-user', '--mount', '--uts'],
  root: ['--mount', '--uts'],
};

/** Found by a try: settings of the kernel, of its security modules and of an engine around this process all have a say. */
export function isolationHere(): Isolation {
  const works = (kind: 'user' | 'root'): boolean =>
    spawnSync('unshare', [...FLAGS[kind], 'sh', '-c', 'mount -n --rbind /dev /dev'], { stdio: 'ignore' }).status === 0;
  if (systemProgram('nsenter') === undefined) return 'none';
  if (process.geteuid?.() === 0 && works('root')) return 'root';
  return works('user') ? 'user' : 'none';
}

export interface PlaceOptions {
  isolation: Isolation;
  /** Of this container alone; made here. */
  folder: string;
  home: string;
  hostname: string;
  /** The file that is its /etc/hosts. */
  hosts: string;
  mounts: readonly VolumeMount[];
}

/** @throws Error one sentence for a mount that cannot be made */
export async function openPlace({ isolation, folder, home, hostname, hosts, mounts }: PlaceOptions): Promise<OpenPlace> {
  // A try that failed may have left half of it.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { source, target } of mounts) if (!isAbsolute(target)) linkBelow(home, target, source);
  if (isolation === 'none') return { prefix: [], view: '', close: () => {} };
  const { text, root } = mountScript(folder, [
    { source: hosts, target: '/etc/hosts', isReadOnly: false },
    ...mounts.filter(({ target }) => isAbsolute(target)),
  ]);
  const holder = await heldPlace(isolation, text, hostname);
  const flags = constants.O_RDONLY;
  const of = (path: string): string => `/proc/${holder.pid}/${path}`;
  const files = {
    mount: openSync(of('ns/mnt'), flags),
    uts: openSync(of('ns/uts'), flags),
    ...(isolation === 'user' && { user: openSync(of('ns/user'), flags) }),
  };
  const rootFile = openSync(of(`root${root ?? '/'}`), flags | constants.O_DIRECTORY);
  const namespace = readlinkSync(of('ns/mnt'));
  holder.stdin.end('\n');
  const at = (file: number): string => `/proc/${process.pid}/fd/${file}`;
  return {
    prefix: [
      systemProgram('nsenter') ?? 'nsenter',
      ...(files.user === undefined ? [] : [`--user=${at(files.user)}`, '--preserve-credentials']),
      `--mount=${at(files.mount)}`,
      `--uts=${at(files.uts)}`,
      ...(root === undefined ? [] : [`--root=${at(rootFile)}`]),
    ],
    view: at(rootFile),
    namespace,
    close: () => {
      for (const file of [...Object.values(files), rootFile]) closeSync(file);
    },
  };
}

const MOST_TRIES = 3;

/**
 * A process in the new namespace, until its input ends. The namespace lives on by the descriptors that this process holds, so that nothing has to run in it.
 * @throws Error one sentence
 */
async function heldPlace(isolation: 'user' | 'root', text: string, hostname: string): Promise<ChildProcessWithoutNullStreams> {
  for (let tries = 1; ; tries += 1) {
    const script = `${text}\nhostname "$0" 2>/dev/null || true\necho ready\nread -r end`;
    const holder = spawn('unshare', [...FLAGS[isolation], 'sh', '-c', script, hostname], {
      stdio: ['pipe', 'pipe', 'pipe'],
      cwd: '/',
      // In no group with this process, whatever is done to that.
      detached: true,
    });
    let problem = '';
    holder.stderr.on('data', (bytes: Buffer) => (problem += bytes.toString()));
    const end = await new Promise<string | undefined>((resolve) => {
      holder.stdout.once('data', () => resolve(undefined));
      holder.once('error', (error) => resolve(error.message));
      holder.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    if (end === undefined) return holder;
    // A failure of its own comes with a word; one that was ended from outside may be begun again.
    if (problem !== '' || tries === MOST_TRIES)
      throw new Error(`the volumes of the container cannot be mounted: ${problem.split('\n')[0] || end}`);
  }
}

function linkBelow(home: string, target: string, source: string): void {
  const link = join(home, target);
  mkdirSync(dirname(link), { recursive: true });
  try {
    symlinkSync(source, link);
  } catch (error) {
    // Another container of the pod has it, too.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
