// `farloop run-once logs -f`: the logs of a run's containers as they are written, until the run is over.
import { isOver, readRun, type RunPod, type RunState } from '../../kinds/run-once/run.ts';
import type { Clock } from '../../ports/clock.ts';
import { FailedError } from '../terminal/exit.ts';
import { isHere, isElsewhere, openProvider, type OpenProvider } from '../run-records/run-provider.ts';

const LOOK_AGAIN_MS = 300;

export interface Following {
  id: string;
  /** Of the run. */
  folder: string;
  clock: Clock;
  tokenFile?: string | undefined;
  /** Bytes of one container, as they come; whole lines but for the last. */
  show: (pod: RunPod, container: string, bytes: Uint8Array) => void;
}

/** Another process may hold the run, and goes on with it: nothing is written here. @throws FailedError the provider's logs cannot be followed from here */
export async function followLogs({ id, folder, clock, tokenFile, show }: Following): Promise<void> {
  const { EmbeddedRuns } = await import('../../adapters/embedded/runs.ts');
  const runs = EmbeddedRuns.open({ folder });
  const ending = new AbortController();
  const streams = new Map<string, Promise<void>>();
  let source: LogSource | undefined;
  try {
    for (;;) {
      const record = await runs.get(id);
      if (!record) throw new FailedError(`the run ${id} was removed while its logs were read`);
      const run = readRun(record.state);
      source ??= await sourceOf(run, folder, clock, tokenFile);
      for (const { pod, container, key } of containersOf(run))
        if (!streams.has(key))
          streams.set(
            key,
            pipe(source.read(pod, container, ending.signal), (bytes) => show(pod, container, bytes)),
          );
      if (isOver(run)) break;
      await clock.wait(LOOK_AGAIN_MS);
    }
    await Promise.all(streams.values());
  } finally {
    ending.abort();
    source?.close();
    runs.close();
  }
}

/** Each run of a container that has begun has a log of its own. */
function containersOf({ pods }: RunState): { pod: RunPod; container: string; key: string }[] {
  return pods.flatMap((pod) =>
    (pod.status?.containers ?? [])
      .filter(({ state, restarts = 0 }) => state !== 'waiting' || restarts > 0)
      .map(({ name, restarts = 0 }) => ({ pod, container: name, key: `${pod.uid} ${pod.attempt} ${name} ${restarts}` })),
  );
}

interface LogSource {
  read(pod: RunPod, container: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  close(): void;
}

async function sourceOf(run: RunState, folder: string, clock: Clock, tokenFile: string | undefined): Promise<LogSource> {
  const { provider: word, id } = run;
  const node = run.node.metadata.name ?? '';
  if (isHere(word)) {
    const { logOfHeldPod } = await import('../../adapters/providers/local-process/pod-log.ts');
    return {
      read: ({ uid, attempt, name }, container, signal) =>
        logOfHeldPod({ folder, node, task: { uid, attempt }, name }, { container, follow: true }, signal),
      close: () => {},
    };
  }
  if (!isElsewhere(word))
    throw new FailedError(`the logs of ${word} pods cannot be followed: farloop run-once logs ${id} shows them at the end`);
  const opened: OpenProvider = await openProvider({ word, node, folder, clock, tokenFile });
  const { provider } = opened;
  if (!provider.logs) throw new FailedError(`the provider of the run ${id} keeps no logs`);
  return {
    read: ({ uid, attempt }, container, signal) => provider.logs?.({ uid, attempt }, { container, follow: true }, signal) ?? nothing(),
    close: () => opened.close(),
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** A log that cannot be read any more has ended. */
async function pipe(log: AsyncIterable<Uint8Array>, show: (bytes: Uint8Array) => void): Promise<void> {
  try {
    for await (const bytes of log) show(bytes);
  } catch {
    // Its pod was removed, or its provider does not answer: what was shown stays.
  }
}

/** Before each line where several containers write: the pod and the container. @returns bytes as they are printed */
export function linesOfContainers(isOne: boolean): (pod: RunPod, container: string, bytes: Uint8Array) => string {
  const decoders = new Map<string, { decoder: InstanceType<typeof TextDecoder>; rest: string }>();
  return ({ uid, namespace, name }, container, bytes) => {
    const key = `${uid} ${container}`;
    const known = decoders.get(key) ?? { decoder: new TextDecoder(), rest: '' };
    decoders.set(key, known);
    const text = known.rest + known.decoder.decode(bytes, { stream: true });
    if (isOne) return text;
    const end = text.lastIndexOf('\n') + 1;
    known.rest = text.slice(end);
    return text
      .slice(0, end)
      .split('\n')
      .slice(0, -1)
      .map((line) => `${namespace}/${name} ${container} | ${line}\n`)
      .join('');
  };
}
