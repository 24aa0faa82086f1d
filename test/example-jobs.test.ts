// Every example Job runs on the sandbox, through the whole loop, to the end that its header describes; the clock is a virtual one.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { parseManifests } from '../lib/cli/manifests/manifest-files.ts';
import type { Job, Pod } from '../lib/objects/kubernetes.ts';
import { JOBS, PODS } from '../lib/objects/resources.ts';
import { completionIndexOf, runOf } from '../lib/simulated-node/program.ts';
import { replay } from '../lib/reconciler/report/recorded-plan.ts';
import { EXAMPLE_ENDS, OTHER_ENDS, type ExampleEnd } from './example-ends.ts';
import { conditionsOf, World } from './world/world.ts';

const folder = join(import.meta.dirname, '../examples/jobs');
const files = readdirSync(folder).toSorted();
const MERGE = 'application/merge-patch+json';
let world: World | undefined;
afterEach(() => world?.close());

/** Plays the pods as the simulated node would: for as long as they say, with the exit codes that they say. */
class Player {
  readonly #world: World;
  readonly #startedAtMs = new Map<string, number>();
  readonly #restarts = new Map<string, number>();
  readonly #failed = new Map<string, number>();

  constructor(on: World) {
    this.#world = on;
  }

  async play(): Promise<void> {
    const running = (await this.#world.pods()).filter(({ status }) => status?.phase === 'Running');
    for (const { metadata } of running)
      if (!this.#startedAtMs.has(metadata.uid ?? '')) this.#startedAtMs.set(metadata.uid ?? '', this.#world.clock.nowMs());
    const restarting: Pod[] = [];
    await this.#world.play((pod) => {
      const [container] = pod.spec.containers;
      const { uid = '' } = pod.metadata;
      if (!container) return undefined;
      const slot = `${pod.metadata.labels?.['job-name']}/${completionIndexOf(pod) ?? ''}`;
      const restartCount = this.#restarts.get(uid) ?? 0;
      const { runMs, exitCode } = runOf(pod, container, { restartCount, attempt: this.#failed.get(slot) ?? 0 });
      const startedAtMs = this.#startedAtMs.get(uid);
      if (startedAtMs === undefined || this.#world.clock.nowMs() - startedAtMs < runMs) return undefined;
      if (exitCode !== 0 && pod.spec.restartPolicy === 'OnFailure') {
        this.#restarts.set(uid, restartCount + 1);
        this.#startedAtMs.set(uid, this.#world.clock.nowMs());
        restarting.push(pod);
        return undefined;
      }
      if (exitCode !== 0) this.#failed.set(slot, (this.#failed.get(slot) ?? 0) + 1);
      return exitCode;
    });
    for (const { metadata, spec } of restarting) {
      const restartCount = this.#restarts.get(metadata.uid ?? '');
      const containerStatuses = [
        { name: spec.containers[0]?.name, image: 'none', imageID: '', ready: true, restartCount, state: { running: {} } },
      ];
      const target = { namespace: 'default', name: metadata.name ?? '', subresource: 'status' };
      await this.#world.as('PATCH', PODS, { ...target, body: { status: { containerStatuses } }, type: MERGE });
    }
  }
}

async function disturb(on: World, job: string, how: 'evict' | 'delete'): Promise<void> {
  const isOfJob = ({ metadata }: Pod): boolean => metadata.labels?.['job-name'] === job;
  const pod = (await on.pods()).find((each) => isOfJob(each) && each.status?.phase === 'Running');
  const { name = '' } = pod?.metadata ?? {};
  const target = { namespace: 'default', name };
  if (how === 'delete') await on.as('DELETE', PODS, { ...target, body: {} });
  else
    await on.as('POST', PODS, {
      ...target,
      subresource: 'eviction',
      body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: target },
    });
}

describe('examples/jobs', () => {
  test('each file has its end in the table, a header and a name like its own', () => {
    expect(EXAMPLE_ENDS.map(({ name }) => `${name}.yaml`).toSorted()).toEqual(files);
    for (const file of files) {
      const text = readFileSync(join(folder, file), 'utf8');
      expect(text).toMatch(/^# \w/);
      expect(text).toContain(`name: ${file.replace('.yaml', '')}\n`);
    }
  });

  test.each(EXAMPLE_ENDS)('$name ends: $end $reason', async (example) => {
    const own = new World();
    world = own;
    await own.watch();
    await own.apply(manifestIn(`jobs/${example.name}.yaml`));
    await untilEnded(own, [example], 120);
    await expectEnd(own, example);
  });

  test('all examples, applied to one cluster at once, end as each says, and every recorded pass replays as it was', async () => {
    const own = new World();
    world = own;
    own.keepsSnapshots = true;
    await own.watch();
    const paths = [...OTHER_ENDS.map(({ file }) => file), ...EXAMPLE_ENDS.map(({ name }) => `jobs/${name}.yaml`)];
    expect(paths.toSorted()).toEqual(globSync('{*,jobs/*}.yaml', { cwd: join(folder, '..') }).toSorted());
    const all = [...OTHER_ENDS, ...EXAMPLE_ENDS];
    expect(new Set(all.map(({ name }) => name)).size).toBe(paths.length);
    for (const file of paths) await own.apply(manifestIn(file));
    await untilEnded(own, all, 300);
    for (const example of all) await expectEnd(own, example);
    const snapshots = own.snapshots.flatMap((one) => one ?? []);
    expect(snapshots.length).toBeGreaterThan(all.length);
    expect(snapshots.flatMap((one) => replay('Job', one).differences)).toEqual([]);
  });
});

const manifestIn = (file: string): Job => parseManifests(readFileSync(join(folder, '..', file), 'utf8'), file)[0]?.document as Job;

const jobsOn = async (on: World): Promise<Job[]> => (await on.as<{ items: Job[] }>('GET', JOBS, { namespace: 'default' })).items;

/** Plays pods and people until each has its end. */
async function untilEnded(on: World, examples: readonly ExampleEnd[], seconds: number): Promise<void> {
  const player = new Player(on);
  const steps = new Map(examples.flatMap(({ name, step }) => (step ? [[name, step] as const] : [])));
  await on.until(
    async () => {
      await player.play();
      const jobs = await jobsOn(on);
      for (const job of jobs) {
        const { name = '' } = job.metadata;
        const step = steps.get(name);
        const isTime = step?.when === 'Suspended' ? conditionsOf(job).includes('Suspended') : (job.status?.ready ?? 0) > 0;
        if (!step || !isTime) continue;
        steps.delete(name);
        if ('change' in step) await on.as('PATCH', JOBS, { namespace: 'default', name, body: { spec: step.change }, type: MERGE });
        else await disturb(on, name, step.pod);
      }
      return examples.every(({ name, end }) => {
        const job = jobs.find(({ metadata }) => metadata.name === name);
        return job ? conditionsOf(job).some((type) => type === end) : end === 'gone';
      });
    },
    { seconds, play: false },
  );
}

async function expectEnd(on: World, { name, end, reason, status = {}, podSpec = {} }: ExampleEnd): Promise<void> {
  const pods = async (): Promise<Pod[]> => (await on.pods()).filter(({ metadata }) => metadata.labels?.['job-name'] === name);
  if (end === 'gone') {
    await on.until(async () => (await pods()).length === 0);
    return;
  }
  const job = await on.job(name);
  expect({ failed: 0, ...job.status }).toMatchObject(status);
  expect(job.status?.conditions?.find(({ type }) => type === end)?.reason).toBe(reason);
  for (const { spec } of await pods()) expect(spec).toMatchObject(podSpec);
  await on.until(async () => (await pods()).every(({ metadata }) => metadata.finalizers === undefined));
}
