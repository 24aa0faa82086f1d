// R19: a list of several pages, as a pass and a relay read it: at the lowest of their versions, and whole or not at all.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { KubernetesCluster } from '../../../lib/adapters/kubernetes/kubernetes-cluster.ts';
import { AnswerTooLongError } from '../../../lib/adapters/kubernetes/connection.ts';
import { wholeList, type Page } from '../../../lib/adapters/kubernetes/whole-list.ts';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import { POD_FIELDS } from '../../../lib/objects/pods/pod-facts.ts';
import { PODS } from '../../../lib/objects/resources.ts';
import { deadlineIn } from '../../../lib/ports/clock.ts';
import { ExpiredError, NotDoneError, ThrottledError, UnknownOutcomeError } from '../../../lib/ports/errors.ts';
import type { ScriptedServer } from './scripted-server.ts';
import { refuses, says, startScriptedServer } from './scripted-server.ts';

type Script = Parameters<ScriptedServer['answer']>[0];

const clock = new SystemClock();
let server: ScriptedServer;
let cluster: KubernetesCluster;

beforeAll(async () => {
  server = await startScriptedServer();
  cluster = new KubernetesCluster({ access: { server: server.url, caPem: server.caPem, auth: { kind: 'none' } }, clock, timeoutMs: 2_000 });
});
afterAll(async () => {
  cluster.close();
  await server.stop();
});

const pageOf = (resourceVersion: string, names: readonly string[], next?: string): string =>
  JSON.stringify({
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: { resourceVersion, ...(next !== undefined && { continue: next }) },
    items: names.map((name) => ({ metadata: { name, namespace: 'n', uid: `uid-${name}`, resourceVersion: '3' } })),
  });

/** Answers the page that the request's `continue` names. */
const pages =
  (byToken: Record<string, Script>): Script =>
  (request, response) => {
    const token = new URL(request.url ?? '', 'https://server').searchParams.get('continue') ?? '';
    (byToken[token] ?? says(500, 'no such page'))(request, response);
  };

describe.each([
  ['read whole', undefined],
  ['read as it streams', POD_FIELDS],
])('a live list of several pages, %s', (_, fields) => {
  const list = async () =>
    await cluster.list(PODS, { namespace: 'n', labelSelector: 'a=b', ...(fields && { fields }) }, deadlineIn(clock, 20_000));

  test.each([
    { versions: ['9', '10', '11'], lowest: '9' },
    { versions: ['11', '9', '10'], lowest: '9' },
    { versions: ['11', '10', '9'], lowest: '9' },
    { versions: ['100', '99', '101'], lowest: '99' },
  ])(
    'R19: holds the objects of all its pages, at the lowest of $versions',
    async ({ versions: [first = '', second = '', third = ''], lowest }) => {
      server.answer(
        pages({
          '': says(200, pageOf(first, ['a', 'b'], 'two')),
          two: says(200, pageOf(second, ['c'], 'three')),
          three: says(200, pageOf(third, ['d'])),
        }),
      );
      const { items, resourceVersion } = await list();
      expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c', 'd']);
      expect(resourceVersion).toBe(lowest);
    },
  );

  test.each([
    { name: 'is forgotten (410), twice', script: refuses(410, { reason: 'Expired' }), error: ExpiredError },
    { name: 'breaks (500)', script: refuses(500), error: UnknownOutcomeError },
    { name: 'is put off (429)', script: refuses(429, {}, { 'retry-after': '7' }), error: ThrottledError },
    { name: 'is no list', script: says(200, '<html>'), error: NotDoneError },
  ])('R19: is none where a later page $name', async ({ script, error }) => {
    server.answer(pages({ '': says(200, pageOf('9', ['a', 'b'], 'two')), two: script }));
    await expect(list()).rejects.toThrow(error);
  });

  test('R19: begins anew where a later page is forgotten (410), and holds nothing of the first pages', async () => {
    let lists = 0;
    server.answer((request, response) => {
      const isFirst = !(request.url ?? '').includes('continue=');
      if (isFirst) lists += 1;
      const later = lists === 1 ? refuses(410, { reason: 'Expired' }) : says(200, pageOf('8', ['d']));
      const first = says(200, lists === 1 ? pageOf('7', ['a', 'b'], 'two') : pageOf('9', ['c'], 'two'));
      (isFirst ? first : later)(request, response);
    });
    const { items, resourceVersion } = await list();
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['c', 'd']);
    expect(resourceVersion).toBe('8');
    expect(lists).toBe(2);
  });

  test('every page is asked for with the same selection', async () => {
    server.requests.length = 0;
    server.answer(pages({ '': says(200, pageOf('9', ['a'], 'two')), two: says(200, pageOf('9', ['b'])) }));
    await list();
    const asked = server.requests.map((line) => new URL(line.slice(4), 'https://server').searchParams);
    expect(asked.map((query) => query.get('continue'))).toEqual([null, 'two']);
    for (const query of asked) expect(query.get('labelSelector')).toBe('a=b');
  });
});

test('R19: a page of objects too large for one answer is asked for again with fewer, from where the one before ended', async () => {
  const asked: string[] = [];
  const list = await wholeList<string>(8, async ({ limit, continueToken = '' }): Promise<Page<string>> => {
    asked.push(`${limit}${continueToken}`);
    if (continueToken === '-two' && limit > 1) throw new AnswerTooLongError('too long');
    return continueToken === ''
      ? { items: ['a'], resourceVersion: '7', dateMs: 1, continueToken: '-two' }
      : { items: ['b'], resourceVersion: '8', dateMs: 2 };
  });
  expect(asked).toEqual(['8', '8-two', '2-two', '1-two']);
  expect(list).toMatchObject({ items: ['a', 'b'], resourceVersion: '7' });
});
