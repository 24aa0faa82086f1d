// The HTTP API described by OpenAPI 3.1, made of the declared routes.
import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { Cluster, ObjectsOnCluster } from '../answers/clusters.ts';
import { Cost } from '../answers/cost.ts';
import { ContainerLog } from '../answers/logs.ts';
import { Pass } from '../answers/passes.ts';
import { Problem } from '../answers/problem.ts';
import { DeadLetter, Queue } from '../answers/queues.ts';
import { Run } from '../answers/runs.ts';
import { Workload, WorkloadDetail } from '../answers/workloads.ts';
import { RunRequest } from '../run-request.ts';
import { Redrive } from './queues.ts';
import type { Route } from './route.ts';

type Schema = Record<string, unknown>;

/** Schemas that the description names. */
const COMPONENTS: Record<string, v.GenericSchema> = {
  Cluster,
  ContainerLog,
  Cost,
  DeadLetter,
  ObjectsOnCluster,
  Pass,
  Problem,
  Queue,
  Redrive,
  Run,
  RunRequest,
  Workload,
  WorkloadDetail,
};

export function openApiOf(routes: readonly Route[]): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const [method = '', path = ''] = route.name.split(' ');
    (paths[path] ??= {})[method.toLowerCase()] = described(route, path);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Farloop', version: 'v1', description: 'What an installation knows and does. Every route asks who is there.' },
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(COMPONENTS).map(([name, schema]) => [name, schemaOf(schema, name)])),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: "A local instance's token, or a JWT where the stage asks for one." },
        aws: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'AWS Signature Version 4 for execute-api.' },
      },
    },
    security: [{ token: [] }, { aws: [] }],
  };
}

function described({ summary, query, body, answer, contentType = 'text/plain', errors = {} }: Route, path: string): Schema {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const inQuery = Object.entries(query.entries).map(([name, entry]) => ({ name, in: 'query', required: false, ...parameterOf(entry) }));
  const problem = { 'application/problem+json': { schema: ref('Problem') } };
  const problems = { 401: 'nobody said who is there', ...errors, 500: 'something failed here' };
  return {
    summary,
    parameters: [...inPath, ...inQuery],
    ...(body && { requestBody: { required: false, content: { 'application/json': { schema: schemaOf(body) } } } }),
    responses: {
      200: {
        description: 'as asked for',
        content: answer ? { 'application/json': { schema: schemaOf(answer) } } : { [contentType]: { schema: { type: 'string' } } },
      },
      ...Object.fromEntries(Object.entries(problems).map(([status, description]) => [status, { description, content: problem }])),
    },
  };
}

/** The schema of a parameter is that of its text, which `parameters.ts` says. */
function parameterOf(entry: v.ObjectEntries[string]): { schema: Schema; description: string } {
  const { description = '', written = {} }: { description?: string; written?: Schema } = v.getMetadata(
    'wrapped' in entry ? entry.wrapped : (entry as v.GenericSchema),
  );
  return { schema: written, description };
}

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** @param as the component that it is, which would otherwise refer to itself */
function schemaOf(schema: v.GenericSchema, as?: string): Schema {
  const definitions = Object.fromEntries(Object.entries(COMPONENTS).filter(([name]) => name !== as));
  const {
    $schema: _schema,
    $defs: _definitions,
    ...made
  } = toJsonSchema(schema, {
    typeMode: 'input',
    target: 'draft-2020-12',
    definitions,
    overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
    overrideAction({ valibotAction, jsonSchema }) {
      const { metadata } = valibotAction as { metadata?: { written?: Schema } };
      const { written: _written, ...others } = jsonSchema as Schema;
      return metadata?.written && { ...others, ...metadata.written };
    },
  });
  return made;
}
