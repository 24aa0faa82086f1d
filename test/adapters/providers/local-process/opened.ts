// A local-process provider in a folder of its own, and pods for it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalProcessProvider, type LocalProcessOptions } from '../../../../lib/adapters/providers/local-process/provider.ts';
import type { ResolvedPod } from '../../../../lib/objects/environment/sources.ts';
import type { LogRequest } from '../../../../lib/objects/log-request.ts';
import type { Container, PodSpec } from '../../../../lib/objects/kubernetes.ts';
import type { Task } from '../../../../lib/objects/task.ts';
import { until } from '../../../claims.ts';

export const FAR = { wallMs: Number.MAX_SAFE_INTEGER, monotonicMs: Number.MAX_SAFE_INTEGER };
/** Starting a process takes its time where tests run side by side. */
export const LONG_MS = 60_000;

export const taskOf = (uid: string) => ({ uid, attempt: 1 });

export const shell = (script: string, more: Partial<Container> = {}): Container => ({
  name: 'main',
  image: 'none',
  command: ['sh', '-c', script],
  ...more,
});

export const podOf = (
  uid: string,
  containers: Container | Container[],
  spec: Partial<PodSpec> = {},
  more: Partial<ResolvedPod> = {},
): ResolvedPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { uid, name: `pod-${uid}`, namespace: 'default' },
  spec: { nodeName: 'here', restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [containers].flat(), ...spec },
  ...more,
});

export class Opened {
  readonly folder: string;
  readonly provider: LocalProcessProvider;
  readonly changes: string[] = [];

  constructor(options: Partial<LocalProcessOptions> = {}) {
    this.folder = options.folder ?? mkdtempSync(join(tmpdir(), 'farloop-local-process-'));
    this.provider = LocalProcessProvider.open({ folder: this.folder, clock: { nowMs: () => Date.now() }, goneMs: 1_000, ...options });
    this.provider.onChange(({ uid }) => void this.changes.push(uid));
  }

  get node(): ReturnType<LocalProcessProvider['of']> {
    return this.provider.of('here');
  }

  async start(pod: ResolvedPod): Promise<void> {
    await this.node.start(taskOf(pod.metadata.uid ?? ''), pod, FAR);
  }

  async look(uid: string): Promise<Task> {
    const [task] = await this.node.look([taskOf(uid)], FAR);
    if (!task) throw new Error(`the provider does not know ${uid}`);
    return task;
  }

  async becomes(uid: string, what: string, holds: (task: Task) => boolean): Promise<Task> {
    await until(
      `${uid}: ${what}`,
      async () => holds(await this.look(uid)),
      LONG_MS,
      async () => JSON.stringify(await this.look(uid)),
    );
    return await this.look(uid);
  }

  async ended(uid: string): Promise<Task> {
    return await this.becomes(uid, 'its end', ({ hasEnded }) => hasEnded);
  }

  async runs(pod: ResolvedPod): Promise<Task> {
    await this.start(pod);
    return await this.ended(pod.metadata.uid ?? '');
  }

  async log(uid: string, wanted: Partial<LogRequest> = {}): Promise<string> {
    const pieces: Uint8Array[] = [];
    const log = this.node.logs?.(taskOf(uid), { container: 'main', ...wanted }, new AbortController().signal) ?? [];
    for await (const piece of log) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  }

  /** Waits until its log holds this, and nothing else. */
  async writes(uid: string, text: string): Promise<void> {
    await until(
      `${uid}: ${JSON.stringify(text)} in its log`,
      async () => (await this.log(uid).catch(() => '')) === text,
      LONG_MS,
      async () => JSON.stringify(await this.look(uid)),
    );
  }

  async close(): Promise<void> {
    await this.provider.end();
    this.provider.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
