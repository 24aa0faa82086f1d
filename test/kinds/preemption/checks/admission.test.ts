// The worked cases A1 to A17 and A19 without those of a node's passes: admission from end to end.
import { describe, expect, test } from '@jest/globals';
import type { Node, Pod, PodSpec } from '../../../../lib/objects/kubernetes.ts';
import { admit, type Admission } from '../../../../lib/kinds/preemption/checks/admission.ts';
import { asking, FILE_SOURCE, fixtures, named, podOf, SYSTEM_CRITICAL, type PodGiven } from '../fixtures.ts';

const { be, b, hrb } = fixtures;

const node = (spec: Node['spec'] = {}): Node => ({
  metadata: { name: 'vn-0', labels: { 'kubernetes.io/os': 'linux' } },
  spec,
  status: { allocatable: { cpu: '1000m', memory: '1000Mi', pods: '3' }, nodeInfo: { operatingSystem: 'linux' } },
});
const three = (pod: Pod): Pod[] => ['1', '2', '3'].map((at) => named(pod, `${pod.metadata.name}${at}`));
const plain = (cpu: number, mebibytes: number, given: PodGiven = {}): Pod => podOf('plain', { requests: asking(cpu, mebibytes), ...given });
const critical = (cpu: number, mebibytes: number, given: PodGiven = {}): Pod =>
  plain(cpu, mebibytes, { priority: SYSTEM_CRITICAL, ...given });
const decide = (pods: Pod[], incoming: Pod, on = node()): Admission => admit({ node: on, pods, incoming, settings: { ordering: 'qos' } });
const victimsOf = ({ victims }: Admission): (string | undefined)[] => victims.map(({ metadata }) => metadata.name);
const ADMITTED = { state: 'admitted', failures: [], victims: [] };

describe('room', () => {
  test('A1: what is free is enough', () => expect(decide([], plain(1000, 1000))).toEqual(ADMITTED));

  test('A2: not enough cpu', () => {
    expect(decide(three(hrb).slice(1), plain(500, 100))).toEqual({
      state: 'rejected',
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 500, used: 600, capacity: 1000",
      failures: [{ resource: 'cpu', requested: 500n, used: 600n, capacity: 1000n }],
      victims: [],
    });
  });

  test('A3: too many pods', () => {
    expect(decide(three(be), be)).toMatchObject({
      reason: 'OutOfpods',
      message: "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
    });
  });

  test('A4: the last of equals goes', () => {
    const admission = decide(three(be), fixtures.cc);
    expect(admission.state).toBe('preempting');
    expect(victimsOf(admission)).toEqual(['be3']);
  });

  test('A5: one pod frees both', () => {
    const admission = decide(three(hrb), critical(200, 50));
    expect(admission.failures).toEqual([
      { resource: 'pods', requested: 1n, used: 3n, capacity: 3n },
      { resource: 'cpu', requested: 200n, used: 900n, capacity: 1000n },
    ]);
    expect(victimsOf(admission)).toEqual(['hrb3']);
  });

  test.each<[string, Pod[], Pod, number]>([
    ['A6', [{ ...b, spec: { ...b.spec, priority: SYSTEM_CRITICAL } }], critical(950, 100), 50],
    ['A7', [], critical(1010, 100), 10],
  ])('%s: nobody can make room', (_, pods, incoming, missing) => {
    expect(decide(pods, incoming)).toMatchObject({
      state: 'rejected',
      reason: 'UnexpectedAdmissionError',
      message: `Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: ${missing}), ]`,
      victims: [],
    });
  });

  test('A12: a resource that the node does not advertise is not asked for', () => {
    const incoming = podOf('a', { requests: { 'example.com/foo': '1' } });
    expect(decide([hrb], incoming)).toEqual(ADMITTED);
    for (const own of ['kubernetes.io/foo', 'mykubernetes.io/foo'])
      expect(decide([hrb], podOf('a', { requests: { [own]: '1' } })).reason).toBe(`OutOf${own}`);
  });

  test('A16: a pod that is being deleted still takes its room', () => {
    const stopping = plain(600, 100);
    stopping.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
    expect(decide([stopping], plain(500, 100)).reason).toBe('OutOfcpu');
  });

  test('A17: none is taken by one that is gone', () => expect(decide([], plain(500, 100))).toEqual(ADMITTED));

  test('A19: an init container that needs more', () => {
    const spec: Partial<PodSpec> = { initContainers: [{ name: 'first', resources: { requests: { cpu: '800m' } } }] };
    expect(decide([plain(100, 100, { spec })], plain(300, 100))).toMatchObject({ reason: 'OutOfcpu', failures: [{ used: 800n }] });
  });
});

describe('place', () => {
  test('A8: a label for another operating system', () => {
    const incoming = plain(100, 100);
    incoming.metadata.labels = { 'kubernetes.io/os': 'windows' };
    expect(decide([], incoming)).toMatchObject({ state: 'rejected', reason: 'PodOSSelectorNodeLabelDoesNotMatch', failures: [] });
  });

  test('A9: another node selected', () => {
    expect(decide([], plain(100, 100, { spec: { nodeSelector: { 'kubernetes.io/os': 'windows' } } }))).toMatchObject({
      reason: 'NodeAffinity',
      message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    });
  });

  test('A10: another operating system', () => {
    expect(decide([], plain(100, 100, { spec: { os: { name: 'windows' } } })).reason).toBe('PodOSNotSupported');
  });

  test('A11: nobody goes for a pod that has no place', () => {
    const admission = decide([hrb], critical(900, 100, { spec: { nodeSelector: { disk: 'ssd' } } }));
    expect(admission).toMatchObject({ state: 'rejected', reason: 'NodeAffinity', victims: [] });
    expect(admission.failures).toHaveLength(2);
  });

  test('A13: a taint drives away what is not static', () => {
    const tainted = node({ taints: [{ key: 'x', effect: 'NoExecute' }] });
    expect(decide([], plain(100, 100), tainted).reason).toBe('TaintToleration');
    expect(decide([], plain(100, 100, { annotations: FILE_SOURCE }), tainted)).toEqual(ADMITTED);
  });

  test('A14: a taint that keeps a scheduler away', () => {
    const tainted = node({ taints: [{ key: 'virtual-kubelet.io/provider', value: 'aws', effect: 'NoSchedule' }] });
    expect(decide([], plain(100, 100), tainted)).toEqual(ADMITTED);
  });

  test('A15: one port for two', () => {
    const withPort = (name: string): Pod =>
      podOf(name, { spec: { containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] }] } });
    expect(decide([withPort('one')], withPort('two')).reason).toBe('NodePorts');
  });

  test('strict groups where the node does not have them', () => {
    const strict = plain(100, 100, { spec: { securityContext: { supplementalGroupsPolicy: 'Strict' } } });
    const able = { ...node(), status: { ...node().status, features: { supplementalGroupsPolicy: true } } };
    expect(decide([], strict).reason).toBe('SupplementalGroupsPolicyNotSupported');
    expect(decide([], strict, able)).toEqual(ADMITTED);
  });
});
