// Routes about runs of pods.
import * as v from 'valibot';
import type { Ports } from '../../ports/ports.ts';
import { RunRefusedError, type RunHost } from '../../ports/runs.ts';
import { Run, RunPlan } from '../answers/runs.ts';
import { text, type Told } from '../answers/values.ts';
import { RefusedRequestError } from '../routed-request.ts';
import { RunRequest } from '../run-request.ts';
import { continues, limit } from './parameters.ts';
import { route } from './route.ts';

const noRuns = {
  501: 'this installation has no provider for runs; on AWS that is the parameter runProvider, and only POST /v1/runs needs it',
};
const absentRun = { 404: 'there is no such run' };
const Runs = v.object({ items: v.array(Run), next: v.exactOptional(text) });

export const runRoutes = [
  route('POST /v1/runs', {
    summary: 'Runs pods once. A known id gives the run that is there',
    body: RunRequest,
    answer: Run,
    errors: {
      400: 'the body is not usable',
      ...noRuns,
      409: 'the id has another manifest',
      413: 'the body is larger than 1 MiB',
    },
    handle: async (ports, { body }) => await fromRuns<typeof Run>(ports, async (runs) => await runs.start(body)),
  }),
  route('GET /v1/runs', {
    summary: 'Runs that are kept, by id; a finished one for 24 h',
    query: { limit: limit(100), continue: continues },
    answer: Runs,
    errors: { 400: 'a parameter is not usable', ...noRuns },
    async handle(ports, { query: { limit: most, continue: after } }) {
      const page = { limit: most, ...(after !== undefined && { after }) };
      return await fromRuns<typeof Runs>(ports, async (runs) => await runs.list(page));
    },
  }),
  route('GET /v1/runs/{runId}', {
    summary: 'A run and its results so far',
    answer: Run,
    errors: { ...absentRun, ...noRuns },
    handle: async (ports, { path: { runId } }) => await fromRuns<typeof Run>(ports, async (runs) => await runs.get(runId)),
  }),
  route('GET /v1/runs/{runId}/plan', {
    summary: 'What the next step of a run would do, without asking its provider; nothing is done',
    answer: RunPlan,
    errors: { ...absentRun, ...noRuns },
    handle: async (ports, { path: { runId } }) => await fromRuns<typeof RunPlan>(ports, async (runs) => await runs.plan(runId)),
  }),
  route('POST /v1/runs/{runId}/cancel', {
    summary: 'Cancels a run; its pods are stopped. One that is over stays as it is',
    answer: Run,
    errors: { ...absentRun, ...noRuns },
    handle: async (ports, { path: { runId } }) => await fromRuns<typeof Run>(ports, async (runs) => await runs.cancel(runId)),
  }),
] as const;

/** Hosts answer an object each, because ports know no kind. @throws RefusedRequestError */
async function fromRuns<Answer extends v.GenericSchema>({ runs }: Ports, ask: (runs: RunHost) => Promise<object>): Promise<Told<Answer>> {
  if (!runs)
    throw new RefusedRequestError(501, 'this installation has no provider for runs: use farloop up, or farloop run-once on your machine');
  try {
    return (await ask(runs)) as Told<Answer>;
  } catch (error) {
    if (error instanceof RunRefusedError) throw new RefusedRequestError(error.status, error.message);
    throw error;
  }
}
