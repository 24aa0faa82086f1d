// Which manifests `up --apply` takes: told before anything starts, as `plan` would tell it.
import { describe, expect, test } from '@jest/globals';
import type { WorkloadSummary } from '../../../lib/api/told-workload.ts';
import { applicableObjects, lineOf } from '../../../lib/cli/local/apply.ts';
import { UsageError } from '../../../lib/cli/terminal/exit.ts';

const JOB = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'demo' } };
const objectsOf = (document: unknown) => applicableObjects([{ document, source: 'f.yaml:1' }]);

describe('what can be applied', () => {
  test('lists are opened, also typed ones and those within others', () => {
    const { apiVersion: _, kind: __, ...untyped } = JOB;
    const list = (...items: unknown[]) => ({ apiVersion: 'v1', kind: 'List', items });
    const jobs = { apiVersion: 'batch/v1', kind: 'JobList', items: [untyped] };
    expect(objectsOf(list(JOB, list(JOB), jobs))).toEqual([
      { object: JOB, source: 'f.yaml:1 item 0' },
      { object: JOB, source: 'f.yaml:1 item 1 item 0' },
      { object: JOB, source: 'f.yaml:1 item 2 item 0' },
    ]);
  });

  test('definitions and namespaces go first, and objects of a definition are known by it', () => {
    const names = { kind: 'Widget', plural: 'widgets' };
    const spec = { group: 'example.com', names, scope: 'Namespaced', versions: [{ name: 'v1' }] };
    const documents = [
      { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' } },
      JOB,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } },
      { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'widgets.example.com' }, spec },
    ];
    const sorted = applicableObjects(documents.map((document, at) => ({ document, source: `f.yaml:${at}` })));
    expect(sorted.map(({ object }) => object.kind)).toEqual(['CustomResourceDefinition', 'Namespace', 'Widget', 'Job']);
    expect(() => objectsOf(documents[0])).toThrow('Widget of example.com/v1 cannot be applied here');
  });

  test.each<[string, unknown, string]>([
    ['no object', 3, 'f.yaml:1: expected a Kubernetes object, found 3'],
    ['no kind', { apiVersion: 'v1' }, 'f.yaml:1: expected apiVersion and kind, as every Kubernetes object has them'],
    [
      'a list of no list',
      { apiVersion: 'v1', kind: 'List', items: 'x' },
      'f.yaml:1: items: expected a list of Kubernetes objects, found "x"',
    ],
    ['no object in a list', { apiVersion: 'v1', kind: 'List', items: [JOB, 3] }, 'f.yaml:1 item 1: expected a Kubernetes object, found 3'],
    ['no name', { ...JOB, metadata: { generateName: 'demo-' } }, 'f.yaml:1: metadata.name: expected the name of this Job'],
    [
      'a kind that nobody here knows',
      { ...JOB, kind: 'CronJob' },
      'f.yaml:1: CronJob of batch/v1 cannot be applied here: expected one of Job,',
    ],
    [
      'a kind with a slip',
      { ...JOB, apiVersion: 'kubeflow.org/v1', kind: 'PytorchJob' },
      'f.yaml:1: PytorchJob of kubeflow.org/v1 cannot be applied here (Did you mean PyTorchJob?): expected one of Job,',
    ],
    [
      'a kind of another group',
      { ...JOB, apiVersion: 'kubeflow.org/v2beta1', kind: 'MPIJob' },
      'f.yaml:1: MPIJob of kubeflow.org/v2beta1 cannot be applied here: MPIJob is of kubeflow.org/v1',
    ],
  ])('refused: %s', (_, document, sentence) => {
    expect(() => objectsOf(document)).toThrow(UsageError);
    expect(() => objectsOf(document)).toThrow(sentence);
  });
});

describe('the line of a workload', () => {
  const told = (state: WorkloadSummary['state'], succeeded: number, active: number): WorkloadSummary => ({
    cluster: 'local',
    kind: 'PyTorchJob',
    namespace: 'default',
    name: 'two-ranks',
    uid: 'u',
    state,
    figures: [
      { name: 'succeeded', value: succeeded, of: 2 },
      { name: 'active', value: active },
    ],
    creationTime: '2026-01-01T00:00:00Z',
    sinceTime: '2026-01-01T00:00:00Z',
  });

  test('is not the last while a replica is active: its master has ended before its worker', () => {
    expect(lineOf('PyTorchJob', told('Succeeded', 1, 1))).toMatchObject({
      text: 'pytorchjob/two-ranks Succeeded: 1 of 2 succeeded, 1 active',
      isLast: false,
    });
    expect(lineOf('PyTorchJob', told('Succeeded', 2, 0))).toMatchObject({ isLast: true });
    expect(lineOf('PyTorchJob', told('Failed', 0, 1))).toMatchObject({ isLast: false });
    expect(lineOf('PyTorchJob', told('Running', 0, 0))).toMatchObject({ isLast: false });
  });
});
