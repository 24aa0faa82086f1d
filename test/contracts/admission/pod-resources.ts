// New pods that say what they need, what happens when that changes and when a container ends, taken and refused.
import type { Container, Pod, PodSpec } from '../../../lib/objects/kubernetes.ts';
import { aPod } from './judge.ts';
import type { PodCase } from './judge.ts';

const taken = (name: string, pod: Pod): PodCase => ({ name, pod, code: 201 });
const refused = (name: string, pod: Pod, ...fields: string[]): PodCase => ({ name, pod, code: 422, fields: fields.toSorted() });

const main = { name: 'main', image: 'busybox' };
const withMain = (container: Partial<Container>, spec: Partial<PodSpec> = {}): Pod =>
  aPod({ containers: [{ ...main, ...container }], ...spec });
const withInit = (container: Partial<Container>): Pod => aPod({ initContainers: [{ name: 'first', image: 'busybox', ...container }] });
const [container, init] = ['spec.containers[0]', 'spec.initContainers[0]'];

type Resources = NonNullable<Container['resources']>;
/** The resources of a whole pod, of its containers, and of more. */
const whole = (resources: Resources, containers: Resources[], spec: Partial<PodSpec> = {}): Pod =>
  aPod({ resources, containers: containers.map((own, at) => ({ name: `c${at}`, image: 'busybox', resources: own })), ...spec });
const first = (resources: Resources, restartPolicy?: string): Partial<PodSpec> => ({
  initContainers: [{ name: 'first', image: 'busybox', resources, ...(restartPolicy !== undefined && { restartPolicy }) }],
});
const half = { requests: { cpu: '500m' } };

const shares: PodCase[] = [
  taken(
    'containers that fit into their pod',
    whole({ requests: { cpu: '1' }, limits: { cpu: '2' } }, [half, { limits: { cpu: '2' }, ...half }]),
  ),
  taken(
    'limits of containers that are more together',
    whole({ limits: { cpu: '1' } }, [
      { limits: { cpu: '1' }, ...half },
      { limits: { cpu: '1' }, ...half },
    ]),
  ),
  refused(
    'a container with a higher limit than its pod',
    whole({ limits: { cpu: '1' } }, [half, { limits: { cpu: '2' }, ...half }]),
    'spec.resources.containers[1][cpu].limits',
  ),
  taken(
    'an init container with a higher limit than its pod',
    whole({ limits: { cpu: '1' } }, [half], first({ limits: { cpu: '2' }, ...half })),
  ),
  refused(
    'containers that ask for more than their pod',
    whole({ requests: { cpu: '900m' } }, [half, half]),
    'spec.resources.requests[cpu]',
  ),
  refused(
    'containers whose requests are more than their sum once they are rounded',
    whole({ limits: { cpu: '2' } }, [{ requests: { cpu: '1500u' } }, { requests: { cpu: '1500u' } }]),
    'spec.resources.requests[cpu]',
  ),
  taken('an init container that asks for as much as its pod', whole({ requests: { cpu: '500m' } }, [half], first(half))),
  refused(
    'a sidecar that asks for more than is left',
    whole({ requests: { cpu: '900m' } }, [half], first(half, 'Always')),
    'spec.resources.requests[cpu]',
  ),
  refused(
    'containers with more huge pages than their pod',
    whole(
      { limits: { cpu: '1', 'hugepages-2Mi': '4Mi' } },
      [2, 4].map((size) => ({ limits: { cpu: '1', 'hugepages-2Mi': `${size}Mi` }, ...half })),
    ),
    'spec.resources.limits[hugepages-2Mi]',
    'spec.resources.requests[hugepages-2Mi]',
  ),
  refused(
    'a claim of a whole pod',
    aPod({ resources: { claims: [{ name: 'gpu' }] } }),
    'spec.resources.claims',
    'spec.resources.claims[0]',
  ),
  ...['0', '4Mi', '2097152'].map((amount) =>
    taken(`${amount} of huge pages`, withMain({ resources: { limits: { cpu: '1', 'hugepages-2Mi': amount } } })),
  ),
  ...['3Mi', '1', '2M'].map((amount) =>
    refused(
      `${amount} of huge pages, which are no whole ones`,
      withMain({ resources: { limits: { cpu: '1', 'hugepages-2Mi': amount } } }),
      `${container}.resources.limits[hugepages-2Mi]`,
      `${container}.resources.requests[hugepages-2Mi]`,
    ),
  ),
  refused(
    'huge pages of no size',
    withMain({ resources: { limits: { cpu: '1', 'hugepages-big': '1Gi' } } }),
    `${container}.resources.limits[hugepages-big]`,
    `${container}.resources.requests[hugepages-big]`,
  ),
  refused('an overhead of less than nothing', aPod({ overhead: { cpu: '-1' } }), 'spec.overhead.limits[cpu]'),
];

const gpu = { name: 'gpu', resourceClaimName: 'a' };
const claiming = (...claims: object[]): Pod => withMain({ resources: JSON.parse(JSON.stringify({ claims })) }, { resourceClaims: [gpu] });

const claims: PodCase[] = [
  taken('claims', aPod({ resourceClaims: [gpu, { name: 'other', resourceClaimTemplateName: 'b' }] })),
  taken('requests of a claim', claiming({ name: 'gpu', request: 'a' }, { name: 'gpu', request: 'b' })),
  refused('a claim without a name', aPod({ resourceClaims: [{ resourceClaimName: 'a' }] }), 'spec.resourceClaims[0].name'),
  refused('a claim with a bad name', aPod({ resourceClaims: [{ ...gpu, name: 'A' }] }), 'spec.resourceClaims[0].name'),
  refused('a claim twice', aPod({ resourceClaims: [gpu, gpu] }), 'spec.resourceClaims[1].name'),
  refused('a claim of nothing', aPod({ resourceClaims: [{ name: 'gpu' }] }), 'spec.resourceClaims[0]'),
  refused('a claim of two kinds', aPod({ resourceClaims: [{ ...gpu, resourceClaimTemplateName: 'b' }] }), 'spec.resourceClaims[0]'),
  refused(
    'a claim of a bad name',
    aPod({ resourceClaims: [{ ...gpu, resourceClaimName: 'A_' }] }),
    'spec.resourceClaims[0].resourceClaimName',
  ),
  refused('a claim that is not among those there are', claiming({ name: 'tpu' }), `${container}.resources.claims[0]`),
  refused('a bad request of a claim', claiming({ name: 'gpu', request: 'A' }), `${container}.resources.claims[0].request`),
];

const resize = (...policies: string[]): Partial<Container> => ({
  resizePolicy: policies.map((policy) => {
    const [resourceName, restartPolicy] = policy.split(' ');
    return { resourceName, restartPolicy };
  }),
});

const changes: PodCase[] = [
  taken('new resources without a restart', withMain(resize('cpu NotRequired', 'memory NotRequired'), { restartPolicy: 'Never' })),
  taken('new resources by a restart', withMain(resize('memory RestartContainer'))),
  refused(
    'new resources by a restart that never comes',
    withMain(resize('cpu RestartContainer'), { restartPolicy: 'Never' }),
    `${container}.resizePolicy`,
  ),
  refused('two ways to one new resource', withMain(resize('cpu NotRequired', 'cpu RestartContainer')), `${container}.resizePolicy[1]`),
  refused('a new resource of another kind', withMain(resize('disk NotRequired')), `${container}.resizePolicy`),
  refused('a new resource of no kind', withMain(resize(' NotRequired')), `${container}.resizePolicy`),
  refused('an unknown way to a new resource', withMain(resize('cpu Sometimes')), `${container}.resizePolicy`),
  refused(
    'new resources by a restart of an init container',
    withInit(resize('cpu RestartContainer')),
    `${init}.resizePolicy[0].restartPolicy`,
  ),
  taken('new resources by a restart of a sidecar', withInit({ restartPolicy: 'Always', ...resize('cpu RestartContainer') })),
];

const ends = (exitCodes: object, action = 'Restart'): Partial<Container> => ({
  restartPolicy: 'Never',
  restartPolicyRules: [{ action, exitCodes }],
});
const rule = `${container}.restartPolicyRules[0]`;

const restarts: PodCase[] = [
  taken('a restart for some exit codes', withMain(ends({ operator: 'In', values: [1, 2] }))),
  refused('an unknown action at the end', withMain(ends({ operator: 'In', values: [1] }, 'Cry')), `${rule}.action`),
  refused('an unknown operator of exit codes', withMain(ends({ operator: 'Near', values: [1] })), `${rule}.exitCodes.operator`),
  refused(
    '256 exit codes',
    withMain(ends({ operator: 'In', values: Array.from({ length: 256 }, (_, at) => at) })),
    `${rule}.exitCodes.values`,
  ),
  refused('rules of an init container without a policy', withInit({ restartPolicyRules: [{ action: 'Cry' }] }), `${init}.restartPolicy`),
];

export const podResources: PodCase[] = [...shares, ...claims, ...changes, ...restarts];
