// Routes about cost and metrics.
import * as v from 'valibot';
import { spanMsOf } from '../../objects/values/span.ts';
import { Cost, CostBy } from '../answers/cost.ts';
import { Rates } from '../answers/rates.ts';
import { costSoFar } from '../cost.ts';
import { costBy, COST_GROUPS, type CostGroup } from '../cost-by.ts';
import { metricsText, ratesNow } from '../metrics.ts';
import { RefusedRequestError } from '../routed-request.ts';
import { readParameter, Refusal } from './parameters.ts';
import { route, textRoute } from './route.ts';

const WEEK_MS = 7 * 86_400_000;

const by = readParameter(
  `the sum of each of these: ${COST_GROUPS.join(', ')}; absent: parts of the cost since this process began`,
  (text): CostGroup | Refusal =>
    COST_GROUPS.find((group) => group === text) ?? new Refusal(`"by" must be one of ${COST_GROUPS.join(', ')}`),
);

const since = readParameter('with `by`: how far back, as in 24h; at most, and if absent, 7d', (text): number | Refusal => {
  const ms = spanMsOf(text);
  return ms !== undefined && ms > 0 && ms <= WEEK_MS ? ms : new Refusal('"since" must be a span of 7d at most, such as 24h or 7d');
});

export const figureRoutes = [
  route('GET /v1/cost', {
    summary: 'What was counted, at list prices: since this process began, or of each cluster, namespace, kind or workload',
    query: { by, since },
    answer: v.union([Cost, CostBy]),
    errors: { 400: 'a parameter is not usable', 503: 'the log was not summed up in time, or may not be; the sentence says what to do' },
    async handle(ports, { query }) {
      if (query.by !== undefined) return await costBy(ports, query.by, query.since ?? WEEK_MS);
      if (query.since !== undefined)
        throw new RefusedRequestError(
          400,
          `"since" is for sums alone: give "by", too, which is one of ${COST_GROUPS.join(', ')}, or leave out "since"`,
        );
      return await costSoFar(ports);
    },
  }),
  route('GET /v1/rates', {
    summary: 'What happened in the last hour, minute by minute: pods started, succeeded and failed, passes, lag',
    answer: Rates,
    handle: async (ports) => ratesNow(ports),
  }),
  textRoute('GET /metrics', {
    summary: "Metrics in Prometheus' text format",
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    handle: async (ports) => await metricsText(ports),
  }),
] as const;
