// Manifests whose fields have types that the API server does not read: refused with the field, never planned and never a stack.
import { describe, expect, test } from '@jest/globals';
import { readManifest } from '../../../lib/cli/manifests/manifest-types.ts';
import { fieldsOf } from '../../../lib/objects/values/untyped-fields.ts';
import { UnusableManifestError } from '../../../lib/kinds/rows/manifest-documents.ts';
import { planManifests } from '../../../lib/kinds/planning/manifest-plan.ts';

const job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name: 'demo',
    uid: 'u',
    labels: { app: 'demo' },
    creationTimestamp: '2026-05-01T09:00:00Z',
    managedFields: [
      { manager: 'kubectl', operation: 'Update', apiVersion: 'batch/v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': {} } },
    ],
  },
  spec: {
    parallelism: 1,
    activeDeadlineSeconds: 600,
    podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [3] } }] },
    template: {
      spec: {
        restartPolicy: 'Never',
        serviceAccountName: 'default',
        terminationGracePeriodSeconds: 5,
        nodeSelector: { zone: 'a' },
        tolerations: [{ key: 'k', operator: 'Exists' }],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
            },
          },
        },
        volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1Gi' } }],
        containers: [
          {
            name: 'main',
            image: 'busybox',
            env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
            ports: [{ containerPort: 80 }],
            livenessProbe: { httpGet: { port: 80 } },
            resources: { limits: { cpu: 1 } },
            volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
          },
        ],
      },
    },
  },
};

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'demo-x',
    uid: 'x',
    ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'demo', uid: 'u', controller: true }],
  },
  spec: { containers: [{ name: 'main' }] },
  status: {
    phase: 'Failed',
    conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: '2026-05-01T09:30:00Z' }],
    containerStatuses: [{ name: 'main', restartCount: 0, state: { terminated: { exitCode: 3, finishedAt: '2026-05-01T09:30:00Z' } } }],
  },
};

const now = new Date('2026-05-01T10:00:00Z');

/** The document with something else at each of its places, one at a time. */
function* twisted(document: object, wrong: unknown): Generator<{ document: object; place: string }> {
  for (const [key, value] of Object.entries(document) as [string, unknown][]) {
    const withField = (field: unknown): object =>
      Array.isArray(document) ? document.with(Number(key), field) : { ...document, [key]: field };
    yield { document: withField(wrong), place: key };
    if (typeof value !== 'object' || value === null) continue;
    for (const below of twisted(value, wrong)) yield { document: withField(below.document), place: `${key}.${below.place}` };
  }
}

/** The pods that a plan makes of a Job. */
const podsOf = (document: object) =>
  planManifests([{ document: structuredClone(document), source: 'f.yaml:1' }], { now, read: readManifest }).actions.flatMap((action) =>
    action.verb === 'create' ? [action.object] : [],
  );

const problemOf = (...objects: object[]): unknown => {
  try {
    planManifests(
      structuredClone(objects).map((document, at) => ({ document, source: `f.yaml:${at + 1}` })),
      { now, read: readManifest },
    );
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('types of manifests', () => {
  test('what is right is planned', () => {
    expect(problemOf(job, pod)).toBeUndefined();
    expect([readManifest('Job', job), readManifest('Pod', pod)]).toMatchObject([{ unknown: [] }, { unknown: [] }]);
  });

  test.each(['x', 5, true, [], ['x'], { x: 'y' }, 1.5, 1e30])(
    '%j anywhere is planned or refused with where and what, never a fault',
    (wrong) => {
      const faults: unknown[] = [];
      for (const { document, place } of twisted(job, wrong)) {
        const problem = problemOf(document, pod);
        if (problem !== undefined && !(problem instanceof UnusableManifestError)) faults.push({ place, problem });
      }
      for (const { document, place } of twisted(pod, wrong)) {
        const problem = problemOf(job, document);
        if (problem !== undefined && !(problem instanceof UnusableManifestError)) faults.push({ place, problem });
      }
      expect(faults).toEqual([]);
    },
  );

  test.each<[object, string]>([
    [{ volumes: 'x' }, 'volumes: expected a list, found "x"'],
    [{ tolerations: { a: 1 } }, 'tolerations: expected a list, found {"a":1}'],
    [{ serviceAccountName: 5 }, 'serviceAccountName: expected text, found 5'],
    [{ terminationGracePeriodSeconds: '5' }, 'terminationGracePeriodSeconds: expected a whole number, found "5"'],
    [{ activeDeadlineSeconds: 1e19 }, 'activeDeadlineSeconds: expected a number of 64 bits, found 10000000000000000000'],
    [{ priority: 2 ** 31 }, 'priority: expected a number of 32 bits, found 2147483648'],
    [{ nodeSelector: ['a'] }, 'nodeSelector: expected a map, found ["a"]'],
    [{ hostNetwork: 'yes' }, 'hostNetwork: expected true or false, found "yes"'],
    [{ overhead: { cpu: 'abc' } }, 'overhead.cpu: expected a quantity, found "abc"'],
    [
      {
        containers: [
          { name: 'm', image: 'x', env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1 m' } } }] },
        ],
      },
      'containers[0].env[0].valueFrom.resourceFieldRef.divisor: expected a quantity, found "1 m"',
    ],
    [{ volumes: [{ name: 'v', emptyDir: { sizeLimit: {} } }] }, 'volumes[0].emptyDir.sizeLimit: expected a quantity, found {}'],
  ])('%j in a pod template is refused', (field, message) => {
    const { template } = job.spec;
    const problem = problemOf({ ...job, spec: { ...job.spec, template: { spec: { ...template.spec, ...field } } } });
    expect(String(problem)).toContain(`f.yaml:1: spec.template.spec.${message}`);
  });

  test('nulls in lists and maps are what the API server makes of them: the zero value of their type', () => {
    const { template } = job.spec;
    const nulls = {
      imagePullSecrets: [null],
      securityContext: { supplementalGroups: [null] },
      nodeSelector: null,
      containers: [{ name: 'main', image: 'x', args: ['x', null], securityContext: { capabilities: { drop: [null] } } }],
    };
    const metadata = { labels: { a: null } };
    const [made] = podsOf({ ...job, spec: { ...job.spec, template: { metadata, spec: { ...template.spec, ...nulls } } } });
    expect(made).toMatchObject({
      metadata: { labels: { a: '' } },
      spec: {
        imagePullSecrets: [{}],
        securityContext: { supplementalGroups: [0] },
        containers: [{ args: ['x', ''], securityContext: { capabilities: { drop: [''] } } }],
      },
    });
    expect(fieldsOf(made)['spec']).not.toHaveProperty('nodeSelector');
  });

  test.each(['2026-02-30T00:00:00Z', '2026-04-31T00:00:00Z', '2026-05-01T24:00:00Z', '2026-05-01T10:00:60Z', '2026-13-01T00:00:00Z'])(
    '%s is no time',
    (startTime) => {
      expect(String(problemOf({ ...job, status: { startTime } }))).toContain('status.startTime: expected an RFC 3339 time');
    },
  );
  test.each(['2024-02-29T00:00:00Z', '2026-05-01T09:00:00.123456+02:00'])('%s is a time', (startTime) => {
    expect(problemOf({ ...job, status: { startTime } })).toBeUndefined();
  });
});
