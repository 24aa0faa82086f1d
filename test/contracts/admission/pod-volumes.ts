// New pods with volumes, mounts of them and what else names files, taken and refused.
import type { Container, Pod } from '../../../lib/objects/kubernetes.ts';
import { aPod } from './judge.ts';
import type { PodCase } from './judge.ts';

const taken = (name: string, pod: Pod): PodCase => ({ name, pod, code: 201 });
const refused = (name: string, pod: Pod, ...fields: string[]): PodCase => ({ name, pod, code: 422, fields: fields.toSorted() });

const main = { name: 'main', image: 'busybox' };
const [container, volume] = ['spec.containers[0]', 'spec.volumes[0]'];
const withVolume = (source: object): Pod => aPod({ serviceAccountName: 'worker', volumes: [{ name: 'data', ...source }] });
const withMain = (given: Partial<Container>, pod: Partial<Pod['spec']> = {}): Pod => aPod({ containers: [{ ...main, ...given }], ...pod });

const claim = (spec: object, metadata: object = {}): Pod =>
  withVolume({
    ephemeral: {
      volumeClaimTemplate: {
        metadata,
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
      },
    },
  });
const template = `${volume}.ephemeral.volumeClaimTemplate`;
const other = { kind: 'PersistentVolumeClaim', name: 'x' };

const claims: PodCase[] = [
  taken('a claim of all kinds of fields', claim({ storageClassName: '', volumeMode: 'Block', dataSource: other, dataSourceRef: other })),
  taken('a claim with labels', claim({ selector: { matchLabels: { a: 'b' } } }, { labels: { a: 'b' }, annotations: { c: 'd' } })),
  taken('a claim from another namespace', claim({ dataSourceRef: { ...other, namespace: 'other' } })),
  refused('no template of a claim', withVolume({ ephemeral: {} }), template),
  refused(
    'a claim of nothing',
    withVolume({ ephemeral: { volumeClaimTemplate: {} } }),
    `${template}.spec.accessModes`,
    `${template}.spec.resources[storage]`,
  ),
  refused('an unknown way to access', claim({ accessModes: ['ReadWriteOncePod', 'Any'] }), `${template}.spec.accessModes`),
  refused('for one pod and for many', claim({ accessModes: ['ReadWriteOncePod', 'ReadWriteOnce'] }), `${template}.spec.accessModes`),
  taken('for one pod, twice', claim({ accessModes: ['ReadWriteOncePod', 'ReadWriteOncePod'] })),
  refused('no storage', claim({ resources: { requests: { storage: '0' } } }), `${template}.spec.resources[storage]`),
  taken(
    'amounts of a claim that nobody looks at',
    claim({ resources: { requests: { storage: '2', other: '-1' }, limits: { storage: '1' } } }),
  ),
  refused(
    'bad classes of a claim',
    claim({ storageClassName: 'A B', volumeAttributesClassName: 'A B' }),
    `${template}.spec.storageClassName`,
    `${template}.spec.volumeAttributesClassName`,
  ),
  refused('an unknown mode of a claim', claim({ volumeMode: 'Tape' }), `${template}.spec.volumeMode`),
  refused('a bad selector of a claim', claim({ selector: { matchLabels: { 'a b': 'c' } } }), `${template}.spec.selector.matchLabels`),
  refused(
    'a source without a name',
    claim({ dataSource: { kind: 'x', name: '' } }),
    ...['.name', ''].map((part) => `${template}.spec.dataSource${part}`),
  ),
  refused(
    'bad parts of a source',
    claim({ dataSourceRef: { apiGroup: 'A B', kind: 'x', name: 'x', namespace: 'A B' } }),
    `${template}.spec.dataSourceRef.apiGroup`,
    `${template}.spec.dataSourceRef.namespace`,
  ),
  refused('two sources of a claim', claim({ dataSource: other, dataSourceRef: { ...other, name: 'y' } }), `${template}.spec`),
  refused('two sources, one far away', claim({ dataSource: other, dataSourceRef: { ...other, namespace: 'n' } }), `${template}.spec`),
  refused(
    'what a template of a claim cannot hold',
    claim({}, { name: 'x', uid: 'u', generation: 3, finalizers: ['a/b'], labels: { 'a b': 'x' }, annotations: { 'a b': 'c' } }),
    ...['name', 'uID', 'generation', 'finalizers', 'labels', 'annotations'].map((part) => `${template}.metadata.${part}`),
  ),
];

const projected = (...sources: object[]): Pod => withVolume({ projected: { sources } });
const asFile = (path: string): object => ({ items: [{ key: 'k', path }] });
const downward = (...items: object[]): Pod => withVolume({ downwardAPI: { items: items.map((item) => ({ path: 'a', ...item })) } });
const ofField = (fieldPath: string): Pod => downward({ fieldRef: { fieldPath } });

const files: PodCase[] = [
  taken('projections of nothing', projected({}, {})),
  refused(
    'two projected keys in one file',
    projected({ secret: { name: 'a', ...asFile('p') } }, { configMap: { name: 'b', ...asFile('p') } }),
    `${volume}.projected`,
  ),
  taken('a token in the file of a key', projected({ secret: { name: 'a', ...asFile('p') } }, { serviceAccountToken: { path: 'p' } })),
  taken('two keys in one file', withVolume({ configMap: { name: 'a', items: ['k', 'l'].map((key) => ({ key, path: 'p' })) } })),
  refused(
    'a projected field that is none',
    projected({ downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'spec.luck' } }] } }),
    `${volume}.projected.sources[0].downwardAPI.fieldRef.fieldPath`,
  ),
  ...['metadata.labels', "metadata.annotations['a']", 'metadata.uid'].map((path) => taken(`a file of ${path}`, ofField(path))),
  ...['spec.nodeName', 'spec.host', 'spec.luck', 'metadata.labels["a"]', ''].map((path) =>
    refused(`a file of ${path}`, ofField(path), `${volume}.downwardAPI.fieldRef.fieldPath`),
  ),
  refused('a file of a bad label', ofField("metadata.labels['a b']"), `${volume}.downwardAPI.fieldRef`),
  taken('a file of a limit', downward({ resourceFieldRef: { containerName: 'other', resource: 'limits.hugepages-2Mi' } })),
  refused(
    'a file of a limit of nobody',
    downward({ resourceFieldRef: { resource: 'limits.cpu', divisor: '7' } }),
    `${volume}.downwardAPI.resourceFieldRef.containerName`,
    `${volume}.downwardAPI.resourceFieldRef.divisor`,
  ),
  refused(
    'a file of an unknown resource',
    downward({ resourceFieldRef: { containerName: 'main', resource: 'limits.luck' } }),
    `${volume}.downwardAPI.resourceFieldRef.resource`,
  ),
  refused(
    'a file of two things',
    downward({ fieldRef: { fieldPath: 'spec.luck' }, resourceFieldRef: {} }),
    `${volume}.downwardAPI`,
    `${volume}.downwardAPI.fieldRef.fieldPath`,
  ),
];

/** What a kind of volume is refused for: its fields, and what the refusal names of them. */
const kinds: [kind: string, source: object, ...parts: string[]][] = [
  ['csi', { driver: 'a b' }, 'driver'],
  ['csi', { driver: 'a'.repeat(64) }, 'driver'],
  ['csi', { driver: 'Big.Driver', nodePublishSecretRef: {} }, 'nodePublishSecretRef.name'],
  ['csi', { driver: 'a', nodePublishSecretRef: { name: 'A B' } }, 'name'],
  ['image', { reference: 'a', pullPolicy: 'Often' }, 'pullPolicy'],
  ['image', {}, 'reference'],
  ['iscsi', { targetPortal: '', iqn: '', lun: 300 }, 'targetPortal', 'iqn', 'lun'],
  ['iscsi', { targetPortal: 'p', iqn: 'x', lun: -1 }, 'iqn', 'lun'],
  ['iscsi', { targetPortal: 'p', iqn: 'iqn.2015-02.example.com:a,b', lun: 0, chapAuthSession: true }, 'iqn', 'secretRef'],
  ['iscsi', { targetPortal: 'p', iqn: 'eui.0', lun: 0, initiatorName: '' }, 'iqn', 'initiatorname'],
  ['iscsi', { targetPortal: 'p', iqn: 'naa.0', lun: 0, initiatorName: 'eui.2' }, 'iqn', 'initiatorname'],
  ['gitRepo', { repository: '', directory: '../x' }, 'repository', 'directory'],
  ['fc', {}, 'targetWWNs'],
  ['fc', { targetWWNs: ['a'], wwids: ['b'] }, 'targetWWNs', 'lun'],
  ['fc', { targetWWNs: ['a'], lun: 256 }, 'lun'],
  ['azureDisk', { diskName: '', diskURI: '' }, 'diskName', 'diskURI'],
  ['azureDisk', { diskName: 'd', diskURI: 'https://a', kind: 'Managed', cachingMode: 'Some' }, 'diskURI', 'cachingMode'],
  ['azureDisk', { diskName: 'd', diskURI: '/subscriptions/a', kind: 'Other' }, 'diskURI', 'kind'],
  ['azureFile', {}, 'secretName', 'shareName'],
  ['rbd', {}, 'monitors', 'image'],
  ['glusterfs', {}, 'endpoints', 'path'],
  ['cephfs', {}, 'monitors'],
  ['awsElasticBlockStore', { partition: -1 }, 'volumeID', 'partition'],
  ['flexVolume', {}, 'driver'],
  [
    'flexVolume',
    { driver: 'd', options: { 'X.K8s.io/a': '1', 'k8s.io': '2', 'xk8s.io/a': '3' } },
    'options[X.K8s.io/a]',
    'options[k8s.io]',
  ],
  ['flocker', { datasetName: 'a/b' }, 'datasetName'],
  ['cinder', { secretRef: {} }, 'volumeID', 'secretRef.name'],
  ['quobyte', {}, 'registry', 'volume'],
  ['quobyte', { registry: 'a:1,b', volume: 'v' }, 'registry'],
  ['quobyte', { registry: 'a:1,b', volume: 'v', tenant: 't'.repeat(65) }, 'tenant'],
  ['vsphereVolume', {}, 'volumePath'],
  ['photonPersistentDisk', {}, 'pdID'],
  ['portworxVolume', {}, 'volumeID'],
  ['storageos', {}, 'volumeName'],
  ['storageos', { volumeName: 'A', volumeNamespace: 'B', secretRef: {} }, 'volumeName', 'volumeNamespace', 'secretRef.name'],
  ['scaleIO', {}, 'gateway', 'system', 'volumeName'],
];
/** Volumes that look odd and are taken. */
const oddOnes: [kind: string, source: object][] = [
  ['csi', { driver: 'Big.Driver' }],
  ['iscsi', { targetPortal: 'p', iqn: 'eui.0123456789abcdef', lun: 255, chapAuthSession: true, secretRef: {} }],
  ['iscsi', { targetPortal: 'p', iqn: `naa.${'a'.repeat(32)}`, lun: 0 }],
  ['iscsi', { targetPortal: 'p', iqn: 'iqn-iqn.2015-02.example.com:a', lun: 0 }],
  ['gitRepo', { repository: 'a', directory: '..x' }],
  ['fc', { wwids: ['b'], lun: 999 }],
  ['azureDisk', { diskName: 'd', diskURI: '/subscriptions/x', kind: 'Managed' }],
  ['awsElasticBlockStore', { volumeID: 'v', partition: 0 }],
  ['image', { reference: ' a' }],
  ['quobyte', { registry: '[::1]:7861', volume: 'v' }],
  ['quobyte', { registry: ':', volume: 'v'.repeat(65) }],
  ['flexVolume', { driver: 'a b' }],
];

const storage: PodCase[] = [
  ...kinds.map(([kind, source, ...parts]) =>
    refused(
      `${kind} ${JSON.stringify(source).slice(0, 60)}`,
      withVolume({ [kind]: source }),
      ...parts.map((part) => `${volume}.${kind}.${part}`),
    ),
  ),
  refused('flocker of nothing', withVolume({ flocker: {} }), `${volume}.flocker`),
  refused(
    'gcePersistentDisk, by its older name',
    withVolume({ gcePersistentDisk: { partition: 300 } }),
    `${volume}.persistentDisk.pdName`,
    `${volume}.persistentDisk.partition`,
  ),
  ...oddOnes.map(([kind, source]) => taken(`${kind} ${JSON.stringify(source).slice(0, 60)}`, withVolume({ [kind]: source }))),
];

const mounted = (mount: object): Pod =>
  withMain({ volumeMounts: [{ name: 'data', mountPath: '/a', ...mount }] }, { volumes: [{ name: 'data' }] });
const recursive = `${container}.volumeMounts.recursiveReadOnly`;

const mounts: PodCase[] = [
  taken('read only all the way down', mounted({ readOnly: true, recursiveReadOnly: 'IfPossible', mountPropagation: 'None' })),
  taken('not read only further down', mounted({ recursiveReadOnly: 'Disabled' })),
  refused('read only further down alone', mounted({ recursiveReadOnly: 'Enabled' }), recursive),
  refused('an unknown way down', mounted({ readOnly: true, recursiveReadOnly: '' }), recursive),
  refused(
    'read only all the way down of what others mount',
    mounted({ readOnly: true, recursiveReadOnly: 'Enabled', mountPropagation: 'HostToContainer' }),
    recursive,
  ),
];

const device = { name: 'data', devicePath: '/dev/a' };
const withDevices = (volumeDevices: object[], volumeMounts: object[] = []): Pod =>
  aPod({
    volumes: ['data', 'other'].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    containers: [{ ...main, volumeDevices, volumeMounts }],
  });
const [devices, inMounts] = [`${container}.volumeDevices`, `${container}.volumeMounts[0]`];

const blocks: PodCase[] = [
  taken('a device and a mount', withDevices([device], [{ name: 'other', mountPath: '/a' }])),
  taken('a relative device', withDevices([{ name: 'data', devicePath: 'a' }])),
  refused('a device twice', withDevices([device, { ...device, devicePath: '/dev/b' }]), `${devices}[1].name`),
  refused('two devices in one place', withDevices([device, { ...device, name: 'other' }]), `${devices}[1].devicePath`),
  refused('a device that climbs', withDevices([{ name: 'data', devicePath: '/dev/../a' }]), `${devices}[0].devicePath`),
  refused('a device of nothing', withDevices([{}]), `${devices}[0].name`, `${devices}[0].devicePath`),
  refused('a device that is mounted', withDevices([device], [{ name: 'data', mountPath: '/a' }]), `${devices}[0].name`, `${inMounts}.name`),
  refused(
    'a device where another volume is mounted',
    withDevices([device], [{ name: 'other', mountPath: '/dev/a' }]),
    `${devices}[0].devicePath`,
    `${inMounts}.mountPath`,
  ),
];

const fromFile = (fileKeyRef: object, volumes: object[] = [{ name: 'data', emptyDir: {} }]): Pod =>
  withMain(
    {
      env: [
        { name: 'A', valueFrom: JSON.parse(JSON.stringify({ fileKeyRef: { volumeName: 'data', path: 'a', key: 'b', ...fileKeyRef } })) },
      ],
    },
    { volumes: JSON.parse(JSON.stringify(volumes)) },
  );
const fileKey = `${container}.env[0].valueFrom.fileKeyRef`;

const fileVariables: PodCase[] = [
  taken('a variable of a file', fromFile({})),
  taken('a variable of an absolute path', fromFile({ path: '/a' })),
  refused('a variable of a file out of its folder', fromFile({ path: '../a' }), `${fileKey}.path`),
  refused('a variable of a bad key', fromFile({ key: 'a=b' }), `${fileKey}.key`),
  refused('a variable of a file in no volume', fromFile({ volumeName: 'other' }), `${fileKey}.volumeName`),
  refused('a variable of a file in a bad volume', fromFile({ volumeName: 'A B' }), `${fileKey}.volumeName`),
  refused('a variable of a secret', fromFile({}, [{ name: 'data', secret: { secretName: 's' } }]), `${fileKey}.volumeName`),
  refused(
    'a variable of a file in a directory out of order',
    fromFile({}, [{ name: 'data', emptyDir: { sizeLimit: '-1' } }]),
    `${volume}.emptyDir.sizeLimit`,
  ),
];

const sleeping = (seconds: number, spec: Partial<Pod['spec']> = {}, hook = 'preStop'): Pod =>
  withMain({ lifecycle: { [hook]: { sleep: { seconds } } } }, spec);
const sleep = `${container}.lifecycle.preStop.sleep`;

const handlers: PodCase[] = [
  taken('a header', withMain({ livenessProbe: { httpGet: { port: 80, httpHeaders: [{ name: 'X-1', value: '' }] } } })),
  refused(
    'bad headers',
    withMain({ livenessProbe: { httpGet: { port: 80, httpHeaders: ['', 'a_b', 'a b'].map((name) => ({ name, value: 'x' })) } } }),
    `${container}.livenessProbe.httpGet.httpHeaders`,
  ),
  refused(
    'a bad header of a hook',
    withMain({ lifecycle: { postStart: { httpGet: { port: 80, httpHeaders: [{ name: 'a:', value: 'x' }] } } } }),
    `${container}.lifecycle.postStart.httpGet.httpHeaders`,
  ),
  taken('no sleep', sleeping(0)),
  taken('a sleep as long as the grace', sleeping(30)),
  refused('a sleep longer than the grace', sleeping(31), sleep),
  refused('a negative sleep', sleeping(-1), sleep),
  refused('a sleep without any grace', sleeping(1, { terminationGracePeriodSeconds: 0 }), sleep),
  refused('a long sleep at the start', sleeping(31, {}, 'postStart'), `${container}.lifecycle.postStart.sleep`),
  refused(
    'a long sleep behind a command',
    withMain({ lifecycle: { preStop: { exec: { command: ['a'] }, sleep: { seconds: 31 } } } }),
    sleep,
  ),
  refused(
    'a long sleep of a sidecar',
    aPod({ initContainers: [{ ...main, name: 'first', restartPolicy: 'Always', lifecycle: { preStop: { sleep: { seconds: 31 } } } }] }),
    'spec.initContainers[0].lifecycle.preStop.sleep',
  ),
];

export const podVolumes: PodCase[] = [...claims, ...files, ...storage, ...mounts, ...blocks, ...fileVariables, ...handlers];
