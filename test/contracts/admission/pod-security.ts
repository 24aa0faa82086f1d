// New pods with wishes about what they share with their host and what they may do there, taken and refused.
import type { Container, Pod, PodSpec } from '../../../lib/objects/kubernetes.ts';
import { aPod } from './judge.ts';
import type { PodCase } from './judge.ts';

const taken = (name: string, pod: Pod): PodCase => ({ name, pod, code: 201 });
const refused = (name: string, pod: Pod, ...fields: string[]): PodCase => ({ name, pod, code: 422, fields: fields.toSorted() });

const main = { name: 'main', image: 'busybox' };
const withContext = (securityContext: object): Pod => aPod({ securityContext });
const inContainer = (securityContext: object, spec: Partial<PodSpec> = {}): Pod =>
  aPod({ containers: [{ ...main, securityContext }], ...spec });
const [context, containerContext] = ['spec.securityContext', 'spec.containers[0].securityContext'];

const appArmor = (appArmorProfile: object): Pod => withContext({ appArmorProfile });
const sysctls = (names: string[], spec: Partial<PodSpec> = {}): Pod =>
  aPod({ securityContext: { sysctls: names.map((name) => ({ name, value: '1' })) }, ...spec });

const contexts: PodCase[] = [
  taken('an AppArmor profile of the host', appArmor({ type: 'Localhost', localhostProfile: 'a b' })),
  refused('an AppArmor profile of no kind', appArmor({}), `${context}.appArmorProfile.type`),
  refused('an unknown kind of AppArmor profile', appArmor({ type: 'Strict', localhostProfile: 'a' }), `${context}.appArmorProfile.type`),
  refused('an AppArmor profile of the host without a name', appArmor({ type: 'Localhost' }), `${context}.appArmorProfile.localhostProfile`),
  refused(
    'an AppArmor profile with a blank before its name',
    appArmor({ type: 'Localhost', localhostProfile: ' a' }),
    `${context}.appArmorProfile.localhostProfile`,
  ),
  refused(
    'an AppArmor profile whose name is too long',
    appArmor({ type: 'Localhost', localhostProfile: 'x'.repeat(4096) }),
    `${context}.appArmorProfile.localhostProfile`,
  ),
  refused(
    'the name of an AppArmor profile that has none',
    appArmor({ type: 'Unconfined', localhostProfile: 'a' }),
    `${context}.appArmorProfile.localhostProfile`,
  ),
  refused(
    'an AppArmor profile of a container without a name',
    inContainer({ appArmorProfile: { type: 'Localhost' } }),
    `${containerContext}.appArmorProfile.localhostProfile`,
  ),
  taken('labels of files changed one by one', withContext({ seLinuxChangePolicy: 'Recursive' })),
  refused(
    'labels of files by mount, which is not on',
    withContext({ seLinuxChangePolicy: 'MountOption' }),
    `${context}.seLinuxChangePolicy`,
  ),
  taken('sysctls', sysctls(['net.core.somaxconn', 'kernel/shm_rmid_forced', 'net/ipv4/conf/eth0.1/arp_filter'])),
  refused(
    'sysctls with bad names',
    sysctls(['a b', '', 'A.b', 'a..b', `a.${'b'.repeat(252)}`]),
    ...[0, 1, 2, 3, 4].map((at) => `${context}.sysctls[${at}].name`),
  ),
  refused('a sysctl twice', sysctls(['kernel.sem', 'kernel.sem']), `${context}.sysctls[1].name`),
  refused(
    "sysctls of namespaces that are the host's",
    sysctls(['vm.swappiness', 'net/core/somaxconn', 'kernel.sem', 'fs.mqueue.msg_max'], { hostNetwork: true, hostIPC: true }),
    ...[1, 2, 3].map((at) => `${context}.sysctls[${at}].name`),
  ),
  refused('an unknown kind of /proc', inContainer({ procMount: 'Half' }), `${containerContext}.procMount`),
  refused('all of /proc for users of the host', inContainer({ procMount: 'Unmasked' }), `${containerContext}.procMount`),
  taken('all of /proc for users of its own', inContainer({ procMount: 'Unmasked' }, { hostUsers: false })),
  refused(
    'an administrator that may not escalate',
    inContainer({ allowPrivilegeEscalation: false, capabilities: { add: ['CAP_SYS_ADMIN'] } }),
    containerContext,
  ),
  taken(
    'an administrator by the shorter name that may not escalate',
    inContainer({ allowPrivilegeEscalation: false, capabilities: { add: ['SYS_ADMIN'] } }),
  ),
];

const device = { name: 'data', devicePath: '/dev/a' };

const hosts: PodCase[] = [
  taken('users of its own', aPod({ hostUsers: false })),
  taken('all of its host', aPod({ hostUsers: true, hostNetwork: true, hostPID: true, hostIPC: true })),
  refused(
    'users of its own, and all else of its host',
    aPod({ hostUsers: false, hostNetwork: true, hostPID: true, hostIPC: true }),
    'spec.HostIPC',
    'spec.HostPID',
    'spec.hostNetwork',
  ),
  refused(
    'users of its own, and devices',
    aPod({
      hostUsers: false,
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'a' } }],
      initContainers: [{ ...main, name: 'first', volumeDevices: [device] }],
      containers: [{ ...main, volumeDevices: [device] }],
    }),
    'spec.containers[0].volumeDevices',
    'spec.initContainers[0].volumeDevices',
  ),
  taken('another hostname', aPod({ hostnameOverride: 'a.b', hostname: 'c' })),
  taken('another hostname at its longest', aPod({ hostnameOverride: 'a'.repeat(63) })),
  ...['', 'A', 'a_b', 'a..b', `${'a'.repeat(60)}.${'b'.repeat(4)}`].map((hostnameOverride) =>
    refused(`the other hostname ${JSON.stringify(hostnameOverride)}`, aPod({ hostnameOverride }), 'spec.hostnameOverride'),
  ),
  refused("another hostname than the host's", aPod({ hostnameOverride: 'a', hostNetwork: true }), 'spec.hostnameOverride'),
  refused('another hostname than the full one', aPod({ hostnameOverride: 'a', setHostnameAsFQDN: true }), 'spec.hostnameOverride'),
];

const notForWindowsPods = {
  appArmorProfile: { type: 'Unconfined' },
  seLinuxOptions: {},
  seccompProfile: { type: 'Unconfined' },
  fsGroup: 1,
  fsGroupChangePolicy: 'Always',
  sysctls: [{ name: 'a', value: 'b' }],
  runAsUser: 1,
  runAsGroup: 1,
  supplementalGroups: [1],
  supplementalGroupsPolicy: 'Merge',
  seLinuxChangePolicy: 'Recursive',
};
const notForWindowsContainers = {
  appArmorProfile: { type: 'Unconfined' },
  seLinuxOptions: {},
  seccompProfile: { type: 'Unconfined' },
  capabilities: {},
  readOnlyRootFilesystem: false,
  privileged: false,
  allowPrivilegeEscalation: true,
  procMount: 'Default',
  runAsUser: 1,
  runAsGroup: 1,
};
const onWindows = (spec: Partial<PodSpec> = {}): Pod => aPod({ os: { name: 'windows' }, ...spec });
const asUser = (runAsUserName: string): Pod => withContext({ windowsOptions: { runAsUserName } });
const hostProcess = (isOne: boolean): Partial<Container> => ({ securityContext: { windowsOptions: { hostProcess: isOne } } });
const userName = `${context}.windowsOptions.runAsUserName`;

const systems: PodCase[] = [
  refused('a system without a name', aPod({ os: {} }), 'spec.os.name'),
  refused('an unknown system', aPod({ os: { name: 'plan9' } }), 'spec.os'),
  taken('Linux, with all that is for it', aPod({ os: { name: 'linux' }, hostUsers: true, securityContext: notForWindowsPods })),
  refused(
    'Linux with options for Windows',
    aPod({
      os: { name: 'linux' },
      securityContext: { windowsOptions: {} },
      containers: [{ ...main, ...hostProcess(false) }],
    }),
    `${context}.windowsOptions`,
    `${containerContext}.windowsOptions`,
  ),
  taken('Windows', onWindows({ hostPID: false, securityContext: { runAsNonRoot: true, windowsOptions: { runAsUserName: 'a' } } })),
  refused(
    'Windows with what only Linux has',
    onWindows({ hostUsers: true, hostPID: true, hostIPC: true, shareProcessNamespace: false, securityContext: notForWindowsPods }),
    ...['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace'].map((name) => `spec.${name}`),
    ...Object.keys(notForWindowsPods).map((name) => `${context}.${name}`),
  ),
  refused(
    'Windows with containers that have what only Linux has',
    onWindows({ containers: [{ ...main, securityContext: notForWindowsContainers }] }),
    ...Object.keys(notForWindowsContainers).map((name) => `${containerContext}.${name}`),
  ),
  refused('Windows with resources of the whole pod', onWindows({ resources: { limits: { cpu: '1' } } }), 'spec.resources'),
  ...['a', String.raw`NT AUTHORITY\SYSTEM`, String.raw`a.b.c\u`, String.raw`toolongfornetbios\u`, 'x'.repeat(104)].map((name) =>
    taken(`a Windows user named ${name.slice(0, 20)}`, asUser(name)),
  ),
  ...['', 'a\tb', String.raw`a\b\c`, 'a\\', String.raw`\b`, String.raw`.x\u`, '. .', 'a@b', 'x'.repeat(105), `${'d'.repeat(256)}\\u`].map(
    (name) => refused(`a Windows user named ${JSON.stringify(name.slice(0, 20))}`, asUser(name), userName),
  ),
  refused(
    'credentials of Windows that are none',
    withContext({ windowsOptions: { gmsaCredentialSpecName: 'A B', gmsaCredentialSpec: '' } }),
    `${context}.windowsOptions.gmsaCredentialSpec`,
    `${context}.windowsOptions.gmsaCredentialSpecName`,
  ),
  refused(
    'credentials of Windows that are too large',
    inContainer({ windowsOptions: { gmsaCredentialSpec: 'x'.repeat(65_537) } }),
    `${containerContext}.windowsOptions.gmsaCredentialSpec`,
  ),
  taken('processes of the host', aPod({ hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } })),
  refused('processes of the host off its network', aPod({ containers: [{ ...main, ...hostProcess(true) }] }), 'spec.hostNetwork'),
  refused(
    'a process of the host beside another container',
    aPod({
      hostNetwork: true,
      containers: [
        { ...main, ...hostProcess(true) },
        { ...main, name: 'other' },
      ],
    }),
    'spec',
  ),
  refused(
    'a process of the host in a pod that has none',
    aPod({
      hostNetwork: true,
      securityContext: { windowsOptions: { hostProcess: false } },
      containers: [{ ...main, ...hostProcess(true) }],
    }),
    `${containerContext}.windowsOptions.hostProcess`,
  ),
];

export const podSecurity: PodCase[] = [...contexts, ...hosts, ...systems];
