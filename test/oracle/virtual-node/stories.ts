// What is played to both controllers. Names are those of namespaces.
import type { KubernetesObject } from '../../../lib/objects/kubernetes.ts';
import type { Answer } from './scripted-provider.ts';
import { ended, pending, running, type Acts, type Step, type Story } from './story.ts';

const REFUSED: Answer = { status: 400, body: 'the image is forbidden here' };
const BROKEN: Answer = { status: 500, body: 'the disk is full' };

const story = (name: string, ...steps: Step[]): Story => ({ name, steps });
const step = (says: string, act: Step['act']): Step => ({ says, act });
const created = (spec: object = {}, metadata: object = {}): Step => step('created', async ({ pod }) => await pod('p', spec, metadata));
const deleted = (grace?: number): Step => step('deleted', async ({ remove }) => await remove('p', grace));
const taskIs = (says: string, status: Parameters<Acts['task']>[1]): Step => step(says, async ({ task }) => task('p', status));
const changed = (says: string, patch: object): Step => step(says, async ({ change }) => await change('p', patch));
const scripted = (...script: Parameters<Acts['answers']>[]): Step =>
  step('scripted', async ({ answers }) => {
    for (const each of script) answers(...each);
  });

const CREATE: Story[] = [
  story('runs', created()),
  story(
    'two-containers',
    created({
      containers: [
        { name: 'one', image: 'a' },
        { name: 'two', image: 'b' },
      ],
    }),
  ),
  story('init-container', created({ initContainers: [{ name: 'first', image: 'a' }] })),
  story('refused-never', scripted(['p', 'createPod', [REFUSED, REFUSED, REFUSED, REFUSED]]), created()),
  story('refused-always', scripted(['p', 'createPod', [REFUSED]]), created({ restartPolicy: 'Always' })),
  story('refused-on-failure', scripted(['p', 'createPod', [REFUSED]]), created({ restartPolicy: 'OnFailure' })),
  story('broken-never', scripted(['p', 'createPod', [BROKEN]]), created()),
  story('broken-always', scripted(['p', 'createPod', [BROKEN, BROKEN]]), created({ restartPolicy: 'Always' })),
  story('create-cut', scripted(['p', 'createPod', ['cut']]), created({ restartPolicy: 'Always' })),
  story('create-answers-nonsense', scripted(['p', 'createPod', [{ status: 200, body: '<html>' }]]), created()),
  story('another-node', created({ nodeName: 'far' })),
  story('begins-later', scripted(), created(), taskIs('it begins', pending()), taskIs('it runs', running())),
  story(
    'deleted-while-refused',
    scripted(['p', 'createPod', [BROKEN, BROKEN, BROKEN, BROKEN, BROKEN]]),
    created({ restartPolicy: 'Always' }),
    deleted(),
  ),
];

const UPDATE: Story[] = [
  story('label-added', created(), changed('labelled', { metadata: { labels: { a: '1' } } })),
  story('label-removed', created({}, { labels: { a: '1' } }), changed('unlabelled', { metadata: { labels: { a: null } } })),
  story('annotation-changed', created({}, { annotations: { a: '1' } }), changed('annotated', { metadata: { annotations: { a: '2' } } })),
  story('deadline-set', created(), changed('bounded', { spec: { activeDeadlineSeconds: 3_600 } })),
  story('image-changed', created(), changed('exchanged', { spec: { containers: [{ name: 'main', image: 'two' }] } })),
  story(
    'changed-twice',
    created(),
    changed('first', { metadata: { labels: { a: '1' } } }),
    changed('second', { metadata: { labels: { a: '2' } } }),
  ),
  story('finalizer-added', created(), changed('held', { metadata: { finalizers: ['example.com/hold'] } })),
  story('update-broken', scripted(['p', 'updatePod', [BROKEN]]), created(), changed('labelled', { metadata: { labels: { a: '1' } } })),
  story(
    'update-refused',
    scripted(['p', 'updatePod', [REFUSED, REFUSED, REFUSED, REFUSED, REFUSED, REFUSED, REFUSED, REFUSED]]),
    created(),
    changed('labelled', { metadata: { labels: { a: '1' } } }),
  ),
  story('ended-and-changed', created(), taskIs('it ends', ended(0)), changed('labelled', { metadata: { labels: { a: '1' } } })),
];

const STATUS: Story[] = [
  story('succeeds', created(), taskIs('it ends', ended(0))),
  story('fails', created(), taskIs('it ends', ended(3))),
  story(
    'restarts',
    created({ restartPolicy: 'Always' }),
    taskIs(
      'it was started again',
      running(['main'], {
        containerStatuses: [{ name: 'main', ready: true, restartCount: 2, state: { running: { startedAt: '2026-01-01T00:01:00Z' } } }],
      }),
    ),
  ),
  story(
    'not-ready',
    created(),
    taskIs(
      'it is not ready',
      running(['main'], {
        conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }],
        containerStatuses: [{ name: 'main', ready: false, restartCount: 0, state: { running: { startedAt: '2026-01-01T00:00:00Z' } } }],
      }),
    ),
    taskIs('it is ready again', running()),
  ),
  story(
    'says-why',
    created(),
    taskIs('it is slow', running(['main'], { reason: 'Slow', message: 'the machine is old' })),
    taskIs('it is well', running()),
  ),
  story('goes-back', created(), taskIs('it is pending again', pending())),
  story('ends-and-runs', created(), taskIs('it ends', ended(0)), taskIs('it runs', running())),
  story(
    'one-of-two-ends',
    created({
      containers: [
        { name: 'one', image: 'a' },
        { name: 'two', image: 'b' },
      ],
    }),
    taskIs(
      'one has ended',
      running(['one', 'two'], {
        containerStatuses: [
          { name: 'one', ready: false, restartCount: 0, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
          { name: 'two', ready: true, restartCount: 0, state: { running: {} } },
        ],
      }),
    ),
  ),
  story(
    'others-condition',
    created(),
    step(
      'somebody adds one',
      async ({ change }) => await change('p', { status: { conditions: [{ type: 'example.com/Gate', status: 'True' }] } }, 'status'),
    ),
    taskIs('it ends', ended(0)),
  ),
  story(
    'others-not-ready',
    created(),
    step(
      'the controller manager gives it up',
      async ({ change }) =>
        await change('p', { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'NodeNotReady' }] } }, 'status'),
    ),
  ),
  story(
    'vanishes',
    created(),
    step('its task is lost', async ({ task, waitFor, phaseOf }) => {
      task('p', undefined);
      await waitFor('it has failed', () => phaseOf('p') === 'Failed');
    }),
  ),
];

const DELETE: Story[] = [
  story('deleted', created(), deleted()),
  story('deleted-by-force', created(), deleted(0)),
  story(
    'deleted-and-held',
    created({}, { finalizers: ['example.com/hold'] }),
    deleted(),
    changed('let go', { metadata: { finalizers: null } }),
  ),
  story('deleted-after-its-end', created(), taskIs('it ends', ended(0)), deleted()),
  story('deleted-after-refusal', scripted(['p', 'createPod', [REFUSED]]), created(), deleted()),
  story('delete-broken', scripted(['p', 'deletePod', [BROKEN]]), created(), deleted()),
  story(
    'delete-unknown',
    scripted(['p', 'deletePod', [{ status: 404, body: 'no such pod' }]]),
    created(),
    step('deleted', async ({ remove, waitFor, phaseOf }) => {
      await remove('p');
      await waitFor('it is gone', () => phaseOf('p') === 'gone');
    }),
  ),
  story(
    'ends-slowly',
    created(),
    step('deleted', async ({ endsSlowly, remove }) => {
      endsSlowly('p');
      await remove('p', 30);
    }),
    taskIs('it ends', ended(137)),
  ),
  story('deleted-while-broken', scripted(['p', 'deletePod', [BROKEN, BROKEN, BROKEN]]), created(), deleted()),
  story(
    'again-by-that-name',
    created(),
    deleted(),
    step('made again', async ({ pod }) => await pod('p')),
  ),
];

const map = (name: string, data: Record<string, string>): KubernetesObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }) as KubernetesObject;
const secret = (name: string, stringData: Record<string, string>): KubernetesObject =>
  ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData }) as KubernetesObject;
const withEnv = (env: object[], more: object = {}): object => ({ containers: [{ name: 'main', image: 'one', env, ...more }] });
const from = (source: object, name = 'A'): object => ({ name, valueFrom: source });
const there = (...objects: KubernetesObject[]): Step =>
  step('there', async ({ create }) => {
    for (const object of objects) await create(object);
  });
const fields = (...paths: string[]): object => withEnv(paths.map((fieldPath, at) => from({ fieldRef: { fieldPath } }, `F${at}`)));

const ENVIRONMENT: Story[] = [
  story(
    'env-literal',
    created(
      withEnv([
        { name: 'A', value: '1' },
        { name: 'B', value: '$(A)-$(NONE)-$$(A)' },
      ]),
    ),
  ),
  story('env-config-map', there(map('m', { a: '1' })), created(withEnv([from({ configMapKeyRef: { name: 'm', key: 'a' } })]))),
  story('env-secret', there(secret('s', { a: 'gehäm' })), created(withEnv([from({ secretKeyRef: { name: 's', key: 'a' } })]))),
  story(
    'env-from-both',
    there(map('m', { A: '1', B: '2', '1st': 'x' }), secret('s', { B: '3' })),
    created(
      withEnv([{ name: 'C', value: '$(A)$(P_B)' }], {
        envFrom: [{ configMapRef: { name: 'm' } }, { prefix: 'P_', secretRef: { name: 's' } }],
      }),
    ),
  ),
  story(
    'env-optional-missing',
    created(
      withEnv([
        from({ configMapKeyRef: { name: 'm', key: 'a', optional: true } }),
        from({ secretKeyRef: { name: 's', key: 'a', optional: true } }, 'B'),
      ]),
    ),
  ),
  story(
    'env-optional-key-missing',
    there(map('m', { b: '1' }), secret('s', { b: '1' })),
    created(
      withEnv([
        from({ configMapKeyRef: { name: 'm', key: 'a', optional: true } }),
        from({ secretKeyRef: { name: 's', key: 'a', optional: true } }, 'B'),
      ]),
    ),
  ),
  story(
    'env-from-optional-missing',
    created(withEnv([], { envFrom: [{ configMapRef: { name: 'm', optional: true } }, { secretRef: { name: 's', optional: true } }] })),
  ),
  story(
    'env-missing-then-there',
    created(withEnv([from({ configMapKeyRef: { name: 'm', key: 'a' } })])),
    step('made', async ({ create, waitFor, wasCalled }) => {
      await create(map('m', { a: '1' }));
      await waitFor('it is created', () => wasCalled('p', 'createPod'));
    }),
  ),
  story('env-secret-missing', created(withEnv([from({ secretKeyRef: { name: 's', key: 'a' } })]))),
  story('env-key-missing', there(map('m', { b: '1' })), created(withEnv([from({ configMapKeyRef: { name: 'm', key: 'a' } })]))),
  story('env-from-missing', created(withEnv([], { envFrom: [{ secretRef: { name: 's' } }] }))),
  story(
    'env-fields',
    created(
      fields(
        'metadata.name',
        'metadata.namespace',
        'spec.nodeName',
        'spec.serviceAccountName',
        "metadata.labels['a']",
        "metadata.annotations['b']",
      ),
      { labels: { a: 'x' }, annotations: { b: 'y' } },
    ),
  ),
  story('env-pod-ip', created(fields('status.podIP'))),
  story(
    'env-resources',
    created(withEnv([from({ resourceFieldRef: { resource: 'limits.cpu' } })], { resources: { limits: { cpu: '1500m' } } })),
  ),
  story(
    'env-services',
    there({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'db-main' },
      spec: {
        ports: [
          { name: 'sql', port: 5432 },
          { name: 'udp', port: 53, protocol: 'UDP' },
        ],
      },
    } as KubernetesObject),
    created({ enableServiceLinks: true, ...withEnv([{ name: 'A', value: '$(DB_MAIN_SERVICE_HOST)' }]) }),
  ),
  story(
    'env-headless',
    there({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'none' },
      spec: { clusterIP: 'None', ports: [{ port: 80 }] },
    } as KubernetesObject),
    created({ enableServiceLinks: true }),
  ),
];

const anew = (says: string, meanwhile?: (acts: Acts) => Promise<void>): Step =>
  step(says, async (acts) => await acts.restart(meanwhile && (async () => await meanwhile(acts))));
const RESTART: Story[] = [
  story('restart-running', created(), anew('begun anew')),
  story(
    'restart-deleted',
    created(),
    anew('deleted meanwhile', async ({ remove }) => await remove('p', 30)),
  ),
  story(
    'restart-gone',
    created(),
    step('deleted by force meanwhile', async ({ restart, remove, waitFor, wasCalled }) => {
      await restart(async () => await remove('p', 0));
      await waitFor('its task is stopped', () => wasCalled('p', 'deletePod'));
    }),
  ),
  story(
    'restart-changed',
    created(),
    anew('labelled meanwhile', async ({ change }) => await change('p', { metadata: { labels: { a: '1' } } })),
  ),
  story(
    'restart-ended',
    created(),
    anew('ended meanwhile', async ({ task }) => task('p', ended(3))),
  ),
  story(
    'restart-created',
    step('nothing yet', async () => {}),
    anew('created meanwhile', async ({ pod }) => await pod('p')),
  ),
  story(
    'restart-stray',
    step('a task of nobody', async ({ stray }) => stray('p')),
    anew('begun anew'),
  ),
].map((each) => ({ ...each, restarts: true as const }));

export const STORIES: readonly Story[] = [...CREATE, ...UPDATE, ...STATUS, ...DELETE, ...ENVIRONMENT, ...RESTART];
