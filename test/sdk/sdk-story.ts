// What the users of the official Python SDK for training jobs do, by the SDK itself, unmodified; and what they are to see, as with upstream's
// operator.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';

const run = promisify(execFile);

export interface Seen {
  succeeded: boolean;
  failed: boolean;
  conditions: string[];
  replicaStatuses: Record<string, number>;
  listed: string[];
  pods: string[];
  master: string[];
  /** By pod; absent when it was not asked for. */
  logs?: Record<string, string>;
  toldOf?: string[];
  suspendedPods: string[];
  running: boolean;
  scaledTo?: number;
}

/** By kind: the pods of its replicas, those first that decide the job, and which of them the SDK takes for the first one. */
const KINDS: Record<string, { replicas: Record<string, number>; master: string[] }> = {
  TFJob: { replicas: { Chief: 1, Worker: 2 }, master: ['chief-0'] },
  PyTorchJob: { replicas: { Master: 1, Worker: 2 }, master: ['master-0'] },
  XGBoostJob: { replicas: { Master: 1, Worker: 2 }, master: ['master-0'] },
  PaddleJob: { replicas: { Worker: 2 }, master: [] },
  MPIJob: { replicas: { Launcher: 1, Worker: 2 }, master: ['launcher'] },
  JAXJob: { replicas: { Worker: 2 }, master: ['worker-0'] },
};

/** The SDK knows no MXJob. */
export const SDK_KINDS = Object.keys(KINDS);

export interface StoryOptions {
  /** A Python that has the SDK. */
  python: string;
  kubeconfig: string;
  kind: string;
  /** Whether containers' logs are read: only where a node answers for its pods. */
  hasLogs: boolean;
}

/** Creates, waits, lists, updates, scales and deletes jobs of a kind. @returns what the SDK answered */
export async function playStory({ python, kubeconfig, kind, hasLogs }: StoryOptions): Promise<Seen> {
  const script = join(import.meta.dirname, 'training_client.py');
  const { stdout } = await run(python, [script, kubeconfig, kind, ...(hasLogs ? ['--logs'] : [])]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

/** What it is to answer, for `toMatchObject`. */
export function endOfStory({ kind, hasLogs }: Pick<StoryOptions, 'kind' | 'hasLogs'>): object {
  const { replicas, master } = KINDS[kind] ?? { replicas: {}, master: [] };
  const [[deciding, count] = ['', 0]] = Object.entries(replicas);
  const name = `${kind.toLowerCase()}-sdk`;
  const pods = Object.entries(replicas)
    .flatMap(([type, size]) =>
      type === 'Launcher' ? [`${name}-launcher`] : Array.from({ length: size }, (_, at) => `${name}-${type.toLowerCase()}-${at}`),
    )
    .toSorted();
  return {
    succeeded: true,
    failed: false,
    conditions: expect.arrayContaining(['Created', 'Succeeded']),
    replicaStatuses: expect.objectContaining({ [deciding]: count }),
    listed: [name],
    pods,
    master: master.map((each) => `${name}-${each}`),
    ...(hasLogs && {
      logs: Object.fromEntries(pods.map((pod) => [pod, expect.stringContaining('step 1')])),
      toldOf: [`${kind.toLowerCase()}/${name}`],
    }),
    suspendedPods: [],
    running: true,
    ...(kind === 'PyTorchJob' && { scaledTo: 3 }),
  };
}
