// Which ports of a node are taken: by protocol, address and number.
import { expect, test } from '@jest/globals';
import type { Pod, PodSpec } from '../../../../lib/objects/kubernetes.ts';
import { hasTakenPorts } from '../../../../lib/kinds/preemption/checks/host-ports.ts';
import { podOf } from '../fixtures.ts';

interface Port {
  hostIP?: string;
  protocol?: string;
  hostPort?: number;
}
const holding = (port: Port): Pod =>
  podOf('a', { spec: { containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: 80, ...port }] }] } });
const beside = (ports: Port, restartPolicy?: string): Pod => {
  const initContainers: PodSpec['containers'] = [{ name: 'first', ports: [{ containerPort: 80, hostPort: 80, ...ports }] }];
  if (restartPolicy !== undefined) for (const container of initContainers) container.restartPolicy = restartPolicy;
  return podOf('b', { spec: { initContainers } });
};

test.each<[string, Port, Port, boolean]>([
  ['the same', {}, {}, true],
  ['TCP is what is not said', { protocol: 'TCP' }, {}, true],
  ['another protocol', { protocol: 'UDP' }, {}, false],
  ['another port', { hostPort: 81 }, {}, false],
  ['none of the host', { hostPort: 0 }, { hostPort: 0 }, false],
  ['another address', { hostIP: '10.0.0.1' }, { hostIP: '10.0.0.2' }, false],
  ['the same address', { hostIP: '10.0.0.1' }, { hostIP: '10.0.0.1' }, true],
  ['every address', { hostIP: '10.0.0.1' }, { hostIP: '0.0.0.0' }, true],
  ['any address of a pod that has them all', {}, { hostIP: '10.0.0.1' }, true],
])('%s', (_, taken, wanted, expected) => expect(hasTakenPorts(holding(wanted), [podOf('other'), holding(taken)])).toBe(expected));

test('sidecars have ports, containers that end do not', () => {
  expect(hasTakenPorts(beside({}, 'Always'), [holding({})])).toBe(true);
  expect(hasTakenPorts(holding({}), [beside({}, 'Always')])).toBe(true);
  expect(hasTakenPorts(beside({}), [holding({})])).toBe(false);
});
