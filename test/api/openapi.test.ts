// The description made of the routes: it is OpenAPI, it is published, and answers are as it says.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedRuns } from '../../lib/adapters/embedded/runs.ts';
import { runHost } from '../../lib/api/runs.ts';
import { answerRoute, openApiDocument, routeNames } from '../../lib/api/routes/route-table.ts';
import type { ReadLog } from '../../lib/ports/cluster.ts';
import { advance } from '../../lib/reconciler/runs/advance.ts';
import { beginRun } from '../../lib/reconciler/runs/begin-run.ts';
import { encodeTimer } from '../../lib/wire/messages.ts';
import { aPass } from '../contracts/recorder.ts';
import { aNode, aPod, asking } from '../kinds/run-once/run-world.ts';
import { embeddedPorts, know, type EmbeddedPorts } from './embedded-ports.ts';
import { documentText, PUBLISHED } from './published-document.ts';

interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: unknown[];
  format?: string;
}

interface Described {
  parameters: { name: string; in: 'path' | 'query'; description?: string }[];
  responses: Record<string, { description: string; content: Record<string, { schema: Schema }> }>;
}

const { paths, components } = (await openApiDocument()) as unknown as {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
};
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({ name: `${method.toUpperCase()} ${path}`, path, method, described })),
);

/** Differences between a value and its schema. A field that the schema does not name is one, too. */
function faultsOf(value: unknown, schema: Schema, at = ''): string[] {
  if (schema.$ref !== undefined) return faultsOf(value, components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, at);
  if (schema.enum && !schema.enum.includes(value)) return [`${at}: ${String(value)} is none of ${schema.enum.join(', ')}`];
  const found = Array.isArray(value) ? 'array' : typeof value;
  if (schema.type !== undefined && found !== schema.type && !(schema.type === 'integer' && Number.isInteger(value)))
    return [`${at}: ${found} instead of ${schema.type}`];
  if (schema.format === 'date-time' && Number.isNaN(Date.parse(String(value)))) return [`${at}: no time`];
  if (Array.isArray(value)) return value.flatMap((item, index) => faultsOf(item, schema.items ?? {}, `${at}[${index}]`));
  if (typeof value !== 'object' || value === null) return [];
  const fields = schema.properties ?? {};
  const isOpen = Object.keys(fields).length === 0;
  return [
    ...(schema.required ?? []).filter((name) => !(name in value)).map((name) => `${at}.${name}: missing`),
    ...Object.entries(value).flatMap(([name, field]) => {
      const described = fields[name];
      if (described) return faultsOf(field, described, `${at}.${name}`);
      return isOpen ? [] : [`${at}.${name}: not described`];
    }),
  ];
}

let ports: EmbeddedPorts;
let records: EmbeddedRuns;
const A_POD = aPod('a');
const log = async (): Promise<ReadLog> => ({ text: '2026-05-01T10:00:00Z it works\n', isCut: false });
const list = async (): Promise<never> => await Promise.reject(new Error('nobody lists'));

beforeEach(async () => {
  const get = async (): Promise<object> => ({
    object: { metadata: { name: 'demo', namespace: 'default', uid: 'uid-of-demo' }, spec: { parallelism: 2 }, status: { active: 2 } },
    dateMs: 0,
  });
  const none = async (): Promise<object> => ({ items: [], resourceVersion: '1', dateMs: 0 });
  const connect = (): never => ({ get, list: none }) as never;
  ports = { ...(await embeddedPorts('local', 'staging')), lookUp: () => ({ log, list }), connect, actions: 'on' };
  const record = await ports.clusters.get('local');
  if (record) await ports.clusters.put({ ...record, actions: true }, record.version);
  const key = await know(ports, { name: 'demo', pods: ['demo-0', 'demo-1'], status: { active: 2 } });
  records = EmbeddedRuns.open();
  ports.runs = runHost({
    records,
    clock: ports.clock,
    problemOfProvider: () => undefined,
    nodeNamed: async () => ({ problem: 'there is no such virtual node here' }),
    withoutCluster: 'a provider belongs to no cluster',
    cannotOf: async () => [],
    wake: () => {},
  });
  await beginRun(
    { id: 'one', provider: 'simulated', node: aNode('1'), pods: [A_POD, aPod('large', asking('2'))] },
    { runs: records, clock: ports.clock },
  );
  const answers = { limits: () => ({ cannot: [] }), look: async () => [], start: async () => {} };
  await advance('one', { runs: records, clock: ports.clock, providerOf: () => answers as never });
  const pass = aPass(Date.now(), { key, passId: 'one' });
  await ports.recorder.append(pass, () => Uint8Array.of(1));
  await ports.queue.send('timers', [{ body: encodeTimer({ look: 'stale', dueAtMs: 0 }) }]);
});
afterEach(() => {
  records.close();
  ports.close();
});

test('every route is described, once', () => {
  expect(operations.map(({ name }) => name).toSorted()).toEqual(routeNames().toSorted());
});

test('the description is OpenAPI 3.1', async () => {
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(documentText(await openApiDocument())))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

test(`${PUBLISHED} is the description of this version (node test/api/published-document.ts writes it anew)`, async () => {
  expect(readFileSync(join(import.meta.dirname, '../..', PUBLISHED), 'utf8')).toBe(documentText(await openApiDocument()));
});

test('each parameter and each error says what it means', () => {
  for (const { name, described } of operations) {
    for (const parameter of described.parameters)
      if (parameter.in === 'query')
        expect([name, parameter.name, parameter.description]).toEqual([name, parameter.name, expect.stringMatching(/.{8,}/)]);
    for (const [status, { description }] of Object.entries(described.responses))
      expect([name, status, description]).toEqual([name, status, expect.stringMatching(/.{8,}/)]);
  }
});

describe('each route', () => {
  const NAMED: Record<string, string> = { cluster: 'local', kind: 'Job', namespace: 'default', name: 'demo', passId: 'one', runId: 'one' };
  const BODIES: Record<string, unknown> = {
    'POST /v1/runs': { provider: 'simulated', manifest: [A_POD] },
    'POST /v1/workloads/{cluster}/{kind}/{namespace}/{name}/actions': { action: 'suspend', dryRun: true },
    'POST /v1/dead-letters/drop': { dryRun: true },
  };

  for (const { name, path, method, described } of operations)
    test(`${name}: answers what is described`, async () => {
      const parts = path.split('/').slice(1);
      const answer = await answerRoute(ports, {
        method: method.toUpperCase(),
        path: parts.map((part) => NAMED[part.slice(1, -1)] ?? part),
        query: new URLSearchParams(),
        body: BODIES[name],
      });
      const inPath = described.parameters.filter((parameter) => parameter.in === 'path').map((parameter) => `{${parameter.name}}`);
      expect(inPath).toEqual(parts.filter((part) => part.startsWith('{')));
      const content = described.responses['200']?.content ?? {};
      if ('text' in answer) expect(answer.contentType).toContain(Object.keys(content)[0]);
      else if ('events' in answer) expect(content).toHaveProperty('text/event-stream');
      else if ('json' in answer)
        expect(faultsOf(JSON.parse(JSON.stringify(answer.json)), content['application/json']?.schema ?? {})).toEqual([]);
      else throw new Error('nobody has an answer yet');
      expect(Object.keys(described.responses)).toEqual(expect.arrayContaining(['200', '401', '500']));
    });
});
