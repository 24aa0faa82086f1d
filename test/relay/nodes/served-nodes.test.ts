// The relay that leads answers for the nodes, and one that leads no more does not: its streams end, and another one has the place.
import { get } from 'node:https';
import { expect, test } from '@jest/globals';
import { SystemClock } from '../../../lib/adapters/clock/system-clock.ts';
import type { Pod } from '../../../lib/objects/kubernetes.ts';
import { ServedNodes } from '../../../lib/relay/nodes/served-nodes.ts';
import { until } from '../../claims.ts';
import { SilentTelemetry } from '../../world/recording-telemetry.ts';

const POD = {
  metadata: { namespace: 'default', name: 'a', uid: 'uid-a' },
  spec: { nodeName: 'edge', containers: [{ name: 'main' }] },
  status: { containerStatuses: [{ name: 'main', state: { running: {} } }] },
} as unknown as Pod;
/** It lets everybody in who has a token. */
const cluster = {
  get: async () => ({ object: POD, dateMs: 0 }),
  list: async () => ({ items: [POD], resourceVersion: '1', dateMs: 0 }),
  create: async (_resource: object, review: { spec: object }) => ({
    object: { ...review, status: { authenticated: true, allowed: true, user: { username: 'api-server' } } },
    dateMs: 0,
  }),
};

function relay(): { served: ServedNodes; lead: () => { ended: Promise<void>; rest: () => void }; began: () => number } {
  let began = 0;
  const served = new ServedNodes({
    nodes: ['edge', 'far'],
    cluster: cluster as never,
    clock: new SystemClock(),
    telemetry: new SilentTelemetry(),
    questions: { ask: async () => ({ metadata: {}, log: '2026-01-01T00:00:00Z once\n', isCut: false }) },
    address: '127.0.0.1',
    firstPort: 0,
    isOpen: false,
  });
  const lead = (): { ended: Promise<void>; rest: () => void } => {
    const leading = new AbortController();
    return { ended: served.run(leading.signal, () => (began += 1)), rest: () => leading.abort() };
  };
  return { served, lead, began: () => began };
}

/** Follows the log until the connection ends. @param taken given each piece */
const follow = async (port: number, taken: (text: string) => void): Promise<string> =>
  await new Promise((resolve) => {
    const options = { port, host: '127.0.0.1', path: '/containerLogs/default/a/main?follow=true', rejectUnauthorized: false };
    get({ ...options, headers: { authorization: 'Bearer t' } }, (response) => {
      response.on('data', (chunk: Buffer) => taken(chunk.toString()));
      response.on('error', () => {});
      response.on('close', () => resolve('ended'));
    }).on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'failed'));
  });

test('a relay that leads no more ends its streams and is reached no more; one that leads is, at a port for each node', async () => {
  const [first, second] = [relay(), relay()];
  const one = first.lead();
  await until('the first serves', () => first.began() === 1, 20_000);
  const { ports = {} } = first.served.place ?? {};
  expect(Object.keys(ports)).toEqual(['edge', 'far']);
  expect(new Set(Object.values(ports)).size).toBe(2);
  let text = '';
  const stream = follow(ports['edge'] ?? 0, (piece) => (text += piece));
  await until('the log comes', () => text === 'once\n', 20_000);

  one.rest();
  await one.ended;
  expect([await stream, first.served.place]).toEqual(['ended', undefined]);
  expect(await follow(ports['edge'] ?? 0, () => {})).toBe('ECONNREFUSED');

  const other = second.lead();
  await until('the second serves', () => second.began() === 1, 20_000);
  let again = '';
  const after = follow(second.served.place?.ports['edge'] ?? 0, (piece) => (again += piece));
  await until('the log comes from the second', () => again === 'once\n', 20_000);
  other.rest();
  await Promise.all([other.ended, after]);
}, 60_000);
