// A Head with the decision of an earlier pass: it is carried out, and victims are never chosen again.
import { describe, expect, test } from '@jest/globals';
import { aNode, anAgent, aPod, evictedBy, planned } from './documents.ts';

const half = { requests: { cpu: '500m' } };
const agent = anAgent({ requests: { cpu: '900m' } });
const [web, db] = [aPod('shop/web', half), aPod('shop/db', half)];
const victim = (name: string, more: object = {}) => ({
  namespace: 'shop',
  name,
  uid: `uid-of-${name}`,
  deadline: '2026-05-01T10:00:45Z',
  ...more,
});
const headOf = (admission: object) => ({ apiVersion: 'farloop.dev/v1', kind: 'Head', admission });
const waitingFor = (...victims: object[]) => headOf({ state: 'preempting', preemption: { victims } });
const NAMES = [
  { namespace: 'shop', name: 'web', uid: 'uid-of-web' },
  { namespace: 'shop', name: 'db', uid: 'uid-of-db' },
];

test.each([{ head: { apiVersion: 'farloop.dev/v1', kind: 'Head' } }, { head: headOf({ state: 'new' }) }])(
  'a Head without a decision changes nothing: $head',
  ({ head }) => {
    const alone = planned([aNode(), web, db, agent]);
    expect(planned([aNode(), web, db, agent, head])).toEqual(alone);
    expect(alone.admission).toMatchObject({ state: 'preempting' });
  },
);

describe('preempting', () => {
  test('the same victims are evicted again, though others would be chosen now, until they have ended', () => {
    const plan = planned([aNode(), web, db, aPod('shop/idle', half), agent, waitingFor(victim('web'), victim('db'))]);
    expect(evictedBy(plan)).toEqual(['shop/web', 'shop/db']);
    expect(plan).toMatchObject({
      outcome: 'acted',
      requeueAfterSeconds: 45,
      why: ['an earlier pass decided: preempting', expect.any(String)],
    });
    expect(plan.admission).toEqual({ state: 'preempting', failures: [], victims: NAMES });
  });

  test.each([
    { name: 'has a final phase', pods: [db, { ...web, status: { phase: 'Failed' } }], noted: {} },
    { name: 'is gone', pods: [db], noted: {} },
    { name: 'is noted as ended', pods: [db, web], noted: { done: true } },
    { name: 'is noted as failed to end', pods: [db, web], noted: { failed: true } },
  ])('one that $name is not waited for', ({ pods, noted }) => {
    const plan = planned([aNode(), ...pods, agent, waitingFor(victim('web', noted), victim('db'))]);
    expect(evictedBy(plan)).toEqual(['shop/db']);
    expect(plan.admission).toMatchObject({ state: 'preempting', victims: NAMES });
  });

  test('the last end admits, without another check', () => {
    const plan = planned([aNode({ cpu: '1m', pods: '1' }), agent, waitingFor(victim('web'), victim('db'))]);
    expect(plan).toMatchObject({ actions: [], outcome: 'converged', admission: { state: 'admitted', failures: [], victims: NAMES } });
    expect(plan.requeueAfterSeconds).toBeUndefined();
  });

  test('a deadline counts as an end, and is told on the victim', () => {
    const head = waitingFor(victim('web', { deadline: '2026-05-01T09:59:59Z' }), victim('db'));
    const objects = [aNode(), web, db, agent, head];
    const [late, ...others] = planned(objects).actions;
    expect(late).toEqual({
      verb: 'event',
      type: 'Warning',
      reason: 'ExceededGracePeriod',
      message: 'Container runtime did not kill the pod within specified grace period.',
      regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web', uid: 'uid-of-web' },
    });
    expect(others).toMatchObject([
      { verb: 'event', reason: 'Preempting' },
      { verb: 'evict', name: 'db' },
    ]);
    const after = planned(objects, { now: '2026-05-01T10:00:45Z' });
    expect(after).toMatchObject({ outcome: 'acted', admission: { state: 'admitted' } });
    expect(after.actions).toMatchObject([{ reason: 'ExceededGracePeriod' }, { reason: 'ExceededGracePeriod' }]);
  });

  test('a pod that is deleted meanwhile waits no longer, and evicts nobody', () => {
    const deleted = { ...agent, metadata: { ...agent.metadata, deletionTimestamp: '2026-05-01T10:00:00Z' } };
    expect(planned([aNode(), web, deleted, waitingFor(victim('web'))])).toMatchObject({
      actions: [],
      outcome: 'converged',
      admission: { state: 'cancelled' },
    });
  });
});

describe('final decisions', () => {
  test.each(['admitted', 'cancelled'])('%s stays so on a node that is too full by now', (state) => {
    expect(planned([aNode({ cpu: '1m', pods: '1' }), web, agent, headOf({ state })])).toMatchObject({
      actions: [],
      outcome: 'converged',
      admission: { state, failures: [], victims: [] },
    });
  });

  test('rejected is told until the status says so', () => {
    const head = headOf({ state: 'rejected', reason: 'OutOfcpu', message: 'no cpu' });
    const told = { state: 'rejected', reason: 'OutOfcpu', message: 'no cpu', failures: [], victims: [] };
    const plan = planned([aNode(), agent, head]);
    expect(plan).toMatchObject({ outcome: 'acted', admission: told, status: { phase: 'Failed', message: 'Pod was rejected: no cpu' } });
    expect(plan.actions).toMatchObject([{ verb: 'event', reason: 'OutOfcpu', message: 'no cpu' }, { verb: 'status' }]);
    const failed = { ...agent, status: { phase: 'Failed', reason: 'OutOfcpu' } };
    expect(planned([aNode(), failed, head])).toMatchObject({ actions: [], outcome: 'converged', admission: told, status: failed.status });
  });
});

test.each([
  ['admission.preemption.victims[0].deadline: expected an RFC 3339 time, found "soon"', waitingFor(victim('web', { deadline: 'soon' }))],
  ['admission.preemption.victims[0].uid: expected text, found nothing', waitingFor(victim('web', { uid: undefined }))],
])('%s', (message, head) => {
  expect(() => planned([aNode(), web, agent, head])).toThrow(`f.yaml:3: ${message}`);
});
