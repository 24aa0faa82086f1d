// What the volumes of a pod hold, written out as files.
import { describe, expect, test } from '@jest/globals';
import { resolved, sourcesNamedIn, type Resolution } from '../../../lib/objects/environment/environment.ts';
import type { ReadSource, ReadToken, Source, VolumeContent } from '../../../lib/objects/environment/sources.ts';
import { LASTING_TOKEN_SECONDS, tokensAskedIn } from '../../../lib/objects/environment/volumes.ts';
import type { Pod } from '../../../lib/objects/kubernetes.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const OBJECTS: Record<string, Source> = {
  'ConfigMap/settings': { metadata: { name: 'settings' }, data: { 'a.conf': 'α=1\n', 'b.conf': 'b' }, binaryData: { blob: '/wA=' } },
  'ConfigMap/more': { metadata: { name: 'more' }, data: { 'b.conf': 'later' } },
  'Secret/login': { metadata: { name: 'login' }, data: { password: base64('p') } },
};

interface Given {
  unreadable?: string;
  token?: ReadToken;
  pod?: object;
}

const podWith = (volumes: object[], spec: object = {}): Pod => ({
  metadata: { namespace: 'foo', name: 'p', uid: 'u-1', labels: { b: '2', a: '1' } },
  spec: { containers: [{ name: 'main', resources: { limits: { cpu: '1500m' } } }], volumes, ...spec },
});

function resolve(volumes: object[], { unreadable, token = { isWithheld: true }, pod = {} }: Given = {}): Resolution {
  return resolved(podWith(volumes, pod), {
    sourceOf: ({ kind, name }): ReadSource => {
      if (name === unreadable) return { unreadable: 'forbidden' };
      const source = OBJECTS[`${kind}/${name}`];
      return source ? { source } : { absent: true };
    },
    tokenOf: () => token,
    services: [],
    allocatable: { cpu: '4' },
  });
}

const contentsOf = (resolution: Resolution): readonly VolumeContent[] => {
  if ('problem' in resolution) throw new Error(resolution.problem);
  return resolution.pod.volumeContents ?? [];
};
/** `path mode text` of each file, by volume. */
const files = (volumes: object[], given?: Given): Record<string, string[]> =>
  Object.fromEntries(
    contentsOf(resolve(volumes, given)).map((volume) => [
      volume.name,
      volume.files.map(({ path, mode, data }) => `${path} ${mode.toString(8)} ${Buffer.from(data, 'base64').toString()}`),
    ]),
  );
const problemOf = (volumes: object[], given?: Given): string | undefined => {
  const resolution = resolve(volumes, given);
  return 'problem' in resolution ? resolution.problem : undefined;
};
const eventsOf = (volumes: object[], given?: Given): string[] =>
  resolve(volumes, given).events.map(({ reason, message }) => `${reason}: ${message}`);

const token = { path: 'token', expirationSeconds: LASTING_TOKEN_SECONDS };
/** As an API server adds it to nearly every pod. */
const ACCESS = {
  name: 'kube-api-access-x1y2z',
  projected: {
    defaultMode: 420,
    sources: [
      { serviceAccountToken: token },
      { configMap: { name: 'settings', items: [{ key: 'a.conf', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
    ],
  },
};

describe('files', () => {
  test('of volumes that hold data, in the order of the volumes and by path; others are left to the provider', () => {
    const volumes = [
      { name: 'scratch', emptyDir: {} },
      { name: 'login', secret: { secretName: 'login', defaultMode: 0o400 } },
      { name: 'claim', persistentVolumeClaim: { claimName: 'data' } },
      { name: 'settings', configMap: { name: 'settings' } },
    ];
    expect(files(volumes)).toEqual({
      login: ['password 400 p'],
      settings: ['a.conf 644 α=1\n', 'b.conf 644 b', `blob 644 ${Buffer.from([0xff, 0]).toString()}`],
    });
    expect(contentsOf(resolve(volumes)).map(({ name }) => name)).toEqual(['login', 'settings']);
  });

  test('items choose keys, paths and modes', () => {
    const items = [{ key: 'b.conf', path: 'below/b', mode: 0o600 }];
    expect(files([{ name: 'v', configMap: { name: 'settings', items, defaultMode: 0o440 } }])).toEqual({ v: ['below/b 600 b'] });
  });

  test('a later projection replaces a file of the same path', () => {
    const sources = [{ configMap: { name: 'settings' } }, { configMap: { name: 'more' } }, { secret: { name: 'login' } }];
    expect(files([{ name: 'v', projected: { sources } }])['v']).toEqual(
      expect.arrayContaining(['a.conf 644 α=1\n', 'b.conf 644 later', 'password 644 p']),
    );
  });

  test('downward fields and resources', () => {
    const items = [
      { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
      { path: 'cpu', resourceFieldRef: { containerName: 'main', resource: 'limits.cpu' }, mode: 0o444 },
    ];
    expect(files([{ name: 'v', downwardAPI: { items } }])).toEqual({ v: ['cpu 444 2', 'labels 644 a="1"\nb="2"'] });
  });

  test('a pod without such volumes has none beside it', () => {
    expect(contentsOf(resolve([{ name: 'scratch', emptyDir: {} }]))).toEqual([]);
  });

  test('what they name is read once, beside what variables name', () => {
    const pod = podWith([ACCESS, { name: 'v', configMap: { name: 'settings' } }], {
      containers: [{ name: 'main', envFrom: [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'login' } }] }],
    });
    expect(sourcesNamedIn(pod)).toEqual([
      { kind: 'ConfigMap', name: 'settings' },
      { kind: 'Secret', name: 'login' },
    ]);
  });
});

describe('what is missing', () => {
  test.each([
    ['a config map', { configMap: { name: 'none' } }, 'configmap "none" not found'],
    ['a secret', { secret: { secretName: 'none' } }, 'secret "none" not found'],
    [
      'a key of a config map',
      { configMap: { name: 'settings', items: [{ key: 'c', path: 'c' }] } },
      'references non-existent config key: c',
    ],
    ['a key of a secret', { secret: { secretName: 'login', items: [{ key: 'c', path: 'c' }] } }, 'references non-existent secret key: c'],
    [
      'a projection that is none of these',
      { projected: { sources: [{ clusterTrustBundle: { path: 'x' } }] } },
      'a projection of clusterTrustBundle cannot be written out for a virtual node; leave it out',
    ],
    [
      'a field that is known too late',
      { downwardAPI: { items: [{ path: 'ip', fieldRef: { fieldPath: 'status.podIP' } }] } },
      'unsupported fieldPath: status.podIP',
    ],
  ])('%s', (_what, volume, problem) => {
    const volumes = [{ name: 'v', ...volume }];
    expect(problemOf(volumes)).toBe(problem);
    expect(eventsOf(volumes)).toEqual([`FailedMount: MountVolume.SetUp failed for volume "v" : ${problem}`]);
  });

  test('what may be missing is left out', () => {
    const optional = { optional: true };
    const sources = [
      { configMap: { name: 'none', ...optional } },
      { secret: { name: 'login', items: [{ key: 'c', path: 'c' }], ...optional } },
    ];
    expect(files([{ name: 'v', projected: { sources } }])).toEqual({ v: [] });
  });

  test('an object that may not be read holds the pod up, also an optional one', () => {
    const volume = { name: 'v', configMap: { name: 'settings', optional: true } };
    expect(problemOf([volume], { unreadable: 'settings' })).toBe('failed to read configmap "settings": forbidden');
  });
});

describe('trap 21: tokens of service accounts', () => {
  test('are asked for by audience and time, each once', () => {
    const sources = [
      { serviceAccountToken: token },
      { serviceAccountToken: { ...token, path: 'again' } },
      { serviceAccountToken: { path: 'v', audience: 'vault', expirationSeconds: 600 } },
      { serviceAccountToken: { path: 'plain' } },
    ];
    expect(tokensAskedIn(podWith([{ name: 'v', projected: { sources } }]))).toEqual([
      { expirationSeconds: LASTING_TOKEN_SECONDS },
      { audience: 'vault', expirationSeconds: 600 },
      { expirationSeconds: 3_600 },
    ]);
  });

  test('lie beside the other files', () => {
    expect(files([ACCESS], { token: { token: 'ey.J.x' } })).toEqual({
      [ACCESS.name]: ['ca.crt 644 α=1\n', 'namespace 644 foo', 'token 644 ey.J.x'],
    });
    expect(eventsOf([ACCESS], { token: { token: 'ey.J.x' } })).toEqual([]);
  });

  test('a withheld one is told, and the pod starts without it', () => {
    expect(files([ACCESS])).toEqual({ [ACCESS.name]: ['ca.crt 644 α=1\n', 'namespace 644 foo'] });
    expect(eventsOf([ACCESS])).toEqual([
      'ServiceAccountTokenWithheld: volume "kube-api-access-x1y2z" has no token of serviceaccount "default": virtual nodes get them with --node-tokens; a pod that needs none says automountServiceAccountToken: false',
    ]);
  });

  test('one that ends is told, for nobody renews it', () => {
    const sources = [{ serviceAccountToken: { path: 'v', audience: 'vault', expirationSeconds: 600 } }];
    expect(eventsOf([{ name: 'v', projected: { sources } }], { token: { token: 't' }, pod: { serviceAccountName: 'builder' } })).toEqual([
      'ServiceAccountTokenNotRenewed: the token of "builder" in volume "v" ends after 600 s; a virtual node does not renew it',
    ]);
  });

  test('an account that is not there, or a refusal, holds the pod up', () => {
    expect(problemOf([ACCESS], { token: { absent: true } })).toBe('serviceaccount "default" not found');
    expect(problemOf([ACCESS], { token: { unreadable: 'no' } })).toBe('failed to fetch a token of serviceaccount "default": no');
  });
});
