// The HTTP API: one table of all routes. A route is declared in the file of its subject, and added there.
import type * as v from 'valibot';
import type { Ports } from '../../ports/ports.ts';
import { anyObject, type Told } from '../answers/values.ts';
import { RefusedRequestError, type RoutedAnswer, type RoutedRequest } from '../routed-request.ts';
import { clusterRoutes } from './clusters.ts';
import { figureRoutes } from './figures.ts';
import { meRoutes } from './me.ts';
import { passRoutes } from './passes.ts';
import { queueRoutes } from './queues.ts';
import { route, type Route } from './route.ts';
import { runRoutes } from './runs.ts';
import { workloadPartRoutes } from './workload-parts.ts';
import { streamRoutes } from './stream.ts';
import { workloadQuestionRoutes } from './workload-questions.ts';
import { workloadRoutes } from './workloads.ts';

const documentRoute = route('GET /openapi.json', {
  summary: 'This description',
  answer: anyObject,
  handle: async (): Promise<object> => await openApiDocument(),
});

const ROUTES = [
  ...clusterRoutes,
  ...workloadRoutes,
  ...workloadQuestionRoutes,
  ...workloadPartRoutes,
  ...passRoutes,
  ...queueRoutes,
  ...runRoutes,
  ...figureRoutes,
  ...meRoutes,
  ...streamRoutes,
  documentRoute,
] as const;

type Routes = (typeof ROUTES)[number];
type Named<Name extends Routes['name']> = Extract<Routes, { name: Name }>;

/** As in `GET /v1/workloads`. */
export type RouteName = Routes['name'];
/** The JSON that a route answers. */
export type Answer<Name extends RouteName> = Named<Name>['answer'] extends infer Schema extends v.GenericSchema ? Told<Schema> : string;
/** The body that a route takes. */
export type Body<Name extends RouteName> =
  NonNullable<Named<Name>['body']> extends infer Schema extends v.GenericSchema ? v.InferInput<Schema> : undefined;
/** The query that a route takes, as text. */
export type Query<Name extends RouteName> = Partial<Record<keyof Named<Name>['query']['entries'] & string, string>>;

const table: readonly Route[] = ROUTES;

/** Every method and path, spelled as in the description. */
export const routeNames = (): string[] => table.map(({ name }) => name);

/** The description as OpenAPI 3.1. Few processes are asked for it, so they load the way from schema to description only then. */
export async function openApiDocument(): Promise<Record<string, unknown>> {
  const { openApiOf } = await import('./openapi-document.ts');
  return openApiOf(table);
}

/** @throws RefusedRequestError */
export async function answerRoute(ports: Ports, request: RoutedRequest): Promise<RoutedAnswer> {
  let isKnownPath = false;
  for (const { name, respond } of table) {
    const [method, pattern = ''] = name.split(' /');
    const named = namedParts(pattern, request.path);
    if (!named) continue;
    isKnownPath = true;
    if (method !== request.method) continue;
    return await respond(ports, request, named).catch((error: unknown) => {
      // The caller gets the sentence; the operator finds the error in the log.
      if (!(error instanceof RefusedRequestError))
        ports.telemetry.error('request failed', { method: request.method, path: `/${request.path.join('/')}`, error });
      throw error;
    });
  }
  if (isKnownPath) throw new RefusedRequestError(405, `${request.method} is not possible here`);
  throw new RefusedRequestError(404, `there is nothing at /${request.path.join('/')}`);
}

/** @returns undefined if the path does not match */
function namedParts(pattern: string, path: readonly string[]): Record<string, string> | undefined {
  const parts = pattern.split('/');
  if (parts.length !== path.length) return undefined;
  const named: Record<string, string> = {};
  for (const [at, part] of parts.entries()) {
    const given = path[at] ?? '';
    if (part.startsWith('{')) named[part.slice(1, -1)] = given;
    else if (part !== given) return undefined;
  }
  return named;
}
