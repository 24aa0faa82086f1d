// New pods that the API server takes, and those it refuses, each for its own reason.
import type { Container, Pod } from '../../../lib/objects/kubernetes.ts';
import { aPod } from './judge.ts';
import type { PodCase } from './judge.ts';

const taken = (name: string, pod: Pod): PodCase => ({ name, pod, code: 201 });
const refused = (name: string, pod: Pod, ...fields: string[]): PodCase => ({ name, pod, code: 422, fields: fields.toSorted() });

const main = { name: 'main', image: 'busybox' };
const withMain = (container: Partial<Container>): Pod => aPod({ containers: [{ ...main, ...container }] });
const withInit = (container: Partial<Container>): Pod => aPod({ initContainers: [{ name: 'first', image: 'busybox', ...container }] });
const withVolume = (source: object): Pod => aPod({ volumes: [{ name: 'data', ...source }] });
const withMounts = (...volumeMounts: object[]): Pod => aPod({ volumes: [{ name: 'data' }], containers: [{ ...main, volumeMounts }] });
const withVariable = (valueFrom: object): Pod =>
  aPod({ containers: [{ ...main, env: [{ name: 'A', valueFrom: JSON.parse(JSON.stringify(valueFrom)) }] }] });
const [container, init, volume] = ['spec.containers[0]', 'spec.initContainers[0]', 'spec.volumes[0]'];

const specs: PodCase[] = [
  taken('nothing but a container', aPod()),
  taken('a name for its node', aPod({ nodeName: 'node-1' })),
  refused('no containers', aPod({ containers: [] }), 'spec.containers'),
  refused('an unknown restart policy', aPod({ restartPolicy: 'Sometimes' }), 'spec.restartPolicy'),
  refused('an unknown DNS policy', aPod({ dnsPolicy: 'Any' }), 'spec.dnsPolicy'),
  refused('an active deadline of nothing', aPod({ activeDeadlineSeconds: 0 }), 'spec.activeDeadlineSeconds'),
  refused('a bad node name', aPod({ nodeName: 'No_' }), 'spec.nodeName'),
  refused('a bad hostname', aPod({ hostname: 'a.b' }), 'spec.hostname'),
  refused('a bad subdomain', aPod({ subdomain: '-a' }), 'spec.subdomain'),
  refused('a gated pod on a node', aPod({ nodeName: 'node-1', schedulingGates: [{ name: 'a/b' }] }), 'spec.nodeName'),
  refused(
    'an ephemeral container at birth',
    aPod({ ephemeralContainers: [{ name: 'debug', image: 'busybox' }] }),
    'spec.ephemeralContainers',
  ),
  refused('a negative user', aPod({ securityContext: { runAsUser: -1 } }), 'spec.securityContext.runAsUser'),
  refused('a bad readiness gate', aPod({ readinessGates: [{ conditionType: 'a b' }] }), 'spec.readinessGates[0].conditionType'),
  refused('a bad gate', aPod({ schedulingGates: [{ name: '' }] }), 'spec.schedulingGates[0]'),
  refused('a bad alias of a host', aPod({ hostAliases: [{ ip: '10.0.0.1', hostnames: ['a_b'] }] }), 'spec.hostAliases[0].hostnames[0]'),
  refused('a toleration of nothing', aPod({ tolerations: [{ operator: 'Equal' }] }), 'spec.tolerations[0].operator'),
  refused(
    'seconds of a toleration for another effect',
    aPod({ tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 }] }),
    'spec.tolerations[0].effect',
  ),
  refused(
    'a toleration that exists with a value',
    aPod({ tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] }),
    'spec.tolerations[0].operator',
  ),
  refused('an unknown effect', aPod({ tolerations: [{ key: 'a', operator: 'Exists', effect: 'Burn' }] }), 'spec.tolerations[0].effect'),
  refused('a label with a bad value', aPod({}, { name: 'labelled', labels: { a: 'b c' } }), 'metadata.labels'),
  refused('a name with a capital', aPod({}, { name: 'Upper' }), 'metadata.name'),
  refused(
    'a service account token without an account',
    withVolume({ projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }),
    `${volume}.projected.sources[0].serviceAccountToken`,
  ),
];

const containers: PodCase[] = [
  refused('an image with a blank behind it', withMain({ image: 'busybox ' }), `${container}.image`),
  refused('an unknown policy of messages', withMain({ terminationMessagePolicy: 'Mail' }), `${container}.terminationMessagePolicy`),
  refused('a port name without a letter', withMain({ ports: [{ name: '80', containerPort: 80 }] }), `${container}.ports[0].name`),
  refused('a long port name', withMain({ ports: [{ name: 'a-very-long-name', containerPort: 80 }] }), `${container}.ports[0].name`),
  refused(
    'a port name twice',
    withMain({ ports: [80, 81].map((containerPort) => ({ name: 'http', containerPort })) }),
    `${container}.ports[1].name`,
  ),
  refused(
    'a host port twice',
    withMain({ ports: [80, 81].map((containerPort) => ({ containerPort, hostPort: 8080 })) }),
    `${container}.ports[1].hostPort`,
  ),
  refused(
    'another port on the network of the host',
    aPod({ hostNetwork: true, containers: [{ ...main, ports: [{ containerPort: 80, hostPort: 81 }] }] }),
    `${container}.ports[0].hostPort`,
  ),
  refused('a probe of nothing', withMain({ livenessProbe: {} }), `${container}.livenessProbe`),
  refused(
    'a probe of two kinds',
    withMain({ readinessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 80 } } }),
    `${container}.readinessProbe.tcpSocket`,
  ),
  refused('a probe without a command', withMain({ readinessProbe: { exec: {} } }), `${container}.readinessProbe.exec.command`),
  refused('a probe of a bad port', withMain({ startupProbe: { tcpSocket: { port: 0 } } }), `${container}.startupProbe.tcpSocket.port`),
  refused(
    'a probe of a bad port name',
    withMain({ startupProbe: { httpGet: { port: 'no port' } } }),
    `${container}.startupProbe.httpGet.port`,
  ),
  refused(
    'a liveness probe that must succeed twice',
    withMain({ livenessProbe: { tcpSocket: { port: 80 }, successThreshold: 2 } }),
    `${container}.livenessProbe.successThreshold`,
  ),
  refused(
    'a negative delay of a probe',
    withMain({ livenessProbe: { tcpSocket: { port: 80 }, initialDelaySeconds: -1 } }),
    `${container}.livenessProbe.initialDelaySeconds`,
  ),
  refused('a hook of nothing', withMain({ lifecycle: { preStop: {} } }), `${container}.lifecycle.preStop`),
  refused('a probe of an init container', withInit({ livenessProbe: { tcpSocket: { port: 80 } } }), `${init}.livenessProbe`),
  taken('a probe of a sidecar', withInit({ restartPolicy: 'Always', readinessProbe: { tcpSocket: { port: 80 } } })),
  refused('an unknown restart policy of an init container', withInit({ restartPolicy: 'Sometimes' }), `${init}.restartPolicy`),
  refused('a user that is none', withMain({ securityContext: { runAsUser: 2 ** 31 } }), `${container}.securityContext.runAsUser`),
  refused(
    'a privileged container that may not escalate',
    withMain({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
    `${container}.securityContext`,
  ),
  refused('huge pages alone', withMain({ resources: { limits: { 'hugepages-2Mi': '4Mi' } } }), `${container}.resources`),
  refused(
    'a claim that is not there',
    withMain({ resources: JSON.parse('{"claims":[{"name":"gpu"}]}') }),
    `${container}.resources.claims[0]`,
  ),
];

const environments: PodCase[] = [
  taken('variables of all kinds', withVariable({ fieldRef: { fieldPath: "metadata.labels['a']" } })),
  refused('a source of nothing', withVariable({}), `${container}.env[0].valueFrom`),
  refused(
    'two sources',
    withVariable({ fieldRef: { fieldPath: 'metadata.name' }, configMapKeyRef: { name: 'a', key: 'b' } }),
    `${container}.env[0].valueFrom`,
  ),
  refused(
    'a field that variables cannot hold',
    withVariable({ fieldRef: { fieldPath: 'status.phase' } }),
    `${container}.env[0].valueFrom.fieldRef.fieldPath`,
  ),
  refused('an empty field', withVariable({ fieldRef: { fieldPath: '' } }), `${container}.env[0].valueFrom.fieldRef.fieldPath`),
  refused(
    'a subscript of another field',
    withVariable({ fieldRef: { fieldPath: "metadata.name['a']" } }),
    `${container}.env[0].valueFrom.fieldRef.fieldPath`,
  ),
  refused(
    'a bad key of a label',
    withVariable({ fieldRef: { fieldPath: "metadata.labels['a b']" } }),
    `${container}.env[0].valueFrom.fieldRef`,
  ),
  refused(
    'another version',
    withVariable({ fieldRef: { apiVersion: 'v2', fieldPath: 'metadata.name' } }),
    `${container}.env[0].valueFrom.fieldRef.fieldPath`,
  ),
  refused(
    'an unknown resource',
    withVariable({ resourceFieldRef: { resource: 'limits.luck' } }),
    `${container}.env[0].valueFrom.resourceFieldRef.resource`,
  ),
  refused(
    'a divisor that does not fit',
    withVariable({ resourceFieldRef: { resource: 'limits.cpu', divisor: '1Gi' } }),
    `${container}.env[0].valueFrom.resourceFieldRef.divisor`,
  ),
  refused('no key', withVariable({ secretKeyRef: { name: 'a' } }), `${container}.env[0].valueFrom.secretKeyRef.key`),
  refused('a bad key', withVariable({ configMapKeyRef: { name: 'a', key: '..' } }), `${container}.env[0].valueFrom.configMapKeyRef.key`),
  refused('all of nothing', withMain({ envFrom: [{}] }), `${container}.envFrom`),
  refused('all of a ConfigMap without a name', withMain({ envFrom: [{ configMapRef: {} }] }), `${container}.envFrom[0].configMapRef.name`),
  refused('a bad prefix', withMain({ envFrom: [{ prefix: 'a=', secretRef: { name: 's' } }] }), `${container}.envFrom[0].prefix`),
];

const volumes: PodCase[] = [
  refused('no name', aPod({ volumes: [{ emptyDir: {} }] }), `${volume}.name`),
  refused('a bad name', aPod({ volumes: [{ name: 'A' }] }), `${volume}.name`),
  refused('a secret without a name', withVolume({ secret: {} }), `${volume}.secret.secretName`),
  refused('a ConfigMap without a name', withVolume({ configMap: {} }), `${volume}.configMap.name`),
  refused('a mode that is none', withVolume({ secret: { secretName: 's', defaultMode: 512 } }), `${volume}.secret.defaultMode`),
  refused('an item without a path', withVolume({ configMap: { name: 'c', items: [{ key: 'a' }] } }), `${volume}.configMap.items[0].path`),
  refused(
    'an item that climbs out',
    withVolume({ configMap: { name: 'c', items: [{ key: 'a', path: '../a' }] } }),
    `${volume}.configMap.items[0].path`,
  ),
  refused(
    'a reserved item',
    withVolume({ configMap: { name: 'c', items: [{ key: 'a', path: '..a' }] } }),
    `${volume}.configMap.items[0].path`,
  ),
  refused('a path of the host that climbs', withVolume({ hostPath: { path: '/a/../b' } }), `${volume}.hostPath.path`),
  refused('an unknown kind of a host path', withVolume({ hostPath: { path: '/a', type: 'Cave' } }), `${volume}.hostPath.type`),
  refused('a claim without a name', withVolume({ persistentVolumeClaim: {} }), `${volume}.persistentVolumeClaim.claimName`),
  refused('a relative path of NFS', withVolume({ nfs: { server: 's', path: 'a' } }), `${volume}.nfs.path`),
  refused('a downward file without a source', withVolume({ downwardAPI: { items: [{ path: 'a' }] } }), `${volume}.downwardAPI`),
  refused(
    'a downward file with an absolute path',
    withVolume({ downwardAPI: { items: [{ path: '/a', fieldRef: { fieldPath: 'metadata.name' } }] } }),
    `${volume}.downwardAPI.path`,
  ),
  refused(
    'a projected secret without a name',
    withVolume({ projected: { sources: [{ secret: {} }] } }),
    `${volume}.projected.sources[0].secret.name`,
  ),
  refused('a mount without a path', withMounts({ name: 'data' }), `${container}.volumeMounts[0].mountPath`),
  refused(
    'two mounts in one place',
    withMounts({ name: 'data', mountPath: '/a' }, { name: 'data', mountPath: '/a' }),
    `${container}.volumeMounts[1].mountPath`,
  ),
  refused(
    'an absolute path below a mount',
    withMounts({ name: 'data', mountPath: '/a', subPath: '/b' }),
    `${container}.volumeMounts.subPath`,
  ),
  refused(
    'two ways to a path below a mount',
    withMounts({ name: 'data', mountPath: '/a', subPath: 'b', subPathExpr: 'c' }),
    `${container}.volumeMounts[0].subPathExpr`,
  ),
  refused(
    'a device of a directory',
    aPod({ volumes: [{ name: 'data' }], containers: [{ ...main, volumeDevices: [{ name: 'data', devicePath: '/dev/a' }] }] }),
    `${container}.volumeDevices[0].name`,
  ),
  refused(
    'a mount of a volume that is out of order',
    aPod({ volumes: [{ name: 'data', secret: {} }], containers: [{ ...main, volumeMounts: [{ name: 'data', mountPath: '/a' }] }] }),
    `${volume}.secret.secretName`,
    `${container}.volumeMounts[0].name`,
  ),
];

const seccomp = (seccompProfile: object): PodCase['pod'] => aPod({ securityContext: { seccompProfile } });
const inContainer = (seccompProfile: object): PodCase['pod'] => withMain({ securityContext: { seccompProfile } });
const [profile, containerProfile] = ['spec.securityContext.seccompProfile', `${container}.securityContext.seccompProfile`];

const securityContexts: PodCase[] = [
  refused('an unknown kind of seccomp profile', seccomp({ type: 'Strict' }), `${profile}.type`),
  refused('a seccomp profile of no kind', seccomp({}), `${profile}.type`),
  refused('a seccomp profile of the host without a name', seccomp({ type: 'Localhost' }), `${profile}.localhostProfile`),
  refused(
    'a seccomp profile of the host out of its folder',
    seccomp({ type: 'Localhost', localhostProfile: '/a/../b' }),
    `${profile}.localhostProfile`,
  ),
  refused(
    'the name of a seccomp profile that has none',
    seccomp({ type: 'RuntimeDefault', localhostProfile: 'a' }),
    `${profile}.localhostProfile`,
  ),
  taken('a seccomp profile of the host', seccomp({ type: 'Localhost', localhostProfile: 'a/b.json' })),
  refused('an unknown kind of seccomp profile of a container', inContainer({ type: 'Strict' }), `${containerProfile}.type`),
  refused(
    'a seccomp profile of the host without a name, of a container',
    inContainer({ type: 'Localhost' }),
    `${containerProfile}.localhostProfile`,
  ),
  refused(
    'an unknown way to change the owner of files',
    aPod({ securityContext: { fsGroupChangePolicy: 'x' } }),
    'spec.securityContext.fsGroupChangePolicy',
  ),
  taken('a known way to change the owner of files', aPod({ securityContext: { fsGroupChangePolicy: 'OnRootMismatch' } })),
  refused(
    'negative and large groups',
    aPod({ securityContext: { supplementalGroups: [-1, 5, 2 ** 31] } }),
    'spec.securityContext.supplementalGroups[0]',
    'spec.securityContext.supplementalGroups[2]',
  ),
  refused(
    'an unknown policy of groups',
    aPod({ securityContext: { supplementalGroupsPolicy: 'x' } }),
    'spec.securityContext.supplementalGroupsPolicy',
  ),
  refused(
    'one process namespace, and the one of the host',
    aPod({ shareProcessNamespace: true, hostPID: true }),
    'spec.securityContext.shareProcessNamespace',
  ),
  taken('one process namespace', aPod({ shareProcessNamespace: true })),
  refused(
    'mounts that reach the host, without privilege',
    withMounts({ name: 'data', mountPath: '/a', mountPropagation: 'Bidirectional' }),
    `${container}.volumeMounts.mountPropagation`,
  ),
  taken(
    'mounts that reach the host, with privilege',
    aPod({
      volumes: [{ name: 'data' }],
      containers: [
        {
          ...main,
          securityContext: { privileged: true },
          volumeMounts: [{ name: 'data', mountPath: '/a', mountPropagation: 'Bidirectional' }],
        },
      ],
    }),
  ),
  refused(
    'an unknown propagation of mounts',
    withMounts({ name: 'data', mountPath: '/a', mountPropagation: 'Sideways' }),
    `${container}.volumeMounts.mountPropagation`,
  ),
];

const dns = (dnsConfig: object): PodCase['pod'] => aPod({ dnsConfig });
const addresses = ['foo', '', '10.0.0', '10.0.0.256', '1.2.3.4.5', '1:2', '::1::', ':::', '1.2.3.4::', 'fe80::1%eth0', '1:2:3:4:5:6:7::8'];
const unusual = ['010.0.0.1', '10.0.0.08', '::ffff:10.0.0.1', '::ffff:010.0.0.1', '::ffff:a00:1', '::00001', '0:0:0:0:0:ffff:1:2'];

const names: PodCase[] = [
  ...[...addresses, ...unusual].flatMap((ip) => [
    refused(`the DNS server ${JSON.stringify(ip)}`, dns({ nameservers: ['10.0.0.1', ip] }), 'spec.dnsConfig.nameservers[1]'),
    refused(`an alias of the host ${JSON.stringify(ip)}`, aPod({ hostAliases: [{ ip, hostnames: ['a'] }] }), 'spec.hostAliases[0].ip'),
  ]),
  ...[
    '::',
    '::1',
    'FE80:0:0:0:0:0:0:0abc',
    '1:2:3:4:5:6:7:8',
    '1:2:3:4:5:6:1.2.3.4',
    '1::8',
    '255.255.255.255',
    '0.0.0.0',
    '::1.2.3.4',
  ].map((ip) => taken(`the DNS server ${ip}`, dns({ nameservers: [ip] }))),
  refused('four DNS servers', dns({ nameservers: ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'] }), 'spec.dnsConfig.nameservers'),
  refused('no DNS server where there is none else', aPod({ dnsPolicy: 'None', dnsConfig: {} }), 'spec.dnsConfig.nameservers'),
  refused('33 search domains', dns({ searches: Array.from({ length: 33 }, (_, at) => `d${at}`) }), 'spec.dnsConfig.searches'),
  refused(
    'search domains of more than 2048 characters',
    dns({ searches: Array.from({ length: 32 }, (_, at) => `d${at}.${'a'.repeat(60)}.example`) }),
    'spec.dnsConfig.searches',
  ),
  taken('search domains with underscores, of all, and with a dot behind', dns({ searches: ['_tcp.a_b.example', '.', 'example.com.'] })),
  ...['Upper.example', '', '-a', 'a..b', 'a_', 'x.'.repeat(130)].map((search) =>
    refused(`the search domain ${JSON.stringify(search.slice(0, 20))}`, dns({ searches: [search] }), 'spec.dnsConfig.searches[0]'),
  ),
  refused('a DNS option without a name', dns({ options: [{ value: '2' }] }), 'spec.dnsConfig.options[0]'),
  taken('DNS options', dns({ options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }] })),
];

export const podCreations: PodCase[] = [...specs, ...containers, ...environments, ...volumes, ...securityContexts, ...names];
