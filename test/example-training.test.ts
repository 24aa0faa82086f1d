// Every example of a training job is taken by a cluster that judges such jobs, and its pods run on the simulated node to the end that
// decides the job.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parseManifests } from '../lib/cli/manifests/manifest-files.ts';
import { FRAMEWORKS } from '../lib/kinds/training/frameworks/all.ts';
import type { ReplicaSpec, TrainingJob } from '../lib/kinds/training/terms/job-types.ts';
import { problemOf } from '../lib/kinds/training/terms/validation.ts';
import type { Pod } from '../lib/objects/kubernetes.ts';
import { runOf } from '../lib/simulated-node/program.ts';
import { frameworkOf, pathOf } from './kinds/training/definition/minimal-jobs.ts';
import { embed } from './sandbox/embedded.ts';
import { isTrue } from '../lib/kinds/training/status/conditions.ts';
import { resourceOf } from '../lib/kinds/training/facts.ts';
import { replay, snapshotKindOf } from '../lib/reconciler/report/recorded-plan.ts';
import { decodeEvents } from '../lib/wire/events.ts';
import { unpackSnapshot } from '../lib/wire/snapshot.ts';
import { openTrainingWorld, statusOf } from './kinds/training/world.ts';
import { unpackedView } from './unpacked-view.ts';
import { trainingDefinitions, trainingPolicies } from './kinds/training/definition/definitions.ts';

const folder = join(import.meta.dirname, '../examples/training');
const files = globSync('*.yaml', { cwd: folder }).toSorted();
const jobIn = (file: string): TrainingJob => parseManifests(readFileSync(join(folder, file), 'utf8'), file)[0]?.document as TrainingJob;

/** Types whose pods end by themselves; the others' are deleted when the job is finished. */
const ENDING: Readonly<Record<string, readonly string[]>> = {
  TFJob: ['Worker'],
  PyTorchJob: ['Master', 'Worker'],
  MPIJob: ['Launcher'],
  XGBoostJob: ['Master', 'Worker'],
  PaddleJob: ['Worker'],
  MXJob: ['Scheduler', 'Worker'],
  JAXJob: ['Worker'],
};
const LONGEST_MS = 10_000;

const PLANTED = 'planted-value-8d1e';

/** In every place of a template that is a person's own. */
function planted(job: TrainingJob): TrainingJob {
  const framework = frameworkOf(job.kind ?? '');
  const copy = structuredClone(job);
  copy.metadata.annotations = { note: PLANTED, 'kubectl.kubernetes.io/last-applied-configuration': PLANTED };
  for (const { template } of Object.values(copy.spec[framework.replicasField] as Record<string, ReplicaSpec>)) {
    if (!template) continue;
    template.metadata = { ...template.metadata, annotations: { ...template.metadata?.annotations, token: PLANTED } };
    for (const container of template.spec.containers)
      Object.assign(container, {
        image: `example.com/${PLANTED}`,
        command: [PLANTED],
        args: [PLANTED],
        env: [{ name: 'PASSWORD', value: PLANTED }],
      });
    Object.assign(template.spec, {
      volumes: [{ name: 'data', configMap: { name: PLANTED } }],
      initContainers: [{ name: 'first', image: 'i', command: [PLANTED] }],
    });
  }
  return copy;
}

describe('examples/training', () => {
  test.each(files)(
    '%s: every recorded pass replays as it was, and nothing of a template is in what is recorded, stored or sent',
    async (file) => {
      const job = planted(jobIn(file));
      const framework = frameworkOf(job.kind ?? '');
      const world = await openTrainingWorld();
      world.keepsSnapshots = true;
      const sent: string[] = [];
      const send = world.queue.send.bind(world.queue);
      world.queue.send = async (...args) => {
        sent.push(args[0] === 'events' ? JSON.stringify(args[1].map(({ body }) => decodeEvents(body))) : JSON.stringify(args[1]));
        await send(...args);
      };
      await world.apply(job);
      const isOver = async (): Promise<boolean> => isTrue((await statusOf(world, framework, job.metadata.name)).conditions, 'Succeeded');
      await world.until(isOver);
      await world.elapse(5);
      // It was there to be found.
      expect(
        JSON.stringify(await world.as('GET', resourceOf(framework), { namespace: 'default', name: job.metadata.name ?? '' })),
      ).toContain(PLANTED);
      const snapshots = world.snapshots.flatMap((one) => one ?? []);
      expect(snapshots.length).toBeGreaterThanOrEqual(3);
      const replayed = snapshots.map((one) => replay(framework.kind, one));
      expect(replayed.flatMap(({ differences }) => differences)).toEqual([]);
      expect(replayed.some(({ recorded }) => recorded.actions.some(({ verb }) => verb === 'create'))).toBe(true);
      const stored = ['heads', 'items', 'notes'].flatMap((table) =>
        world.store.database
          .prepare(`select * from ${table}`)
          .all()
          .flatMap((row) => Object.values(row))
          .map((value) => (value instanceof Uint8Array ? JSON.stringify(unpackedView(value)) : String(value))),
      );
      const unpacked = snapshots.map((one) => JSON.stringify(unpackSnapshot(one, snapshotKindOf(framework.kind))));
      const { log, metrics, passes } = world;
      const places = {
        sent,
        stored,
        unpacked,
        log: log.map((line) => JSON.stringify(line)),
        metrics: metrics.map((one) => JSON.stringify(one)),
        passes: passes.map((one) => JSON.stringify(one)),
      };
      for (const [where, texts] of Object.entries(places)) {
        expect({ where, isEmpty: texts.length === 0 }).toEqual({ where, isEmpty: false });
        expect({ where, found: texts.filter((text) => text.includes(PLANTED)) }).toEqual({ where, found: [] });
      }
      world.close();
    },
  );

  test('there is one of every kind, under the name of its framework', () => {
    expect(files).toEqual(FRAMEWORKS.map(({ name }) => `${name}.yaml`).toSorted());
    for (const file of files) expect(frameworkOf(jobIn(file).kind ?? '').name).toBe(basename(file, '.yaml'));
  });

  test.each(files)('%s says what becomes of it, and is admitted', async (file) => {
    expect(readFileSync(join(folder, file), 'utf8')).toMatch(/^# .*: Succeeded when /);
    const job = jobIn(file);
    const { send } = embed({ definitions: trainingDefinitions });
    for (const policy of trainingPolicies()) {
      const plural = policy.kind === 'ValidatingAdmissionPolicy' ? 'validatingadmissionpolicies' : 'validatingadmissionpolicybindings';
      expect(await send('POST', `/apis/admissionregistration.k8s.io/v1/${plural}`, policy)).toMatchObject({ status: 201 });
    }
    const framework = frameworkOf(job.kind ?? '');
    expect(problemOf(framework, job)).toBeUndefined();
    expect(await send('POST', `${pathOf(framework)}?fieldValidation=Strict`, job)).toMatchObject({ status: 201 });
  });

  test.each(files)('%s has pods that end well, and soon where the job waits for them', (file) => {
    const job = jobIn(file);
    const framework = frameworkOf(job.kind ?? '');
    const specs = job.spec[framework.replicasField] as Record<string, ReplicaSpec>;
    for (const [type, { template }] of Object.entries(specs)) {
      const pod = { metadata: template?.metadata ?? {}, spec: template?.spec } as Pod;
      const [container] = pod.spec.containers;
      if (!container) throw new Error(`${file} has a pod without containers`);
      const { runMs, exitCode } = runOf(pod, container, { restartCount: 0, attempt: 0 });
      const isEnding = ENDING[job.kind ?? '']?.includes(type) === true;
      expect({ type, exitCode, isSoon: runMs < LONGEST_MS }).toEqual({ type, exitCode: 0, isSoon: isEnding });
      // What runs on is deleted at the end.
      if (!isEnding) expect(job.spec.runPolicy?.cleanPodPolicy).toBe('Running');
    }
  });
});
