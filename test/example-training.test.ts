// Every example of a training job is taken by a cluster that judges such jobs, and its pods run on the simulated node to the end that
// decides the job.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { trainingDefinitions } from '../infra/crds/training-definitions.ts';
import { trainingPolicies } from '../infra/crds/training-policies.ts';
import { parseManifests } from '../lib/cli/manifests.ts';
import { FRAMEWORKS } from '../lib/kinds/training/frameworks/all.ts';
import type { ReplicaSpec, TrainingJob } from '../lib/kinds/training/job-types.ts';
import { problemOf } from '../lib/kinds/training/validation.ts';
import type { Pod } from '../lib/objects/kubernetes.ts';
import { runOf } from '../lib/sandbox/node/program.ts';
import { frameworkOf, pathOf } from './infra/crds/minimal-jobs.ts';
import { embed } from './sandbox/embedded.ts';

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

describe('examples/training', () => {
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
