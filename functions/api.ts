// HTTP API and console. The gateway's IAM or JWT authorizer decides before it who may call it. Without an authorizer it refuses every
// request.
import type { IncomingMessage } from 'node:http';
import type { Context } from 'aws-lambda';
import serverless from 'serverless-http';
import { createApp } from '../lib/api/app.ts';
import type { RoutedRequest } from '../lib/api/routed-request.ts';
import { callerIn } from '../lib/api/asking/caller.ts';
import { answerRoute } from '../lib/api/routes/route-table.ts';
import type { Ports } from '../lib/ports/ports.ts';
import { invocation, runtime, warmUp } from '../lib/runtime.ts';

await warmUp();

/** Those whom the gateway let in, and who they are. */
const authorized = new WeakMap<object, string>();

/** Most processes never meet a request about runs. */
async function portsFor({ path }: RoutedRequest): Promise<Ports> {
  const { ports } = await runtime();
  if (path[1] !== 'runs' || !ports.drivenRuns) return ports;
  const runs = (await import('../lib/api/driven-runs.ts')).drivenRunHost(ports);
  return { ...ports, ...(runs && { runs }) };
}

const app = createApp({
  answer: async (request) => await answerRoute(await portsFor(request), request),
  authorize: (request) => authorized.has(request),
  callerOf: (request) => authorized.get(request) ?? '',
});

const answer = serverless(app, {
  request(request: IncomingMessage, event: { requestContext: { authorizer?: object } }) {
    const { authorizer = {} } = event.requestContext;
    // The wrapper sets an empty object if there is no authorizer.
    if (Object.keys(authorizer).length > 0) authorized.set(request, callerIn(authorizer));
  },
});

export async function handler(event: object, context: Partial<Context> = {}): Promise<object> {
  return await invocation('api', context, async () => await answer(event, context));
}
