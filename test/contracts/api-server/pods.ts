// Pods: what the server fills in, refuses and keeps apart; binding; the log's first answer.
import { describe, expect, test } from '@jest/globals';
import { mergePatch } from './client.ts';
import { aPod, causeFields, core, freshNamespace, withStatus } from './objects.ts';
import type { Fields, Suite } from './objects.ts';

const bindingTo = (node: string, metadata: Fields = {}): Fields => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name: 'a', ...metadata },
  target: { apiVersion: 'v1', kind: 'Node', name: node },
});

export function podsContract({ api }: Suite): void {
  describe('pods', () => {
    test('a plain pod gets its defaults', async () => {
      const namespace = await freshNamespace(api());
      const body = await api().create(core(namespace, 'pods'), aPod('a'));
      expect(body).toMatchObject({
        metadata: { generation: 1 },
        spec: {
          containers: [
            {
              name: 'main',
              image: 'busybox',
              resources: {},
              terminationMessagePath: '/dev/termination-log',
              terminationMessagePolicy: 'File',
              imagePullPolicy: 'Always',
            },
          ],
          restartPolicy: 'Always',
          terminationGracePeriodSeconds: 30,
          dnsPolicy: 'ClusterFirst',
          securityContext: {},
          schedulerName: 'default-scheduler',
          enableServiceLinks: true,
        },
        status: { phase: 'Pending', qosClass: 'BestEffort' },
      });
      expect(body.spec).not.toHaveProperty('nodeName');
    });

    test('an image with a tag is pulled if not present', async () => {
      const namespace = await freshNamespace(api());
      const body = await api().create(
        core(namespace, 'pods'),
        aPod('a', { spec: { containers: [{ name: 'main', image: 'busybox:1.36' }] } }),
      );
      expect(body.spec).toMatchObject({ containers: [{ imagePullPolicy: 'IfNotPresent' }] });
    });

    test('a status given at creation is thrown away', async () => {
      const namespace = await freshNamespace(api());
      const body = await api().create(core(namespace, 'pods'), { ...aPod('a'), status: { phase: 'Running', podIP: '1.2.3.4' } });
      expect(body.status).toMatchObject({ phase: 'Pending' });
      expect(body.status).not.toHaveProperty('podIP');
    });

    test.each<{ name: string; spec: Fields; fields: string[] }>([
      { name: 'no containers', spec: { containers: [] }, fields: ['spec.containers'] },
      { name: 'no image', spec: { containers: [{ name: 'main' }] }, fields: ['spec.containers[0].image'] },
      { name: 'no container name', spec: { containers: [{ image: 'x' }] }, fields: ['spec.containers[0].name'] },
      { name: 'an unusable container name', spec: { containers: [{ name: 'A_b', image: 'x' }] }, fields: ['spec.containers[0].name'] },
      {
        name: 'a container name twice',
        spec: {
          containers: [
            { name: 'main', image: 'x' },
            { name: 'main', image: 'x' },
          ],
        },
        fields: ['spec.containers[1].name'],
      },
      { name: 'an unknown restart policy', spec: { restartPolicy: 'Sometimes' }, fields: ['spec.restartPolicy'] },
      { name: 'an unknown DNS policy', spec: { dnsPolicy: 'Sometimes' }, fields: ['spec.dnsPolicy'] },
      { name: 'activeDeadlineSeconds 0', spec: { activeDeadlineSeconds: 0 }, fields: ['spec.activeDeadlineSeconds'] },
      { name: 'an unusable node name', spec: { nodeName: 'Not A Node' }, fields: ['spec.nodeName'] },
      { name: 'an unusable hostname', spec: { hostname: 'Not.A.Host' }, fields: ['spec.hostname'] },
      { name: 'an unusable node selector', spec: { nodeSelector: { k: 'not a value' } }, fields: ['spec.nodeSelector'] },
      {
        name: 'an environment variable without a name',
        spec: { containers: [{ name: 'main', image: 'x', env: [{ value: 'v' }] }] },
        fields: ['spec.containers[0].env[0].name'],
      },
      {
        name: 'a mount of no volume',
        spec: { containers: [{ name: 'main', image: 'x', volumeMounts: [{ name: 'v', mountPath: '/v' }] }] },
        fields: ['spec.containers[0].volumeMounts[0].name'],
      },
      {
        name: 'a request above its limit',
        spec: { containers: [{ name: 'main', image: 'x', resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }] },
        fields: ['spec.containers[0].resources.requests'],
      },
    ])('refused: $name', async ({ spec, fields }) => {
      const namespace = await freshNamespace(api());
      const { status, body } = await api().post(core(namespace, 'pods'), aPod('a', { spec }));
      expect(status).toBe(422);
      expect(body).toMatchObject({ reason: 'Invalid', details: { kind: 'Pod', name: 'a' } });
      expect(causeFields(body)).toEqual(fields);
    });

    test('of a running pod the spec stays, but for images and the like', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'pods'), aPod('a'));
      const renamed = await api().put(
        core(namespace, 'pods', 'a'),
        aPod('a', { spec: { containers: [{ name: 'other', image: 'busybox' }] } }),
      );
      expect(renamed.status).toBe(422);
      expect(causeFields(renamed.body)).toContain('spec');
      const read = await api().get(core(namespace, 'pods', 'a'));
      const replaced = await api().put(core(namespace, 'pods', 'a'), {
        ...read.body,
        spec: { ...read.body.spec, activeDeadlineSeconds: 60 },
      });
      expect(replaced.status).toBe(200);
      expect(replaced.body).toMatchObject({ metadata: { generation: 2 }, spec: { activeDeadlineSeconds: 60 } });
    });

    test('spec and status are written apart', async () => {
      const namespace = await freshNamespace(api());
      const made = await api().create(core(namespace, 'pods'), aPod('a'));
      const status = await api().put(core(namespace, 'pods', 'a/status'), {
        ...made,
        metadata: { ...made.metadata, labels: { k: 'v' } },
        spec: { ...made.spec, activeDeadlineSeconds: 5 },
        status: { phase: 'Running', podIP: '10.1.2.3', podIPs: [{ ip: '10.1.2.3' }] },
      });
      expect(status.status).toBe(200);
      expect(status.body).toMatchObject({
        metadata: { generation: 1 },
        status: { phase: 'Running', podIP: '10.1.2.3', podIPs: [{ ip: '10.1.2.3' }], qosClass: 'BestEffort' },
      });
      expect(status.body.spec).not.toHaveProperty('activeDeadlineSeconds');
      const whole = await api().put(core(namespace, 'pods', 'a'), withStatus(status.body, { phase: 'Failed' }));
      expect(whole.body.status).toMatchObject({ phase: 'Running' });
    });

    test('a status merges through a patch of the status', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'pods'), aPod('a'));
      const { status, body } = await api().patch(core(namespace, 'pods', 'a/status'), mergePatch, { status: { phase: 'Succeeded' } });
      expect(status).toBe(200);
      expect(body.status).toMatchObject({ phase: 'Succeeded', qosClass: 'BestEffort' });
      const ignored = await api().patch(core(namespace, 'pods', 'a'), mergePatch, { status: { phase: 'Failed' } });
      expect(ignored.body.status).toMatchObject({ phase: 'Succeeded' });
    });

    test('a binding gives the pod its node, once', async () => {
      const namespace = await freshNamespace(api());
      const made = await api().create(core(namespace, 'pods'), aPod('a'));
      const { status, body } = await api().post(core(namespace, 'pods', 'a/binding'), bindingTo('n1', { uid: made.metadata.uid }));
      expect(status).toBe(201);
      expect(body).toMatchObject({ kind: 'Status', status: 'Success' });
      const read = await api().get(core(namespace, 'pods', 'a'));
      expect(read.body).toMatchObject({
        spec: { nodeName: 'n1' },
        status: { conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: expect.stringMatching(/Z$/) }] },
      });
      const again = await api().post(core(namespace, 'pods', 'a/binding'), bindingTo('n2'));
      expect(again.status).toBe(409);
      expect(again.body.reason).toBe('Conflict');
    });

    test('a binding of another uid, of a deleted pod or of none is refused', async () => {
      const namespace = await freshNamespace(api());
      await api().create(core(namespace, 'pods'), aPod('a', { metadata: { finalizers: ['farloop.dev/hold'] } }));
      const wrong = await api().post(
        core(namespace, 'pods', 'a/binding'),
        bindingTo('n1', { uid: '00000000-0000-0000-0000-000000000000' }),
      );
      expect(wrong.status).toBe(409);
      await api().delete(core(namespace, 'pods', 'a'));
      const late = await api().post(core(namespace, 'pods', 'a/binding'), bindingTo('n1'));
      expect(late.status).toBe(409);
      const none = await api().post(core(namespace, 'pods', 'nobody/binding'), { ...bindingTo('n1'), metadata: { name: 'nobody' } });
      expect(none.status).toBe(404);
    });

    test('a gated pod cannot be bound', async () => {
      const namespace = await freshNamespace(api());
      const body = await api().create(core(namespace, 'pods'), aPod('a', { spec: { schedulingGates: [{ name: 'farloop.dev/wait' }] } }));
      expect(body.status).toMatchObject({ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] });
      const { status } = await api().post(core(namespace, 'pods', 'a/binding'), bindingTo('n1'));
      expect(status).toBe(409);
    });

    test('the log of a pod that is not there is NotFound', async () => {
      const namespace = await freshNamespace(api());
      const { status } = await api().get(core(namespace, 'pods', 'nobody/log'));
      expect(status).toBe(404);
    });
  });
}
