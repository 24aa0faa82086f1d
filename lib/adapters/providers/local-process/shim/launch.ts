// How a command starts in a container: its environment, folder, place and limits. The command of the container itself, hooks, probes and `exec` all
// start this way.
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Container } from '../../../../objects/kubernetes.ts';
import { textOf } from '../../../../objects/values/untyped-fields.ts';
import { limitWords } from '../machine/bounds.ts';
import { clientEnvironment, execWords, runWords, type ContainerWish, type EngineContainer } from '../machine/engine.ts';
import type { Place } from '../machine/place.ts';
import { CONTAINER_MARK, EXEC_MARK, POD_MARK } from '../machine/process-tree.ts';
import { homeOf, temporaryOf, type Order } from '../folder/records.ts';
import { hostnameOf } from '../folder/names.ts';

export interface Launch {
  environment: Record<string, string>;
  /** As the container sees it. */
  folder: string;
  place: Place;
  limits: readonly string[];
}

export function launchOf(folder: string, order: Order, container: Container, place: Place): Launch {
  const { podIp, path, bounds, isolation } = order;
  const home = homeOf(folder);
  const { engine } = place;
  return {
    environment: {
      // An image has its own.
      ...(!engine && { PATH: path, HOME: home, TMPDIR: temporaryOf(folder), HOSTNAME: hostnameOf(order.pod) }),
      FARLOOP_POD_IP: podIp,
      ...Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value ?? ''])),
      [POD_MARK]: folder,
      [CONTAINER_MARK]: container.name,
    },
    folder: folderOf(home, textOf(container['workingDir'])),
    place,
    limits: engine ? [] : limitWords(bounds, isolation, container),
  };
}

/** Files of Farloop are their owner's alone; those of a pod others may read, as from a container. A child has the mask of the moment. */
function asInContainers<Started>(start: () => Started): Started {
  const own = process.umask(0o022);
  try {
    return start();
  } finally {
    process.umask(own);
  }
}

const folderOf = (home: string, workingDir: string): string => (isAbsolute(workingDir) ? workingDir : join(home, workingDir));

/** Why the command cannot start, for people: to be asked before the start, as a wrapper's own failure says less. */
export function problemOfLaunch({ environment, folder, place }: Launch, [program = '']: readonly string[]): string | undefined {
  // The engine says what it cannot start.
  if (place.engine) return undefined;
  if (!isFolder(join(place.view, folder))) return `the working folder ${folder} does not exist`;
  if (program.includes('/')) {
    const path = isAbsolute(program) ? program : join(folder, program);
    const problem = problemOfProgram(join(place.view, path));
    return problem === undefined ? undefined : `exec: ${JSON.stringify(program)}: ${problem}`;
  }
  const found = (environment['PATH'] ?? '')
    .split(':')
    .some((at) => isAbsolute(at) && problemOfProgram(join(place.view, at, program)) === undefined);
  return found && program !== '' ? undefined : `exec: ${JSON.stringify(program)}: executable file not found in $PATH`;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function problemOfProgram(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return 'is a directory';
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'permission denied' : 'no such file or directory';
  }
}

/** The command of the container itself. @param wish of a container of an engine */
export function spawnContainer(launch: Launch, command: readonly string[], wish: ContainerWish, options: SpawnOptions): ChildProcess {
  const { environment, place } = launch;
  if (!place.engine) return spawnIn(launch, command, options);
  return spawnClient(place.engine, runWords(place.engine, wish, environment), environment, options);
}

function spawnClient(
  engine: EngineContainer,
  words: readonly string[],
  environment: Launch['environment'],
  options: SpawnOptions,
): ChildProcess {
  const [program = '', ...args] = words;
  return asInContainers(() => spawn(program, args, { ...options, env: clientEnvironment(engine, environment), cwd: '/', detached: true }));
}

/** A command beside it, in a session of its own, so that it can be found by it. @param execId marks the command of an `exec` */
export function spawnIn(
  { environment, folder, place, limits }: Launch,
  command: readonly string[],
  options: SpawnOptions & { execId?: string },
): ChildProcess {
  const { execId, ...others } = options;
  const { prefix, view, engine } = place;
  if (engine) {
    const [stdin] = Array.isArray(others.stdio) ? others.stdio : [];
    return spawnClient(engine, execWords(engine, { execId, hasTerminal: false, hasInput: stdin === 'pipe' }, command), {}, others);
  }
  // Each of these wrappers becomes what it starts, so that the child's number is the command's own.
  const [program = '', ...args] = [
    ...(prefix.length > 0 ? [...prefix, `--wd=${view}${folder}`, '--'] : []),
    ...(limits.length > 0 ? [...limits, '--'] : []),
    ...command,
  ];
  return asInContainers(() =>
    spawn(program, args, {
      ...others,
      env: { ...environment, ...(execId !== undefined && { [EXEC_MARK]: execId }) },
      cwd: prefix.length > 0 ? '/' : folder,
      detached: true,
    }),
  );
}
