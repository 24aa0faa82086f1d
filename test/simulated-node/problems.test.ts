// What a simulated node says of its problems: each once, with what was asked and what to do, and once when it is over.
import { expect, test } from '@jest/globals';
import { Problems, RefusedError } from '../../lib/simulated-node/problems.ts';

const open = () => {
  const said: string[] = [];
  const clock = { nowMs: 0 };
  return {
    said,
    clock,
    problems: new Problems(
      (line) => said.push(line),
      () => clock.nowMs,
    ),
  };
};
const forbidden = (pod: string): RefusedError =>
  new RefusedError(`POST /api/v1/namespaces/a/pods/${pod}/binding`, 403, { message: `pods "${pod}" is forbidden: User "x" cannot create` });

test('a server that does not answer is one problem, however much is tried', () => {
  const { said, clock, problems } = open();
  for (let attempt = 0; attempt < 100; attempt += 1) {
    clock.nowMs += 100;
    problems.failed('renew the Lease of the Node', '', new Error('PATCH https://c: nothing listens there (ECONNREFUSED)'));
    problems.failed('bind pods', `pod-${attempt}`, new Error('POST https://c: nothing listens there (ECONNREFUSED)'));
  }
  expect(said).toEqual([
    'no answer from the API server: PATCH https://c: nothing listens there (ECONNREFUSED); the node tries again until there is one',
  ]);
  problems.worked('bind pods', 'pod-1');
  // One answer among failures is no end of it.
  expect(said).toHaveLength(1);
  clock.nowMs += 1_000;
  problems.worked('bind pods', 'pod-1');
  problems.worked('bind pods', 'pod-2');
  expect(said.slice(1)).toEqual(['the API server answers again']);
});

test('a right that is missing is one problem of all pods, over when the last of them is bound', () => {
  const { said, problems } = open();
  for (let attempt = 0; attempt < 10; attempt += 1) for (const pod of ['a', 'b']) problems.failed('bind pods', pod, forbidden(pod));
  expect(said).toEqual([
    'cannot bind pods: POST /api/v1/namespaces/a/pods/a/binding answered 403 (pods "a" is forbidden: User "x" cannot create): these credentials may not do it: give those of somebody who may, such as an administrator of the cluster',
  ]);
  problems.worked('report pods', 'a');
  problems.worked('bind pods', 'a');
  expect(said).toHaveLength(1);
  problems.worked('bind pods', 'b');
  expect(said.slice(1)).toEqual(['can bind pods again']);
});

test('a conflict or a busy server is said when it lasts only', () => {
  const { said, problems } = open();
  const busy = new RefusedError('PATCH /api/v1/nodes/n/status', 429);
  problems.failed('report pods', 'a', busy);
  problems.failed('report pods', 'a', busy);
  problems.worked('report pods', 'a');
  expect(said).toEqual([]);
  for (let attempt = 0; attempt < 5; attempt += 1) problems.failed('report pods', 'a', busy);
  expect(said).toEqual([
    'cannot report pods: PATCH /api/v1/nodes/n/status answered 429: it is busy; the node tries again until it takes it',
  ]);
});

test('pods that take their problem with them end it without a word, and bring it back once a minute at most', () => {
  const { said, clock, problems } = open();
  for (let pod = 0; pod < 20; pod += 1) {
    problems.failed('report pods', `pod-${pod}`, new RefusedError('PATCH p', 422));
    problems.forget(`pod-${pod}`);
  }
  expect(said).toHaveLength(1);
  clock.nowMs += 60_000;
  problems.failed('report pods', 'later', new RefusedError('PATCH p', 422));
  expect(said).toHaveLength(2);
});

test('a refused watch is a refusal too, though the client knows no class of ours', () => {
  const { said, problems } = open();
  problems.failed(
    'list and watch pods',
    '',
    Object.assign(new Error('GET /api/v1/pods?watch=true answered 401 (Unauthorized)'), { status: 401 }),
  );
  expect(said).toEqual([
    'cannot list and watch pods: GET /api/v1/pods?watch=true answered 401 (Unauthorized): it does not know these credentials: log in again, or give another kubeconfig',
  ]);
});
