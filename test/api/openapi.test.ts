// Routes and description together: the same paths, the same query, and answers as they are described.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { EmbeddedRuns } from '../../lib/adapters/embedded/runs.ts';
import { openApiDocument } from '../../lib/api/openapi.ts';
import { runHost } from '../../lib/api/runs.ts';
import { answerRoute, routeNames } from '../../lib/api/routes.ts';
import type { ReadLog } from '../../lib/ports/cluster.ts';
import { advance } from '../../lib/reconciler/runs/advance.ts';
import { beginRun } from '../../lib/reconciler/runs/begin-run.ts';
import { encodeTimer } from '../../lib/wire/messages.ts';
import { aPass } from '../contracts/recorder.ts';
import { aNode, aPod, asking } from '../kinds/run-once/run-world.ts';
import { embeddedPorts, know, type EmbeddedPorts } from './embedded-ports.ts';

interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean;
  items?: Schema;
  enum?: unknown[];
  format?: string;
}

interface Described {
  parameters: { name: string; in: 'path' | 'query' }[];
  responses: Record<string, { content: Record<string, { schema: Schema }> }>;
}

const { paths, components } = openApiDocument() as {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
};
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({ name: `${method.toUpperCase()} ${path}`, path, method, described })),
);

/** What is not as the schema says; empty when all is. */
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
  return [
    ...(schema.required ?? []).filter((name) => !(name in value)).map((name) => `${at}.${name}: missing`),
    ...Object.entries(value).flatMap(([name, field]) => {
      const described = fields[name];
      if (described) return faultsOf(field, described, `${at}.${name}`);
      return schema.additionalProperties === false ? [`${at}.${name}: not described`] : [];
    }),
  ];
}

let ports: EmbeddedPorts;
let records: EmbeddedRuns;
const A_POD = aPod('a');
const log = async (): Promise<ReadLog> => ({ text: '2026-05-01T10:00:00Z it works\n', isCut: false });
const list = async (): Promise<never> => await Promise.reject(new Error('nobody lists'));

beforeEach(async () => {
  ports = { ...(await embeddedPorts('local', 'staging')), lookUp: () => ({ log, list }) };
  const key = await know(ports, { name: 'demo', pods: ['demo-0', 'demo-1'], status: { active: 2 } });
  records = EmbeddedRuns.open();
  ports.runs = runHost({ records, clock: ports.clock, problemOfProvider: () => undefined, wake: () => {} });
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

test('there is no route without a description, and no description without a route', () => {
  expect(operations.map(({ name }) => name).toSorted()).toEqual(routeNames().toSorted());
});

describe('each route', () => {
  const NAMED: Record<string, string> = { cluster: 'local', kind: 'Job', namespace: 'default', name: 'demo', passId: 'one', runId: 'one' };
  const BODIES: Record<string, unknown> = { 'POST /v1/runs': { provider: 'simulated', manifest: [A_POD] } };

  for (const { name, path, method, described } of operations)
    test(`${name}: takes what is described, answers what is described`, async () => {
      const asked = new Set<string>();
      const query = new URLSearchParams();
      const get = query.get.bind(query);
      query.get = (field) => (asked.add(field), get(field));
      const parts = path.split('/').slice(1);
      const answer = await answerRoute(ports, {
        method: method.toUpperCase(),
        path: parts.map((part) => NAMED[part.slice(1, -1)] ?? part),
        query,
        body: BODIES[name],
      });
      const inQuery = described.parameters.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name);
      expect([...asked].toSorted()).toEqual(inQuery.toSorted());
      const inPath = described.parameters.filter((parameter) => parameter.in === 'path').map((parameter) => `{${parameter.name}}`);
      expect(inPath).toEqual(parts.filter((part) => part.startsWith('{')));
      const content = described.responses['200']?.content ?? {};
      if ('text' in answer) expect(answer.contentType).toContain(Object.keys(content)[0]);
      else expect(faultsOf(JSON.parse(JSON.stringify(answer.json)), content['application/json']?.schema ?? {})).toEqual([]);
      expect(Object.keys(described.responses)).toEqual(expect.arrayContaining(['200', '401', '500']));
    });
});
