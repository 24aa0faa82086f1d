// What rights are while functions may still do what they did before a registration changed.
import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '../../lib/objects/kubernetes.ts';
import { widened } from '../../lib/onboarding/handover.ts';
import type { Manifest } from '../../lib/onboarding/relay-manifests.ts';

const RBAC = 'rbac.authorization.k8s.io';
const ACCOUNT = { kind: 'ServiceAccount', name: 'farloop-functions', namespace: 'farloop' };
const GROUP = { apiGroup: RBAC, kind: 'Group', name: 'farloop-functions' };
const binding = (subjects: object[]): Manifest => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name: 'farloop-functions' },
  subjects,
});
const cluster = (there: KubernetesObject | undefined): { get: () => Promise<KubernetesObject | undefined> } => ({ get: async () => there });

describe('while functions change who they are', () => {
  test('a binding names both, the new one first', async () => {
    expect(await widened(cluster(binding([ACCOUNT])), binding([GROUP]))).toEqual(binding([GROUP, ACCOUNT]));
  });

  test('a role allows what it allowed', async () => {
    const role = (rules: object[]): Manifest => ({
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata: { name: 'a', namespace: 'b' },
      rules,
    });
    const [read, write] = [{ verbs: ['get'] }, { verbs: ['create'] }];
    expect(await widened(cluster(role([read, write])), role([read]))).toEqual(role([read, write]));
  });

  test('what is the same in another order of fields is the same, and nothing is new where nothing was there', async () => {
    const manifest = binding([GROUP]);
    expect(await widened(cluster(binding([{ name: GROUP.name, kind: GROUP.kind, apiGroup: RBAC }])), manifest)).toBe(manifest);
    expect(await widened(cluster(undefined), manifest)).toBe(manifest);
  });

  test('anything but rights is as it is wanted', async () => {
    const lease: Manifest = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'a', namespace: 'b' } };
    expect(await widened(cluster({ ...lease, spec: {} } as KubernetesObject), lease)).toBe(lease);
  });
});
