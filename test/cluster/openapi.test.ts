// The shapes of the sandbox's resources are those of a real server: every field, type, default, list key and merge strategy of its
// OpenAPI documents. Descriptions are not compared: the sandbox has its own words, and few of them.
import { expect, test } from '@jest/globals';
import { clientOf } from '../contracts/api-server/opened-client.ts';
import { openSandboxServer } from '../contracts/api-server/sandbox-server.ts';
import { openReferenceServer } from './reference-server.ts';

const real = clientOf(openReferenceServer);
const ours = clientOf(openSandboxServer);

/** Shared helpers of documents that a document may carry without needing them. */
const carried = /\.(Time|MicroTime|Quantity|IntOrString|Patch|ListMeta|DeleteOptions|Preconditions|FieldsV1)$/;

/** What lasts of a schema: no prose, required fields in order; unions are only a hint to some generators. */
function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => key !== 'x-kubernetes-unions' && !(key === 'description' && typeof item === 'string'))
      .map(([key, item]) => [key, key === 'required' && Array.isArray(item) ? item.map(String).toSorted() : lasting(item)]),
  );
}

test.each([
  'api/v1',
  'apis/apps/v1',
  'apis/authentication.k8s.io/v1',
  'apis/authorization.k8s.io/v1',
  'apis/batch/v1',
  'apis/coordination.k8s.io/v1',
  'apis/events.k8s.io/v1',
  'apis/policy/v1',
])('/openapi/v3/%s', async (place) => {
  const [there, here] = await Promise.all([real(), ours()].map((api) => api.get(`/openapi/v3/${place}`)));
  const theirs = there?.body.components?.schemas ?? {};
  const own = Object.entries(here?.body.components?.schemas ?? {}).filter(([name]) => !carried.test(name));
  expect(own.length).toBeGreaterThan(5);
  for (const [name, schema] of own) expect({ name, schema: lasting(schema) }).toEqual({ name, schema: lasting(theirs[name]) });
});
