// What `farloop plan` says of manifests with mistakes: the line of the field, what was meant, and an exit code for CI.
import { afterAll, describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lineOfField } from '../../lib/cli/manifests/field-lines.ts';
import { runWithin, temporaryFolder } from './farloop-process.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const planOf = async (text: string): Promise<{ exitCode: number | null; stdout: string; stderr: string }> => {
  const file = join(folder.path, 'job.yaml');
  writeFileSync(file, text);
  const { stderr, ...rest } = await runWithin(['plan', '-f', file]);
  return { ...rest, stderr: stderr.replaceAll(`${folder.path}/`, '') };
};

const TRAINING = `apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: resnet
spec:
  runPolicy: {}
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      restartPolcy: OnFailure
      template:
        spec:
          containers:
            - name: pytorch
              image: example.com/train
            - name: second
              image: example.com/second
              comand: [train]
`;
const JOB = `# a comment
---
apiVersion: batch/v1
kind: Job
metadata:
  name: demo
spec:
  paralelism: 2
  template:
    spec:
      restartPolicy: Sometimes
      containers:
      - name: main
        image: example.com/job
`;

describe('farloop plan', () => {
  test('names unknown fields of a training job with their lines, and what was meant', async () => {
    const { exitCode, stderr } = await planOf(TRAINING);
    const dropped = 'the API server drops it, and kubectl refuses it';
    expect(stderr.split('\n').slice(0, -1)).toEqual([
      `farloop: job.yaml:10: spec.pytorchReplicaSpecs.Master.restartPolcy: there is no such field (Did you mean restartPolicy?); ${dropped}`,
      `farloop: job.yaml:18: spec.pytorchReplicaSpecs.Master.template.spec.containers[1].comand: there is no such field (Did you mean command?); ${dropped}`,
    ]);
    expect(exitCode).toBe(0);
  });

  test('names them of a Job, and refuses a value at its own line', async () => {
    const { exitCode, stderr } = await planOf(JOB);
    expect(stderr).toContain('job.yaml:8: spec.paralelism: there is no such field (Did you mean parallelism?)');
    expect(stderr).toContain('job.yaml:11: spec.template.spec.restartPolicy: ');
    expect(exitCode).toBe(2);
  });

  test.each([
    ['PytorchJob', 'kubeflow.org/v1', 'job.yaml:2: kind: there is no PytorchJob in kubeflow.org/v1 (Did you mean PyTorchJob?)'],
    ['PyTorchJob', 'kubeflow.org/v2', 'job.yaml:1: apiVersion: PyTorchJob is of kubeflow.org/v1, not of kubeflow.org/v2'],
    ['Job', 'batch/v1beta1', 'job.yaml:1: apiVersion: Job is of batch/v1, not of batch/v1beta1'],
  ])('says what %s of %s was meant to be', async (kind, apiVersion, expected) => {
    const text = TRAINING.replace('PyTorchJob', kind).replace('kubeflow.org/v1', apiVersion);
    const { exitCode, stderr } = await planOf(text);
    expect(stderr).toContain(expected);
    expect(exitCode).toBe(2);
  });

  test('ends with 3 for an invalid workload, as CI needs it', async () => {
    const { exitCode, stdout } = await planOf(TRAINING.replace('name: pytorch', 'name: other'));
    expect(stdout).toContain('PyTorchJobFailedValidation');
    expect(exitCode).toBe(3);
  });
});

test.each([
  ['spec', 7],
  ['spec.template.spec.containers', 12],
  ['spec.template.spec.containers[0].image', 14],
  ['spec.template.spec.containers[0].command', 13],
  ['spec.completions', 7],
])('the line of %s', (path, line) => {
  expect(lineOfField(JOB, 3, path)).toBe(line);
});
